package main

import (
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// The whole line, from the near end of the process line to the session, keeps
// the contract of an engine.
func TestEngine(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine { return worker.NewParent(worker.Config{}) })
}

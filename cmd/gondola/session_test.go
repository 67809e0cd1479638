package main

import (
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/gondola"
	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/session"
)

// The session with the packs of this house is an engine as every other. It
// stands here and not in the session's own tests, which know no pack but std.
// Text goes to the real descriptors.
func TestSessionIsAnEngine(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine { return session.New(std.Set(), gondola.Set()) }, enginetest.NoText)
}

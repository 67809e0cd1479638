package session

import (
	"context"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// A message of a comm is refused by the name that the server knows, and says
// what it was for.
func TestNoComm(t *testing.T) {
	var s Session
	for _, tt := range []struct {
		m    engine.CommMessage
		says string
	}{
		{engine.CommMessage{Kind: "open", ID: "1", Target: "jupyter.widget"}, "target jupyter.widget"},
		{engine.CommMessage{Kind: "msg", ID: "17"}, "comm 17"},
	} {
		out := s.Execute(context.Background(), engine.Cell{Comm: &tt.m}, nil)
		if out.Err == nil || out.Err.Name != engine.NoComm || !strings.Contains(out.Err.Value, tt.says) {
			t.Errorf("%+v: %v", tt.m, out.Err)
		}
	}
}

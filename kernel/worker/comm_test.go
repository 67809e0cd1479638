package worker

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

// commRecorder puts what comms send among what else a cell shows.
type commRecorder struct{ enginetest.Recorder }

func (r *commRecorder) Comm(m engine.CommMessage) error {
	r.Stream(false, fmt.Sprintf("%s %s %s %s %s %v|", m.Kind, m.ID, m.Target, m.Data, m.Meta, m.Buffers))
	return nil
}

// A message of a comm keeps its place among the text, whole; one that JSON
// cannot hold is refused where it is made. One of the front end reaches the
// session, and leaves nothing to replay.
func TestComm(t *testing.T) {
	l := newLab(t, Config{})
	r := &commRecorder{}
	out := l.Execute(context.Background(), engine.Cell{ID: 1, Number: 1, Code: "comms"}, r)
	want := "before\ntrue\nopen c t {\"a\":1}  [[0 255]]|after\n"
	if got := r.Text("stdout"); out.Err != nil || got != want {
		t.Errorf("%q, want %q; %v", got, want, out.Err)
	}
	out = l.Execute(context.Background(), engine.Cell{ID: 2, Number: 1,
		Comm: &engine.CommMessage{Kind: "msg", ID: "from the page", Buffers: [][]byte{{1}}}}, r)
	if out.Err == nil || out.Err.Name != engine.NoComm || !strings.Contains(out.Err.Value, "from the page") {
		t.Errorf("a message without a comm: %v", out.Err)
	}
	if cells, err := l.ledger.chosen(""); err != nil || len(cells) != 1 {
		t.Errorf("%d cells would be replayed, want 1: %v", len(cells), err)
	}
}

// A worker that is replaced leaves nobody behind its comms, and that is said
// where the cell shows.
func TestCommsLost(t *testing.T) {
	l := newLab(t, Config{})
	r := &commRecorder{}
	if out := l.Execute(context.Background(), engine.Cell{ID: 1, Number: 1, Code: "restart"}, r); out.Err != nil {
		t.Fatal(out.Err.Value)
	}
	if got := r.Text("stdout"); got != "lost     []|" {
		t.Errorf("a restart says %q", got)
	}
}

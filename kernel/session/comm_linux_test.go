//go:build linux

package session

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

// talker is a sink that a front end with comms is behind.
type talker struct {
	enginetest.Recorder
	said []string
}

func (k *talker) Comm(m engine.CommMessage) error {
	k.said = append(k.said, m.Kind+" "+string(m.Data))
	return nil
}

// A handler runs as a cell does: what it shows and says goes to the sink of its
// message, a panic is its error, and an interrupt stops it. The text of the cell
// whose number it has stays what it was.
func TestCommHandled(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 3, "x := 1")
	hangs, over := make(chan bool, 1), make(chan bool)
	defer close(over) // a goroutine left behind would wait beside the programs of other tests
	defer comm.Handle("t", func(c *comm.Comm, m comm.Message) {
		c.OnMessage(func(m comm.Message) {
			switch string(m.Data) {
			case `{"panic":1}`:
				panic("from the handler")
			case `{"hang":1}`:
				hangs <- true
				<-over
			}
			display.Show(7)
			c.Send(map[string]int{"back": 1})
		})
	})()
	say := func(kind, data string) (engine.Outcome, *talker) {
		k := &talker{}
		m := engine.CommMessage{Kind: kind, ID: "c", Target: "t", Data: json.RawMessage(data)}
		return s.Execute(context.Background(), engine.Cell{ID: 9, Number: 3, Comm: &m}, k), k
	}
	if out, _ := say("msg", "{}"); out.Err == nil || out.Err.Name != engine.NoComm {
		t.Errorf("before it is open: %v", out.Err)
	}
	if out, _ := say("open", "{}"); out.Err != nil {
		t.Fatal(out.Err)
	}
	if out, k := say("msg", `{"a":1}`); out.Err != nil || len(k.said) != 1 || k.said[0] != `msg {"back":1}` || k.Text("display") != "7" {
		t.Errorf("says %v, shows %q; %v", k.said, k.Text("display"), out.Err)
	}
	if out, _ := say("msg", `{"panic":1}`); out.Err == nil || out.Err.Name != "Panic" || !strings.Contains(out.Err.Value, "from the handler") {
		t.Errorf("a handler that panics: %v", out.Err)
	}
	go func() {
		<-hangs
		s.Interrupt()
	}()
	if out, _ := say("msg", `{"hang":1}`); out.Err == nil || out.Err.Name != "Interrupted" {
		t.Errorf("a handler that hangs: %v", out.Err)
	}
	if s.texts[3] != "x := 1" {
		t.Errorf("cell 3 is %q", s.texts[3])
	}
	k := &talker{}
	if out := s.Execute(context.Background(), engine.Cell{ID: 10, Number: 4, Code: "%reset -f"}, k); out.Err != nil ||
		len(k.said) != 1 || k.said[0] != "lost " {
		t.Errorf("%%reset says %v; %v", k.said, out.Err)
	}
	if out, _ := say("msg", "{}"); out.Err == nil || out.Err.Name != engine.NoComm {
		t.Errorf("after %%reset: %v", out.Err)
	}
}

package notebook

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// shelf holds the outputs of all cells while a notebook runs: a late output
// finds its cell, an update every display of its id. One lock guards all.
type shelf struct {
	mu  sync.Mutex
	ids map[string][]map[string]any // display id to the outputs that show it
}

// collector is the sink of one cell.
type collector struct {
	*shelf
	cell   *Cell
	clear  bool // at the next output
	stream *strings.Builder
}

var _ engine.Sink = (*collector)(nil)

// add appends an output. The caller has the lock.
func (c *collector) add(out map[string]any) {
	if c.clear {
		c.cell.Outputs, c.clear = nil, false
	}
	c.stream = nil
	c.cell.Outputs = append(c.cell.Outputs, out)
}

// Stream joins neighbouring texts of one stream into one output.
func (c *collector) Stream(stderr bool, text string) {
	name := "stdout"
	if stderr {
		name = "stderr"
	}
	text = string([]rune(text)) // valid UTF-8: a bad byte becomes U+FFFD
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.cell.Outputs); c.stream != nil && !c.clear && c.cell.Outputs[n-1].(map[string]any)["name"] == name {
		c.stream.WriteString(text)
		return
	}
	out := map[string]any{"output_type": "stream", "name": name}
	c.add(out)
	c.stream = &strings.Builder{}
	c.stream.WriteString(text)
	out["text"] = c.stream // a string when the run is over: joining strings would be quadratic
}

// Display implements engine.Sink.
func (c *collector) Display(d engine.Display) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := c.ids[d.ID]
	if d.Update && len(shown) > 0 {
		for _, out := range shown {
			out["data"], out["metadata"] = bundle(d.Bundle)
		}
		return
	}
	out := map[string]any{"output_type": "display_data"}
	out["data"], out["metadata"] = bundle(d.Bundle)
	c.add(out)
	if d.ID != "" {
		c.ids[d.ID] = append(shown, out)
	}
}

// Clear implements engine.Sink.
func (c *collector) Clear(wait bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clear = wait; !wait {
		c.cell.Outputs, c.stream = nil, nil
	}
}

// Result implements engine.Sink.
func (c *collector) Result(b display.Bundle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]any{"output_type": "execute_result", "execution_count": json.Number(fmt.Sprint(c.cell.Count))}
	out["data"], out["metadata"] = bundle(b)
	c.add(out)
}

// failed appends the error of the cell.
func (c *collector) failed(e *engine.CellError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	trace := make([]any, len(e.Traceback))
	for i, line := range e.Traceback {
		trace[i] = line
	}
	c.add(map[string]any{"output_type": "error", "ename": e.Name, "evalue": e.Value, "traceback": trace})
}

func bundle(b display.Bundle) (data, meta map[string]any) {
	data, meta = maps.Clone(b.Data), maps.Clone(b.Meta)
	if data == nil {
		data = map[string]any{}
	}
	if meta == nil {
		meta = map[string]any{}
	}
	return data, meta
}

// settle makes the outputs of nb final: texts whole, and what a carriage return
// has overwritten taken out. What comes later is lost.
func (s *shelf) settle(nb *Notebook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range nb.Cells {
		outs := make([]any, len(c.Outputs))
		for i, o := range c.Outputs {
			m := maps.Clone(o.(map[string]any))
			if b, ok := m["text"].(*strings.Builder); ok {
				m["text"] = fold(b.String())
			}
			outs[i] = m
		}
		c.Outputs = outs
	}
}

// fold keeps of each line what stands behind its last carriage return.
func fold(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		body := strings.TrimRight(line, "\r\n")
		if i := strings.LastIndexByte(body, '\r'); i >= 0 {
			body, line = body[i+1:], line[i+1:]
		}
		b.WriteString(body)
		if strings.HasSuffix(line, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

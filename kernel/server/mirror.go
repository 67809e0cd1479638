package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/gondola-lab/gondola/kernel/engine"
)

const (
	// widgetTarget is the target whose comms have a state, controlTarget that of
	// the comm by which a page asks for all states at once.
	widgetTarget  = "jupyter.widget"
	controlTarget = "jupyter.widget.control"
)

// mirror is the server's copy of every comm and of the state of every widget. A
// page that is loaded again, and a second one, get their widgets from it, also
// while a cell runs.
type mirror struct {
	mu    sync.Mutex
	comms map[string]*mirrored
	order []*mirrored // by age: a widget comes after those that it names
	bytes int
}

// mirrored is one open comm.
type mirrored struct {
	id, target string
	state      map[string]json.RawMessage
	buffers    []placed
	bytes      int  // of state and buffers
	orphan     bool // the worker that had it has ended
}

// placed is a buffer and its place in the state: a key, then keys and indices.
type placed struct {
	path  []any
	bytes []byte
}

// change is what an opening or an update of a widget says of its state.
type change struct {
	Method string                     `json:"method,omitempty"`
	State  map[string]json.RawMessage `json:"state"`
	Paths  [][]any                    `json:"buffer_paths"`
}

// readChange reads the data of a message; of other comms it is anything.
func readChange(data json.RawMessage) (c change) {
	if json.Unmarshal(data, &c) != nil {
		return change{}
	}
	return c
}

// open enters a comm. The errors are the limits.
func (m *mirror) open(msg engine.CommMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.comms) >= maxComms {
		return fmt.Errorf("%d comms are open: close those that are not needed, or restart", maxComms)
	}
	m.remove(msg.ID)
	c := &mirrored{id: msg.ID, target: msg.Target, state: map[string]json.RawMessage{}}
	if err := m.apply(c, msg); err != nil {
		return err
	}
	if m.comms == nil {
		m.comms = map[string]*mirrored{}
	}
	m.comms[c.id] = c
	m.order = append(m.order, c)
	return nil
}

// update enters what a message of either side says of the state of a widget.
// known says that the comm is open.
func (m *mirror) update(msg engine.CommMessage) (known bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.comms[msg.ID]
	if c == nil {
		return false, nil
	}
	if c.target != widgetTarget || readChange(msg.Data).Method != "update" {
		return true, nil
	}
	return true, m.apply(c, msg)
}

// apply puts the state of msg over that of c, all of it or, above a limit,
// nothing. The caller holds mu.
func (m *mirror) apply(c *mirrored, msg engine.CommMessage) error {
	if c.target != widgetTarget {
		return nil
	}
	in := readChange(msg.Data)
	if len(in.Paths) != len(msg.Buffers) {
		return fmt.Errorf("comm %s: %d buffers for %d places", c.id, len(msg.Buffers), len(in.Paths))
	}
	for i, path := range in.Paths { // before they are compared: what is no key may not be comparable
		if len(path) == 0 || !isString(path[0]) {
			return fmt.Errorf("comm %s: buffer %d has no place", c.id, i)
		}
	}
	next := &mirrored{state: map[string]json.RawMessage{}}
	fresh := func(key any) bool { // its old value goes
		s, _ := key.(string)
		_, ok := in.State[s]
		return ok || slices.ContainsFunc(in.Paths, func(p []any) bool { return len(p) > 0 && p[0] == key })
	}
	for key, v := range c.state {
		if !fresh(key) {
			next.put(key, v)
		}
	}
	for _, b := range c.buffers {
		if !fresh(b.path[0]) {
			next.place(b)
		}
	}
	for key, v := range in.State {
		next.put(key, v)
	}
	for i, path := range in.Paths {
		next.place(placed{path, msg.Buffers[i]})
	}
	switch total := m.bytes - c.bytes + next.bytes; {
	case next.bytes > maxCommBytes:
		return fmt.Errorf("the state of a widget has %d bytes; %d MB are allowed", next.bytes, maxCommBytes>>20)
	case total > maxCommsBytes:
		return fmt.Errorf("all widgets have %d bytes of state; %d MB are allowed", total, maxCommsBytes>>20)
	default:
		m.bytes = total
	}
	c.state, c.buffers, c.bytes = next.state, next.buffers, next.bytes
	return nil
}

func isString(v any) bool { _, ok := v.(string); return ok }

func (c *mirrored) put(key string, v json.RawMessage) {
	c.state[key] = v
	c.bytes += len(key) + len(v)
}

func (c *mirrored) place(b placed) {
	c.buffers = append(c.buffers, b)
	c.bytes += len(b.bytes)
}

// close takes a comm out and says whether it was there.
func (m *mirror) close(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remove(id)
}

// remove takes a comm out. The caller holds mu.
func (m *mirror) remove(id string) bool {
	c := m.comms[id]
	if c == nil {
		return false
	}
	m.bytes -= c.bytes
	delete(m.comms, id)
	m.order = slices.DeleteFunc(m.order, func(o *mirrored) bool { return o == c })
	return true
}

// orphans marks the comms of a worker that has ended and gives the widgets that
// can be shown as not in use.
func (m *mirror) orphans() (controls []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.order {
		if _, ok := c.state["disabled"]; ok && !c.orphan {
			c.state["disabled"] = json.RawMessage("true")
			controls = append(controls, c.id)
		}
		c.orphan = true
	}
	return controls
}

// of gives the target of an open comm, and whether its worker is gone.
func (m *mirror) of(id string) (target string, orphan, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.comms[id]
	if c == nil {
		return "", false, false
	}
	return c.target, c.orphan, true
}

// targets gives the open comms by id, of one target or of all.
func (m *mirror) targets(only string) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]string{}
	for id, c := range m.comms {
		if only == "" || c.target == only {
			out[id] = c.target
		}
	}
	return out
}

// whole is the state of one widget, with the places of its buffers.
func (m *mirror) whole(id string) (c change, buffers [][]byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.comms[id]
	if w == nil || w.target != widgetTarget {
		return c, nil, false
	}
	c = change{Method: "update", State: w.copied(), Paths: [][]any{}}
	for _, b := range w.buffers {
		c.Paths, buffers = append(c.Paths, b.path), append(buffers, b.bytes)
	}
	return c, buffers, true
}

// all is the state of every widget by its id; the places of buffers begin with
// the id.
func (m *mirror) all() (states map[string]map[string]any, paths [][]any, buffers [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	states, paths = map[string]map[string]any{}, [][]any{}
	for _, w := range m.order {
		if w.target != widgetTarget {
			continue
		}
		states[w.id] = map[string]any{"model_name": w.state["_model_name"], "model_module": w.state["_model_module"],
			"model_module_version": w.state["_model_module_version"], "state": w.copied()}
		for _, b := range w.buffers {
			paths = append(paths, append([]any{w.id}, b.path...))
			buffers = append(buffers, b.bytes)
		}
	}
	return states, paths, buffers
}

// copied is the state as it is now. The caller holds mu.
func (c *mirrored) copied() map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(c.state))
	for k, v := range c.state {
		out[k] = v
	}
	return out
}

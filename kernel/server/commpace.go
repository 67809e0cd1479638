package server

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// commUpdate is what one cell says of one widget: when it was sent last, and
// what has changed since.
type commUpdate struct {
	sent    time.Time
	waiting bool
	next    change
	buffers [][]byte
}

// waits keeps a change of a widget's state back that comes too soon behind the
// last, and says so. Changes that wait become one: of each part the newest
// counts. The caller holds mu.
func (k *sink) waits(m engine.CommMessage) bool {
	in := readChange(m.Data)
	if target, _, _ := k.s.comms.of(m.ID); m.Kind != comm.Data || in.Method != "update" || target != widgetTarget {
		return false
	}
	u := k.comms[m.ID]
	if u == nil {
		u = &commUpdate{}
		if k.comms == nil {
			k.comms = map[string]*commUpdate{}
		}
		k.comms[m.ID] = u
	}
	if !u.waiting && time.Since(u.sent) >= k.s.cfg.Pace {
		u.sent = time.Now()
		return false
	}
	u.join(in, m.Buffers)
	k.arm()
	return true
}

// join puts a later change over those that wait.
func (u *commUpdate) join(in change, buffers [][]byte) {
	if !u.waiting {
		u.waiting, u.next, u.buffers = true, change{Method: "update", State: map[string]json.RawMessage{}, Paths: [][]any{}}, nil
	}
	over := map[any]bool{} // parts with a new value
	for key, v := range in.State {
		over[key] = true
		u.next.State[key] = v
	}
	for _, path := range in.Paths {
		over[path[0]] = true
		if key, ok := path[0].(string); ok && in.State[key] == nil {
			delete(u.next.State, key)
		}
	}
	paths, kept := [][]any{}, [][]byte(nil)
	for i, path := range u.next.Paths {
		if !over[path[0]] {
			paths, kept = append(paths, path), append(kept, u.buffers[i])
		}
	}
	u.next.Paths, u.buffers = append(paths, in.Paths...), append(kept, buffers...)
}

// flushComms sends the changes of widgets that wait. The caller holds mu.
func (k *sink) flushComms() {
	for _, id := range slices.Sorted(maps.Keys(k.comms)) {
		u := k.comms[id]
		if !u.waiting {
			continue
		}
		k.s.publish(k.req, commContent(engine.CommMessage{Kind: comm.Data, ID: id, Data: object(u.next)}), u.buffers...)
		*u = commUpdate{sent: time.Now()}
	}
}

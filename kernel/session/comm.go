package session

import "github.com/gondola-lab/gondola/kernel/engine"

// noComm refuses a message of a comm: no package that cells can import opens
// any, so there is nobody to take it.
func noComm(m *engine.CommMessage) *engine.CellError {
	value := "nothing in this session has opened comm " + m.ID
	if m.Kind == "open" {
		value = "nothing in this session takes comms of target " + m.Target
	}
	return &engine.CellError{Name: engine.NoComm, Value: value, Traceback: []string{engine.NoComm + ": " + value}}
}

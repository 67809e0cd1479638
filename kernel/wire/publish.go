package wire

import "encoding/json"

// Status tells whether the kernel is busy. State is starting, busy or idle.
type Status struct {
	State string `json:"execution_state"`
}

// ExecuteInput shows a cell to every front end.
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// Stream is text of a cell. Name is stdout or stderr.
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Transient is what a front end does not store.
type Transient struct {
	DisplayID string `json:"display_id,omitempty"`
}

// DisplayData is a picture in several formats. With Update it replaces the one
// of the same display id.
type DisplayData struct {
	Data      Object    `json:"data"`
	Metadata  Object    `json:"metadata"`
	Transient Transient `json:"transient"`
	Update    bool      `json:"-"`
}

// ExecuteResult is the value of a cell.
type ExecuteResult struct {
	ExecutionCount int    `json:"execution_count"`
	Data           Object `json:"data"`
	Metadata       Object `json:"metadata"`
}

// ClearOutput takes the output of a cell away: at once, or when more comes.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Error is how a cell failed.
type Error struct {
	Ename     string  `json:"ename"`
	Evalue    string  `json:"evalue"`
	Traceback Strings `json:"traceback"`
}

// CommClose ends a comm.
type CommClose struct {
	CommID string `json:"comm_id"`
	Data   Object `json:"data"`
}

// InputRequest asks the front end that sent a cell for a line, on stdin.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// CommContent is a message of a comm of ours. Kind is open, msg or close; Data
// and Meta are objects, or empty.
type CommContent struct {
	Kind, CommID, Target string
	Data, Meta           json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (c CommContent) MarshalJSON() ([]byte, error) {
	out := Object{"comm_id": c.CommID, "data": orEmpty(c.Data)}
	if c.Kind == "open" {
		out["target_name"] = c.Target
	}
	return Marshal(out)
}

// orEmpty is raw, or {}.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// Type is the message's type.
func (c CommContent) Type() string { return "comm_" + c.Kind }

func (c CommContent) metadata() any { return orEmpty(c.Meta) }

// IOPubWelcome greets a subscription.
type IOPubWelcome struct {
	Subscription string `json:"subscription"`
}

// The types of the publications.
func (Status) Type() string        { return "status" }
func (ExecuteInput) Type() string  { return "execute_input" }
func (Stream) Type() string        { return "stream" }
func (ExecuteResult) Type() string { return "execute_result" }
func (ClearOutput) Type() string   { return "clear_output" }
func (Error) Type() string         { return "error" }
func (CommClose) Type() string     { return "comm_close" }
func (InputRequest) Type() string  { return "input_request" }
func (IOPubWelcome) Type() string  { return "iopub_welcome" }

// Type is update_display_data for an update, else display_data.
func (d DisplayData) Type() string {
	if d.Update {
		return "update_display_data"
	}
	return "display_data"
}

func (s Stream) topic() string { return "stream." + s.Name }

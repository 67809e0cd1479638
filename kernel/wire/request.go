package wire

import "encoding/json"

// ExecuteRequest asks to run a cell.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`        // default false
	StoreHistory    *bool             `json:"store_history"` // default: not silent
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`   // default true
	StopOnError     bool              `json:"stop_on_error"` // default true
}

func (r *ExecuteRequest) defaults() { r.AllowStdin, r.StopOnError = true, true }

// Stores says whether the cell is counted and kept: a silent one never is.
func (r *ExecuteRequest) Stores() bool {
	return !r.Silent && (r.StoreHistory == nil || *r.StoreHistory)
}

// CompleteRequest asks for names at a place. CursorPos counts code points.
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"`
}

// InspectRequest asks what stands at a place. CursorPos counts code points;
// DetailLevel 1 asks for everything.
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// IsCompleteRequest asks whether the code can be run as it is.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// HistoryRequest asks for cells that ran before. Access is range (Session,
// Start, Stop), tail (N) or search (Pattern, N, Unique).
type HistoryRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"` // default tail
	Session int    `json:"session"`          // 0 is the running one, −1 the one before
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"` // default: to the end
	N       *int   `json:"n"`    // default: all
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}

func (r *HistoryRequest) defaults() { r.Access, r.Pattern = "tail", "*" }

// CommInfoRequest asks for the open comms.
type CommInfoRequest struct {
	TargetName string `json:"target_name"` // empty: of every target
}

// CommMessage is comm_open, comm_msg or comm_close of the front end.
type CommMessage struct {
	CommID     string          `json:"comm_id"`
	TargetName string          `json:"target_name"` // of comm_open
	Data       json.RawMessage `json:"data"`
}

// InputReply is the line that a person typed.
type InputReply struct {
	Value string `json:"value"`
}

// ShutdownRequest asks the kernel to end; Restart says that another is about to
// be started.
type ShutdownRequest struct {
	Restart bool `json:"restart"`
}

package wire

import "encoding/json"

// Strings is a list that is [] in JSON, never null.
type Strings []string

// MarshalJSON implements json.Marshaler.
func (s Strings) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("[]"), nil
	}
	return Marshal([]string(s))
}

// Object is a JSON object that is {} when it is nil, never null.
type Object map[string]any

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return Marshal(map[string]any(o))
}

// ErrorReply is the reply to a request that could not be fulfilled.
type ErrorReply struct {
	For       string  `json:"-"`      // the type of the reply
	Status    string  `json:"status"` // "error"
	Ename     string  `json:"ename"`
	Evalue    string  `json:"evalue"`
	Traceback Strings `json:"traceback"`
}

// OKReply says ok and nothing else: interrupt_reply.
type OKReply struct {
	For    string `json:"-"` // the type of the reply
	Status string `json:"status"`
}

// Link is an entry of the help menu.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// LanguageInfo tells a front end how to treat the text of cells.
type LanguageInfo struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	Mimetype       string `json:"mimetype"`
	FileExtension  string `json:"file_extension"`
	PygmentsLexer  string `json:"pygments_lexer"`
	CodemirrorMode string `json:"codemirror_mode"`
}

// KernelInfoReply says who answers.
type KernelInfoReply struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	Debugger              bool         `json:"debugger"`
	HelpLinks             []Link       `json:"help_links"` // not nil
	SupportedFeatures     Strings      `json:"supported_features"`
}

// ExecuteReply ends a cell. Of a cell that failed it has the error's fields.
type ExecuteReply struct {
	Status          string   `json:"status"` // ok or error
	ExecutionCount  int      `json:"execution_count"`
	UserExpressions Object   `json:"user_expressions"` // key → Expressed
	Payload         []Object `json:"payload"`
	*Failure
}

// Failure is what an error adds to a reply.
type Failure struct {
	Ename     string  `json:"ename"`
	Evalue    string  `json:"evalue"`
	Traceback Strings `json:"traceback"`
}

// Expressed is the value of one user expression: Status ok with Data and
// Metadata, or error with a Failure.
type Expressed struct {
	Status   string  `json:"status"`
	Data     *Object `json:"data,omitempty"`
	Metadata *Object `json:"metadata,omitempty"`
	*Failure
}

// CompleteReply replaces the code points CursorStart to CursorEnd by one of
// Matches.
type CompleteReply struct {
	Status      string  `json:"status"`
	Matches     Strings `json:"matches"`
	CursorStart int     `json:"cursor_start"`
	CursorEnd   int     `json:"cursor_end"`
	Metadata    Object  `json:"metadata"`
}

// InspectReply has the description of a name in several formats.
type InspectReply struct {
	Status   string `json:"status"`
	Found    bool   `json:"found"`
	Data     Object `json:"data"`
	Metadata Object `json:"metadata"`
}

// IsCompleteReply has status complete, incomplete (then Indent is what the next
// line begins with), invalid or unknown.
type IsCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent"`
}

// HistoryReply lists cells; see HistoryEntry for the form of one.
type HistoryReply struct {
	Status  string         `json:"status"`
	History []HistoryEntry `json:"history"`
}

// HistoryEntry is one cell: [session, line, in] or [session, line, [in, out]].
type HistoryEntry struct {
	Session, Line int
	In            string
	Out           *string // nil: none was made
	WithOut       bool    // the second form
}

// MarshalJSON implements json.Marshaler.
func (e HistoryEntry) MarshalJSON() ([]byte, error) {
	if e.WithOut {
		return Marshal([]any{e.Session, e.Line, []any{e.In, e.Out}})
	}
	return Marshal([]any{e.Session, e.Line, e.In})
}

// CommInfoReply lists the open comms by their id.
type CommInfoReply struct {
	Status string `json:"status"`
	Comms  Object `json:"comms"`
}

// ShutdownReply is the last word of a kernel.
type ShutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

// The types of the replies.
func (r ErrorReply) Type() string    { return r.For }
func (r OKReply) Type() string       { return r.For }
func (KernelInfoReply) Type() string { return "kernel_info_reply" }
func (ExecuteReply) Type() string    { return "execute_reply" }
func (CompleteReply) Type() string   { return "complete_reply" }
func (InspectReply) Type() string    { return "inspect_reply" }
func (IsCompleteReply) Type() string { return "is_complete_reply" }
func (HistoryReply) Type() string    { return "history_reply" }
func (CommInfoReply) Type() string   { return "comm_info_reply" }
func (ShutdownReply) Type() string   { return "shutdown_reply" }

var _ json.Marshaler = HistoryEntry{}

package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// A frame on the line: 4 bytes length of what follows, 1 type, 8 id, JSON.
// The id is the cell's, or the number of a question (complete, inspect).
type frame struct {
	kind byte
	id   uint64
	body []byte
}

// Types of frames. Down: fd 3, parent to child. Up: fd 4. Capital letters have
// a place in the output, so a mark goes before them into both text pipes.
const (
	downStart    = 's' // startBody, once, first
	downExecute  = 'e' // engine.Cell
	downCancel   = 'c' // no body
	downComplete = 't' // questionBody
	downInspect  = 'i' // questionBody
	downDeclare  = 'd' // declareBody
	downAnswer   = 'a' // answerBody
	downSizes    = 'z' // no body: a question

	upReady      = 'r' // readyBody
	upBegun      = 'b' // no body: the cell runs from here on
	upCompletion = 't' // completionBody
	upInspection = 'i' // inspectionBody
	upSizes      = 'z' // []engine.Size
	upDisplay    = 'D' // displayBody
	upClear      = 'C' // bool: wait
	upResult     = 'V' // display.Bundle
	upInput      = 'I' // inputBody
	upComm       = 'M' // engine.CommMessage
	upLimit      = 'L' // string: a change of a limit
	upOutcome    = 'O' // outcomeBody: the cell is over
)

func (f frame) ordered() bool { return f.kind >= 'A' && f.kind <= 'Z' }

type startBody struct {
	Nonce  string
	Limits Limits
	Shown  []string // display ids of earlier workers
}

type readyBody struct{ Err string }

type questionBody struct {
	Code       string
	At, Detail int
}

type declareBody struct {
	Settings []string
	Cells    []engine.Cell
	Lost     map[string]string
}

// displayBody is engine.Display with the bundle written already.
type displayBody struct {
	Bundle json.RawMessage
	ID     string
	Update bool
}

// outcomeBody is the end of a cell. Result is display.Bundle, or nothing; it
// comes first.
type outcomeBody struct {
	engine.Outcome
	Result json.RawMessage `json:",omitempty"`
}

// inputBody asks the person for a line; answerBody is what came of it. Question
// counts the questions of a worker.
type inputBody struct {
	Question uint64
	Prompt   string
	Secret   bool
}

type answerBody struct {
	Question uint64
	Text     string
	Refused  bool // nobody can be asked
	Err      string
}

type completionBody struct {
	Completion engine.Completion
	Err        string
}

type inspectionBody struct {
	Inspection engine.Inspection
	Err        string
}

const (
	headerBytes = 1 + 8        // behind the length
	maxFrame    = 1 << 30      // bytes
	lineBuffer  = 4 << 10      // bytes: a small frame is one read
	readStep    = 1 << 20      // grown by, so that a length alone allocates nothing
	displayMIME = "text/plain" // what a bundle that cannot be sent falls back to
)

var errFrame = errors.New("broken frame")

// readFrame reads one frame; io.EOF means the other end is gone.
func readFrame(r io.Reader) (frame, error) {
	var head [4 + headerBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return frame{}, fmt.Errorf("%w: cut in its header", errFrame)
		}
		return frame{}, err
	}
	n := int(binary.BigEndian.Uint32(head[:4])) - headerBytes
	if n < 0 || n > maxFrame {
		return frame{}, fmt.Errorf("%w: length %d", errFrame, n)
	}
	f := frame{kind: head[4], id: binary.BigEndian.Uint64(head[5:])}
	for len(f.body) < n {
		at, step := len(f.body), min(n-len(f.body), readStep)
		f.body = append(f.body, make([]byte, step)...)
		if _, err := io.ReadFull(r, f.body[at:]); err != nil {
			return frame{}, fmt.Errorf("%w: %d of %d bytes", errFrame, at, n)
		}
	}
	return f, nil
}

// encode is the frame as bytes.
func (f frame) encode() ([]byte, error) {
	if len(f.body) > maxFrame {
		return nil, fmt.Errorf("%w: %d bytes, %d are allowed", errFrame, len(f.body), maxFrame)
	}
	b := make([]byte, 4+headerBytes, 4+headerBytes+len(f.body))
	binary.BigEndian.PutUint32(b, uint32(headerBytes+len(f.body)))
	b[4] = f.kind
	binary.BigEndian.PutUint64(b[5:], f.id)
	return append(b, f.body...), nil
}

// line is one direction of the process line, shared by many writers.
type line struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes one frame whole.
func (l *line) send(kind byte, id uint64, body any) error {
	b, err := encode(kind, id, body)
	if err != nil {
		return err
	}
	return l.write(b)
}

func (l *line) write(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.w.Write(b)
	return err
}

// encode is a frame with this body as bytes.
func encode(kind byte, id uint64, body any) ([]byte, error) {
	b, err := marshal(body)
	if err != nil {
		return nil, err
	}
	return frame{kind, id, b}.encode()
}

// marshal is JSON without HTML escapes; nil is an empty body.
func marshal(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// unmarshal keeps numbers as they are written: a picture's JSON passes unchanged.
func (f frame) unmarshal(v any) error {
	dec := json.NewDecoder(bytes.NewReader(f.body))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%w of type %q: %v", errFrame, f.kind, err)
	}
	return nil
}

// sendable returns b as JSON, or, where JSON cannot hold it, its texts and a
// line that says why.
func sendable(b display.Bundle) json.RawMessage {
	raw, err := marshal(b)
	if err == nil {
		return raw
	}
	kept := display.Bundle{Data: map[string]any{}, Meta: map[string]any{}}
	for mime, v := range b.Data {
		if s, ok := v.(string); ok {
			kept.Data[mime] = s
		}
	}
	s, _ := kept.Data[displayMIME].(string)
	if s != "" {
		s += "\n"
	}
	kept.Data[displayMIME] = s + "(a format is left out: " + err.Error() + ")"
	raw, _ = marshal(kept) // strings always can
	return raw
}

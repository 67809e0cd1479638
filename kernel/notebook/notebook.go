// Package notebook reads, writes and runs notebooks and Go files over an
// engine, without a server and without a front end.
package notebook

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Notebook is a notebook of format 4. What this package does not know of it is
// kept as it is.
type Notebook struct {
	Cells []*Cell
	root  map[string]any
}

// Cell is one cell. Its other fields, its metadata among them, are kept in raw.
type Cell struct {
	Kind    string // code, markdown or raw
	ID      string
	Source  string
	Count   int   // execution count; 0: none
	Outputs []any // of a code cell, as in the file but with texts joined
	raw     map[string]any
	ran     bool // in the last run
}

// Tags are the cell's tags.
func (c *Cell) Tags() []string {
	meta, _ := c.raw["metadata"].(map[string]any)
	list, _ := meta["tags"].([]any)
	var tags []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// ErrFormat is the cause of every error of [Read].
var ErrFormat = errors.New("not a notebook")

func formatError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// Read reads a notebook of format 4 and makes the ids that format 4.5 wants.
func Read(data []byte) (*Notebook, error) {
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := version(root); err != nil {
		return nil, err
	}
	list, ok := root["cells"].([]any)
	if !ok {
		return nil, formatError("it has no list of cells")
	}
	nb := &Notebook{root: root}
	used := map[string]bool{}
	for i, v := range list {
		c, err := readCell(v)
		if err != nil {
			return nil, formatError("cell %d: %v", i+1, err)
		}
		if used[c.ID] && c.ID != "" {
			return nil, formatError("cell %d: its id %q is another cell's too", i+1, c.ID)
		}
		used[c.ID] = true
		nb.Cells = append(nb.Cells, c)
	}
	for i, c := range nb.Cells {
		for n := 0; c.ID == ""; n++ {
			if id := makeID(i, n, c.Source); !used[id] {
				c.ID, used[id] = id, true
			}
		}
	}
	return nb, nil
}

// parse reads one JSON object, numbers kept as they are written.
func parse(data []byte) (map[string]any, error) {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return nil, formatError("byte %d is not UTF-8", i)
		}
		i += n
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var root map[string]any
	err := dec.Decode(&root)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF {
			err = nil
		} else {
			return nil, formatError("there is more behind the end of the JSON, in line %d", lineAt(data, dec.InputOffset()))
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, formatError("broken JSON in line %d: %v", lineAt(data, syntax.Offset), err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, formatError("the JSON ends early, in line %d", lineAt(data, int64(len(data))))
	case err != nil:
		return nil, formatError("the JSON is no object")
	case root == nil:
		return nil, formatError("the JSON is null")
	}
	return root, nil
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

func version(root map[string]any) error {
	n, ok := root["nbformat"].(json.Number)
	if !ok {
		return formatError("it has no number nbformat")
	}
	minor, _ := root["nbformat_minor"].(json.Number)
	major, err := n.Int64()
	switch {
	case err == nil && major > 4:
		return formatError("it has format %s, newer than 4, which is the one known here", n)
	case n != "4":
		return formatError("it has format %s; open it in JupyterLab and save it, which makes it format 4", n)
	case minor == "":
		return formatError("it has no number nbformat_minor")
	}
	if m, err := minor.Int64(); err != nil || m < 5 {
		root["nbformat_minor"] = json.Number("5")
	}
	return nil
}

func readCell(v any) (*Cell, error) {
	raw, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	c := &Cell{raw: raw}
	if c.Kind, ok = raw["cell_type"].(string); !ok {
		return nil, errors.New("it has no cell_type")
	}
	if c.Source, ok = join(raw["source"]); !ok {
		return nil, errors.New("its source is neither a text nor a list of texts")
	}
	if id, there := raw["id"]; there {
		if c.ID, ok = id.(string); !ok || c.ID == "" {
			return nil, errors.New("its id is no text")
		}
	}
	if meta, there := raw["metadata"]; !there {
		raw["metadata"] = map[string]any{}
	} else if m, ok := meta.(map[string]any); !ok {
		return nil, errors.New("its metadata is no object")
	} else {
		delete(m, "trusted") // a mark of the front end, never in a file
	}
	joinBundles(raw["attachments"])
	if c.Kind != "code" {
		return c, nil
	}
	if n, ok := raw["execution_count"].(json.Number); ok {
		i, _ := n.Int64()
		c.Count = int(i)
	}
	if outs, there := raw["outputs"]; there {
		if c.Outputs, ok = outs.([]any); !ok {
			return nil, errors.New("its outputs are no list")
		}
	}
	for i, o := range c.Outputs {
		m, ok := o.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("output %d is no object", i+1)
		}
		if m["output_type"] == "stream" {
			if m["text"], ok = join(m["text"]); !ok {
				return nil, fmt.Errorf("output %d: its text is neither a text nor a list of texts", i+1)
			}
		}
		joinBundle(m["data"])
	}
	return c, nil
}

// join gives a text that may be a list of its lines; nothing is an empty text.
func join(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// joinBundle joins the texts of a MIME bundle; JSON types stay as they are.
func joinBundle(v any) {
	data, _ := v.(map[string]any)
	for mime, v := range data {
		if _, isList := v.([]any); isList && !jsonMIME(mime) {
			if s, ok := join(v); ok {
				data[mime] = s
			}
		}
	}
}

func joinBundles(v any) {
	all, _ := v.(map[string]any)
	for _, b := range all {
		joinBundle(b)
	}
}

func jsonMIME(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

// makeID gives the id of a cell that has none: the same for the same notebook.
func makeID(index, try int, source string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", index, try, source))
	return hex.EncodeToString(sum[:4])
}

// Language is the language that the notebook says it is in, or "".
func (nb *Notebook) Language() string {
	meta, _ := nb.root["metadata"].(map[string]any)
	for _, key := range []struct{ object, field string }{{"language_info", "name"}, {"kernelspec", "language"}} {
		m, _ := meta[key.object].(map[string]any)
		if s, _ := m[key.field].(string); s != "" {
			return s
		}
	}
	return ""
}

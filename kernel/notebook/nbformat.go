package notebook

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bytes is the notebook as the file that nbformat would write: keys sorted,
// indent 1, UTF-8, texts as lists of lines, a newline at the end. A file of that
// form is read and written without a changed byte.
func (nb *Notebook) Bytes() []byte {
	root := maps.Clone(nb.root)
	if meta, ok := root["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		for _, transient := range []string{"orig_nbformat", "orig_nbformat_minor", "signature"} {
			delete(meta, transient)
		}
		root["metadata"] = meta
	} else {
		root["metadata"] = map[string]any{}
	}
	cells := make([]any, len(nb.Cells))
	for i, c := range nb.Cells {
		cells[i] = c.form()
	}
	root["cells"] = cells
	var b strings.Builder
	write(&b, root, "\n")
	b.WriteByte('\n')
	return []byte(b.String())
}

// form is the cell as its file has it.
func (c *Cell) form() map[string]any {
	raw := maps.Clone(c.raw)
	raw["id"] = c.ID
	raw["source"] = lines(c.Source)
	if all, ok := raw["attachments"].(map[string]any); ok {
		split := map[string]any{}
		for name, b := range all {
			split[name] = splitBundle(b)
		}
		raw["attachments"] = split
	}
	if c.Kind != "code" {
		return raw
	}
	raw["execution_count"] = nil
	if c.Count > 0 {
		raw["execution_count"] = json.Number(fmt.Sprint(c.Count))
	}
	outs := make([]any, len(c.Outputs))
	for i, o := range c.Outputs {
		m, _ := o.(map[string]any)
		m = maps.Clone(m)
		switch m["output_type"] {
		case "stream":
			if s, ok := m["text"].(string); ok {
				m["text"] = lines(s)
			}
		case "display_data", "execute_result":
			m["data"] = splitBundle(m["data"])
		}
		outs[i] = m
	}
	raw["outputs"] = outs
	return raw
}

func splitBundle(v any) any {
	data, ok := v.(map[string]any)
	if !ok {
		return v
	}
	split := maps.Clone(data)
	for mime, v := range split {
		text := strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml"
		if s, ok := v.(string); ok && text {
			split[mime] = lines(s)
		}
	}
	return split
}

// lines cuts a text behind each line end, where Python's splitlines does.
func lines(s string) []any {
	list := []any{}
	from := 0
	for i, end := 0, 0; i < len(s); i = end {
		r, n := utf8.DecodeRuneInString(s[i:])
		end = i + n
		switch r {
		case '\r':
			if strings.HasPrefix(s[end:], "\n") {
				continue // the newline ends the line
			}
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		default:
			continue
		}
		list = append(list, s[from:end])
		from = end
	}
	if from < len(s) {
		list = append(list, s[from:])
	}
	return list
}

// write writes JSON as Python's json.dumps(indent=1, sort_keys=True,
// ensure_ascii=False) does. nl is the newline with the indent of v.
func write(b *strings.Builder, v any, nl string) {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprint(b, v)
	case string:
		quote(b, v)
	case json.Number:
		b.WriteString(string(v))
	case []any:
		if len(v) == 0 {
			b.WriteString("[]")
			return
		}
		for i, e := range v {
			b.WriteString(opening(i, "["))
			b.WriteString(nl + " ")
			write(b, e, nl+" ")
		}
		b.WriteString(nl + "]")
	case map[string]any:
		if len(v) == 0 {
			b.WriteString("{}")
			return
		}
		for i, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(opening(i, "{"))
			b.WriteString(nl + " ")
			quote(b, k)
			b.WriteString(": ")
			write(b, v[k], nl+" ")
		}
		b.WriteString(nl + "}")
	default: // from an engine: bring it into the forms above
		write(b, plainJSON(v), nl)
	}
}

func opening(i int, bracket string) string {
	if i == 0 {
		return bracket
	}
	return ","
}

// plainJSON turns any value that JSON can hold into maps, lists and numbers; one
// that it cannot hold becomes the words of the error.
func plainJSON(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return err.Error()
	}
	return out
}

func quote(b *strings.Builder, s string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}
	b.WriteByte('"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b.WriteString(strings.ToValidUTF8(s[from:i], "\ufffd"))
		if e, ok := short[rune(c)]; ok {
			b.WriteString(e)
		} else {
			fmt.Fprintf(b, `\u%04x`, c)
		}
		from = i + 1
	}
	b.WriteString(strings.ToValidUTF8(s[from:], "\ufffd"))
	b.WriteByte('"')
}

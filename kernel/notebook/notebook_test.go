package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// full.ipynb was written by nbformat 5.11: every kind of cell and output, each
// line end that Python knows, unknown metadata. Reading and writing it changes
// no byte, and neither does writing it from one line of JSON.
func TestBytesOfNbformat(t *testing.T) {
	want, err := os.ReadFile("testdata/full.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Read(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := nb.Bytes(); !bytes.Equal(got, want) {
		t.Errorf("changed bytes:\n%s", got)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, want); err != nil {
		t.Fatal(err)
	}
	if nb, err = Read(compact.Bytes()); err != nil {
		t.Fatal(err)
	}
	if got := nb.Bytes(); !bytes.Equal(got, want) {
		t.Errorf("from one line:\n%s", got)
	}
	if nb.Language() != "go" || len(nb.Cells) != 4 || strings.Join(nb.Cells[1].Tags(), " ") != "a b" {
		t.Errorf("read: language %q, %d cells, tags %v", nb.Language(), len(nb.Cells), nb.Cells[1].Tags())
	}
}

const head = `{"nbformat": 4, "nbformat_minor": 4, "metadata": {"signature": "s"}, "cells": [`

// A format before 4.5 gets ids, the same each time; texts become lists.
func TestUpgrade(t *testing.T) {
	src := head + `{"cell_type": "code", "source": "x\ny", "outputs": [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]}], "metadata": {"trusted": true}},
		{"cell_type": "code", "source": "x\ny", "execution_count": null}]}`
	nb, err := Read([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	got := string(nb.Bytes())
	for _, want := range []string{`"nbformat_minor": 5`, `"x\n",` + "\n" + `    "y"`, `"execution_count": null`,
		`"outputs": []`, `"metadata": {}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, never := range []string{"trusted", "signature"} {
		if strings.Contains(got, never) {
			t.Errorf("%s is kept", never)
		}
	}
	again, _ := Read([]byte(src))
	if a, b := nb.Cells[0].ID, nb.Cells[1].ID; a == b || len(a) != 8 || again.Cells[0].ID != a {
		t.Errorf("ids %s and %s, again %s", a, b, again.Cells[0].ID)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "ends early, in line 1"},
		{"{\n\"cells\": [\n", "ends early, in line 3"},
		{"{\n\"cells\": [}\n", "broken JSON in line 2"},
		{"[]", "no object"}, {"null", "null"}, {"hello", "broken JSON in line 1"},
		{"{} {}", "more behind the end"},
		{`{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}`, "format 3; open it in JupyterLab"},
		{`{"nbformat": 5, "nbformat_minor": 0, "cells": []}`, "format 5"},
		{`{"cells": []}`, "no number nbformat"},
		{`{"nbformat": 4, "nbformat_minor": 5}`, "no list of cells"},
		{"{\"a\": \"\xff\"}", "byte 7 is not UTF-8"},
		{head + `1]}`, "cell 1: it is no object"},
		{head + `{"source": ""}]}`, "cell 1: it has no cell_type"},
		{head + `{"cell_type": "code", "source": [1]}]}`, "cell 1: its source is neither"},
		{head + `{"cell_type": "code", "id": 7}]}`, "cell 1: its id is no text"},
		{head + `{"cell_type": "code", "id": "a"}, {"cell_type": "raw", "id": "a"}]}`, `cell 2: its id "a" is another`},
		{head + `{"cell_type": "code", "outputs": {}}]}`, "cell 1: its outputs are no list"},
		{head + `{"cell_type": "code", "outputs": [7]}]}`, "cell 1: output 1 is no object"},
		{head + `{"cell_type": "code", "metadata": []}]}`, "cell 1: its metadata is no object"},
		{head + `{"cell_type": "code", "outputs": [{"output_type": "stream", "text": 3}]}]}`, "cell 1: output 1: its text"},
	} {
		_, err := Read([]byte(tt.in))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60q: %v, want %q", tt.in, err, tt.want)
		}
	}
}

// FuzzNotebook: what is read can be written, read and written again, with the
// same bytes, and shown as a page.
func FuzzNotebook(f *testing.F) {
	full, err := os.ReadFile("testdata/full.ipynb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(head + `{"cell_type":"code","outputs":[{"output_type":"display_data","data":{"text/plain":["a\r","\nb"]}}]}]}`))
	f.Add([]byte(head + `{"cell_type":"markdown","source":"# a\n- b\n  c\n> d\n` + "```" +
		`\n|x|y|\n|-|-|\n"}],"z":1e400}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		nb, err := Read(data)
		if err != nil {
			return
		}
		once := nb.Bytes()
		nb, err = Read(once)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, once)
		}
		if twice := nb.Bytes(); !bytes.Equal(once, twice) {
			t.Fatalf("first\n%s\nthen\n%s", once, twice)
		}
		nb.HTML("t")
	})
}

func TestHTML(t *testing.T) {
	full, err := os.ReadFile("testdata/full.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	nb, err := Read(full)
	if err != nil {
		t.Fatal(err)
	}
	nb.Cells[0].Source += "\n\nA [link](https://example.org/x), `<code>`, **bold**, ![p](attachment:a.png), ![q](https://example.org/q.png)\n\n" +
		"- one\n- two\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx < y\n```\n\n<script>alert(1)</script>"
	nb.Cells = append(nb.Cells, &Cell{Kind: "code", Source: "get(\"https://example.org\")", Outputs: []any{map[string]any{
		"output_type": "display_data", "data": map[string]any{"text/html": "<img src=https://example.org/a.png><b>q</b>"}}}})
	page := string(nb.HTML("a & b"))
	for _, want := range []string{"<title>a &amp; b</title>", "<h1>Title</h1>", "link (example.org/x)",
		"<code>&lt;code&gt;</code>", "<strong>bold</strong>",
		`<img src="data:image/png;base64,aGVsbG8="`, "[picture: q]", "<li>one</li>", "<blockquote>", "<th>a</th>",
		"<td>2</td>", "x &lt; y",
		"&lt;script&gt;", "[1]", "<b>\n1</b>", "Panic\nl2",
		"get(&#34;https:&#47;&#47;example.org&#34;)", "<img><b>q</b>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, never := range []string{"http:", "://", "//example", "<script", "\x1b", "<link"} {
		if strings.Contains(page, never) {
			t.Errorf("%q in the page", never)
		}
	}
}

// The format that a page shows is the richest that needs no script.
func TestRich(t *testing.T) {
	for _, tt := range []struct {
		data map[string]any
		want string
	}{
		{map[string]any{"text/plain": "a<b"}, "<pre>a&lt;b</pre>"},
		{map[string]any{"text/plain": "p", "image/png": "QUJD"}, `<img src="data:image/png;base64,QUJD" alt="p">`},
		{map[string]any{"text/plain": "p", "image/svg+xml": "<svg/>"},
			`<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="p">`},
		{map[string]any{"text/plain": "p", "text/html": "<i>x</i>"}, "<i>x</i>"},
		{map[string]any{"text/plain": "p", "text/markdown": "*x*"}, "<p><em>x</em></p>\n"},
		{map[string]any{"application/json": 7}, "<pre>7</pre>"},
		{map[string]any{}, ""},
	} {
		if got := rich(tt.data); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.data, got, tt.want)
		}
	}
}

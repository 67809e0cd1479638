package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A verdict says what became of a file in one mode.
type verdict struct {
	mode string
	kind string // right, refused, wrong or left
	why  string // of the others
}

type result struct {
	file     *file
	verdicts []verdict
}

// all judges the files, some at a time, and tells of what is not right. What an
// earlier call has judged stands, and none is begun when the time is over.
func (c *config) all(files []*file, kept *kept, begun time.Time) []result {
	out := make([]result, len(files))
	var wait sync.WaitGroup
	var tell sync.Mutex
	next := make(chan int)
	for range c.jobs {
		wait.Go(func() {
			for i := range next {
				out[i] = result{files[i], c.judge(files[i])}
				tell.Lock()
				kept.note(out[i])
				for _, v := range out[i].verdicts {
					if c.verbose || v.kind == "wrong" || v.kind == "refused" {
						fmt.Printf("%-8s %-8s %s  %s\n", v.kind, v.mode, files[i].name, v.why)
					}
				}
				tell.Unlock()
			}
		})
	}
	for i, f := range files {
		if v, ok := kept.of(f); ok {
			out[i] = result{f, v}
		} else if c.length == 0 || time.Since(begun) < c.length {
			next <- i
		}
	}
	close(next)
	wait.Wait()
	return out
}

// judge takes one file through the modes.
func (c *config) judge(f *file) (all []verdict) {
	if f.kind == "errorcheck" {
		kind, why := c.refused(f)
		return []verdict{{"errors", kind, why}}
	}
	ref, err := c.plain(f)
	for _, m := range c.modes {
		v := verdict{mode: m}
		switch {
		case m == "errors":
			continue
		case err != nil:
			v.kind, v.why = "wrong", err.Error()
		case ref.Refused != "":
			v.kind, v.why = "left", ref.Refused
		case leftOut(f, m) != "":
			v.kind, v.why = "left", leftOut(f, m)
		default:
			v.kind, v.why = c.compare(f, m, ref)
		}
		all = append(all, v)
	}
	return all
}

// compare runs a file in a mode and holds what it prints against the reference.
func (c *config) compare(f *file, mode string, ref *reference) (kind, why string) {
	if mode == "program" {
		got, err := c.command(c.root, c.environment(), c.gondola, "run", f.name)
		if err != nil {
			return "wrong", err.Error()
		}
		if got.Code != ref.Code && refusal.MatchString(got.Err) {
			return "refused", lineOf(got.Err)
		}
		return differs(f, got, ref)
	}
	cells := []string{f.text}
	if mode != "cell" {
		parts, again, err := cut(f)
		if err != nil {
			return "left", "cannot be cut: " + lineOf(err.Error())
		}
		if cells = parts; mode == "again" {
			if again == "" {
				return "left", "has no function to give again"
			}
			cells = slices.Insert(slices.Clone(parts), len(parts)-1, again)
		}
	}
	nb, err := c.notebook(f, mode, cells)
	if err != nil {
		return "wrong", err.Error()
	}
	if nb.refused != "" {
		return "refused", nb.refused
	}
	return differs(f, &nb.answer, ref)
}

// refusal are the words by which gondola refuses what it does not run.
var refusal = regexp.MustCompile(`is not interpreted|\(gondola doctor\)|needs native code|is not built in|not supported in|is not possible in a cell|at most \d+ are allowed`)

// differs tells the first difference between two answers.
func differs(f *file, got *answer, ref *reference) (kind, why string) {
	switch {
	case got.Late:
		return "wrong", "is not over in time"
	case got.Out != ref.Out:
		return "wrong", fmt.Sprintf("stdout: %s%s", diff(got.Out, ref.Out), behind(got.Err))
	case got.Code != ref.Code:
		return "wrong", fmt.Sprintf("ends with %d: %s", got.Code, lineOf(got.Err))
	case got.Err != ref.Err:
		return "wrong", "stderr: " + diff(got.Err, ref.Err)
	}
	return "right", ""
}

func behind(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "; stderr: " + short(lineOf(text))
}

func diff(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "its end", "its end"
		if i < len(a) {
			x = fmt.Sprintf("%q", a[i])
		}
		if i < len(b) {
			y = fmt.Sprintf("%q", b[i])
		}
		if x != y {
			return fmt.Sprintf("line %d is %s, want %s", i+1, short(x), short(y))
		}
	}
	return "no difference"
}

func short(text string) string {
	if len(text) > 160 {
		return text[:160] + "…"
	}
	return text
}

// notebookAnswer is what the cells of a notebook printed.
type notebookAnswer struct {
	answer
	refused string
	errors  []string // tracebacks, without colours
	exited  bool     // by a call of os.Exit, which ends no notebook
}

type (
	notebookFile struct {
		Cells    []notebookCell `json:"cells"`
		Metadata map[string]any `json:"metadata"`
		Format   int            `json:"nbformat"`
		Minor    int            `json:"nbformat_minor"`
	}
	notebookCell struct {
		Kind     string           `json:"cell_type"`
		ID       string           `json:"id"`
		Metadata map[string]any   `json:"metadata"`
		Source   any              `json:"source"`
		Count    *int             `json:"execution_count"`
		Outputs  []notebookOutput `json:"outputs"`
	}
	notebookOutput struct {
		Kind      string   `json:"output_type"`
		Name      string   `json:"name,omitempty"`
		Text      any      `json:"text,omitempty"`
		Error     string   `json:"ename,omitempty"`
		Value     string   `json:"evalue,omitempty"`
		Traceback []string `json:"traceback,omitempty"`
	}
)

// notebook runs cells from the folder of the tests.
func (c *config) notebook(f *file, mode string, cells []string) (*notebookAnswer, error) {
	nb := notebookFile{Metadata: map[string]any{}, Format: 4, Minor: 5}
	for i, text := range cells {
		nb.Cells = append(nb.Cells, notebookCell{Kind: "code", ID: fmt.Sprintf("c%d", i), Metadata: map[string]any{},
			Source: text, Outputs: []notebookOutput{}})
	}
	b, err := json.Marshal(nb)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gotests-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	if err := os.WriteFile(in, b, 0o600); err != nil {
		return nil, err
	}
	if mode != "errors" { // to look at
		keep := filepath.Join(c.work, mode, strings.ReplaceAll(f.name, "/", "_")+".ipynb")
		if os.MkdirAll(filepath.Dir(keep), 0o755) == nil {
			_ = os.WriteFile(keep, b, 0o644) // nothing depends on it
		}
	}
	got, err := c.command(c.root, c.environment(), c.gondola, "run", "--cwd", c.root, "-o", out, in)
	if err != nil {
		return nil, err
	}
	done, err := os.ReadFile(out)
	a := &notebookAnswer{answer: answer{Late: got.Late, Code: got.Code}}
	if err != nil {
		a.Err = got.Err
		return a, nil
	}
	nb = notebookFile{}
	if err := json.Unmarshal(done, &nb); err != nil {
		return nil, err
	}
	for _, cell := range nb.Cells {
		for _, o := range cell.Outputs {
			a.take(o)
		}
	}
	if got.Code != 0 && len(a.errors) == 0 && !a.exited {
		a.Err += got.Err
	}
	return a, nil
}

var exitCall = regexp.MustCompile(`^os\.Exit\((\d+)\)`)

func (a *notebookAnswer) take(o notebookOutput) {
	text := joined(o.Text)
	switch {
	case o.Kind == "stream" && o.Name == "stdout":
		a.Out += text
	case o.Kind == "stream":
		a.Err += text
	case o.Kind == "error":
		if m := exitCall.FindStringSubmatch(o.Value); o.Error == "Exit" && m != nil {
			a.Code, a.exited = 0, true
			fmt.Sscan(m[1], &a.Code)
			return
		}
		trace := colour.ReplaceAllString(strings.Join(o.Traceback, "\n"), "")
		a.errors = append(a.errors, trace)
		a.Err += o.Error + ": " + trace
		if o.Error == "Unsupported" || o.Error == "NotBuilt" || refusal.MatchString(lineOf(trace)) {
			a.refused = lineOf(trace)
		}
	}
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// joined is the text of a field that is a string or a list of lines.
func joined(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, s := range v {
			fmt.Fprint(&b, s)
		}
		return b.String()
	}
	return ""
}

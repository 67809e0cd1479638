package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

var cut = regexp.MustCompile(`^//[ \t]*%%(.*)$`)

// Source is a Go file: a program, or cells.
type Source struct {
	Program string    // the text, if it is a program
	Cells   *Notebook // if its cells are cut by lines "// %%"
	lines   []int     // of each cell: the line of the file before its first
}

// ReadSource reads a Go file. One with lines "// %%" is cells, as Jupytext
// writes them ("// %% [markdown]" begins a cell of text in comments); else it
// must be a package main.
func ReadSource(data []byte) (*Source, error) {
	text := strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	if !slices.ContainsFunc(lines, cut.MatchString) {
		return program(text)
	}
	src := &Source{Cells: &Notebook{root: goRoot()}}
	kind, from := "code", 0
	for i, line := range append(lines, "// %%") {
		m := cut.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		src.add(kind, lines[from:min(i, len(lines))], from)
		kind, from = "code", i+1
		if strings.Contains(m[1], "[markdown]") || strings.Contains(m[1], "[md]") {
			kind = "markdown"
		}
	}
	return src, nil
}

// add makes a cell of lines that stand behind line number before of the file.
func (s *Source) add(kind string, lines []string, before int) {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines, before = lines[1:], before+1
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
	if text == "" {
		return
	}
	c := newCell(kind, len(s.Cells.Cells))
	if c.Source = text; kind == "markdown" {
		c.Source = uncomment(text)
	}
	s.Cells.Cells = append(s.Cells.Cells, c)
	s.lines = append(s.lines, before)
}

// goRoot is all but the cells of a new notebook in Go.
func goRoot() map[string]any {
	return map[string]any{"nbformat": json.Number("4"), "nbformat_minor": json.Number("5"), "metadata": map[string]any{
		"kernelspec":    map[string]any{"display_name": "Go (Gondola)", "language": "go", "name": "gondola"},
		"language_info": map[string]any{"file_extension": ".go", "mimetype": "text/x-go", "name": "go"},
	}}
}

func newCell(kind string, index int) *Cell {
	return &Cell{Kind: kind, ID: makeID(index, 0, ""),
		raw: map[string]any{"cell_type": kind, "metadata": map[string]any{}}}
}

func uncomment(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, "//"), " ")
	}
	return strings.Join(lines, "\n")
}

// program takes any text whose package is main; what is wrong with the rest is
// for the engine to say.
func program(text string) (*Source, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly)
	if err != nil {
		return nil, fmt.Errorf("neither a program nor cells cut by lines // %%%%: %w", err)
	}
	if f.Name.Name != "main" {
		return nil, fmt.Errorf("it is package %s; only package main runs, or cells cut by lines // %%%%", f.Name.Name)
	}
	return &Source{Program: text}, nil
}

// Line is the line of the file that line of the cell with this index is.
func (s *Source) Line(cell, line int) int {
	if cell < 0 || cell >= len(s.lines) {
		return line
	}
	return s.lines[cell] + line
}

// Printer is a sink that prints: texts unchanged, results and displays as text.
type Printer struct {
	Stdout, Stderr io.Writer
	mu             sync.Mutex
	err            error
}

var _ engine.Sink = (*Printer)(nil)

func (p *Printer) write(w io.Writer, s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(w, s); err != nil && p.err == nil {
		p.err = err
	}
}

// Err is the first error of writing.
func (p *Printer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Stream implements engine.Sink.
func (p *Printer) Stream(stderr bool, text string) {
	w := p.Stdout
	if stderr {
		w = p.Stderr
	}
	p.write(w, text)
}

// Display implements engine.Sink.
func (p *Printer) Display(d engine.Display) { p.Result(d.Bundle) }

// Clear implements engine.Sink; what is printed stays.
func (p *Printer) Clear(bool) {}

// Result implements engine.Sink.
func (p *Printer) Result(b display.Bundle) {
	if s, ok := b.Data["text/plain"].(string); ok {
		p.write(p.Stdout, strings.TrimSuffix(s, "\n")+"\n")
	}
}

// RunProgram runs a program as the one cell that it is. The places of its error
// name the file. exit is the status that the program asked for: what it gave to
// os.Exit, 2 for a panic or a deadlock, as the Go runtime has it, else 0.
func RunProgram(
	ctx context.Context, e engine.Engine, name, text string, p *Printer,
) (failed *engine.CellError, exit int) {
	out := Execute(ctx, e, engine.Cell{ID: 1, Number: 1, Code: text, Program: true}, p)
	if out.Err == nil {
		return nil, 0
	}
	fail := &engine.CellError{Name: out.Err.Name, Value: inFile(name, out.Err.Value)}
	for _, line := range Plain(out.Err.Traceback) {
		fail.Traceback = append(fail.Traceback, inFile(name, line))
	}
	switch fail.Name {
	case "Exit":
		if n, _ := fmt.Sscanf(out.Err.Value, "os.Exit(%d)", &exit); n == 1 {
			if exit == 0 {
				return nil, 0
			}
			return fail, exit
		}
	case "Panic", "RuntimeError", "StackOverflow", "Deadlock":
		return fail, 2
	}
	// the name of a panic with an error is that of its type
	if len(fail.Traceback) > 0 && strings.HasPrefix(fail.Traceback[0], "panic: ") {
		return fail, 2
	}
	return fail, 1
}

var cellOne = regexp.MustCompile(`cell ?\[1\]:`)

func inFile(name, s string) string { return cellOne.ReplaceAllString(s, name+":") }

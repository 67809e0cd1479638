package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/server"
	"github.com/gondola-lab/gondola/kernel/session"
	"github.com/gondola-lab/gondola/kernel/wire"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// repl is one session of the prompt.
type repl struct {
	engine         engine.Engine
	history        *server.History
	show           *shower
	stdout, stderr io.Writer
	number         int    // of the last cell
	next           string // text that a cell wants as the next one
}

// runRepl is gondola repl: cells at a prompt, or, where the input is no
// terminal, all of it without one.
func runRepl(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := newFlags("repl", "[flags]", stdout, stderr)
	policy := f.String("engine", "auto", "where cells run: auto, interpret or native")
	memory := f.String("mem-limit", "", "`SIZE` that the cells may use, as 4G (default 80 % of what there is)")
	if _, code := f.parse(args, 0); code >= 0 {
		return code
	}
	if _, err := session.ParsePolicy(*policy); err != nil {
		return f.wrong("--engine: %w", err)
	}
	limit, err := memorySize(*memory)
	if err != nil {
		return f.wrong("--mem-limit: %w", err)
	}
	r := &repl{stdout: stdout, stderr: stderr, show: newShower(stdout, stderr)}
	r.engine = worker.NewParent(worker.Config{Limits: worker.Limits{Engine: *policy, Memory: limit}})
	defer r.engine.Close()
	if isTerminal(stdin) && isTerminal(stdout) {
		return r.prompt()
	}
	return r.all(stdin)
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}

// run runs one cell and says whether it went well. ctx asks it to stop.
func (r *repl) run(ctx context.Context, code string) engine.Outcome {
	r.number++
	r.show.cell(r.number)
	c := engine.Cell{ID: uint64(r.number), Number: r.number, Code: code}
	out := notebook.Execute(ctx, r.engine, c, r.show)
	r.show.settle()
	if out.Err != nil {
		trace := out.Err.Traceback
		if len(trace) == 0 {
			trace = []string{out.Err.Error()}
		}
		if !r.show.colours {
			trace = notebook.Plain(trace)
		}
		for _, line := range trace {
			fmt.Fprintln(r.stderr, line)
		}
	}
	for _, a := range out.Actions {
		switch a.Kind {
		case "page":
			fmt.Fprintln(r.stdout, strings.TrimRight(a.Text, "\n"))
		case "set_next_input":
			r.next = a.Text
		}
	}
	if r.history != nil {
		r.history.Add(r.number, code, r.show.result)
	}
	return out
}

// all runs what the input holds: cells cut by lines "// %%", else the whole
// text, cut behind expressions whose value no cell could show otherwise. It
// ends at the first cell that fails.
func (r *repl) all(stdin io.Reader) int {
	data, err := readFile("-", stdin)
	if err != nil {
		return fail(r.stderr, "repl", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
				if cancel(notebook.ErrInterrupted); n > 0 {
					r.engine.Interrupt()
				}
			case <-over:
				return
			}
		}
	}()
	for _, code := range inputCells(string(data)) {
		out := r.run(ctx, code)
		switch {
		case ctx.Err() != nil:
			return exitInterrupted
		case out.Err != nil && out.Err.Name == "WorkerLost":
			return exitLost
		case out.Err != nil:
			return exitFailed
		}
	}
	return exitOK
}

// inputCells cuts the text of an input into cells. Each keeps its lines, so
// that places are those of the text.
func inputCells(text string) (cells []string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if src, err := notebook.ReadSource([]byte(text)); err == nil && src.Cells != nil {
		for i, c := range src.Cells.Cells {
			if c.Kind == "code" {
				cells = append(cells, strings.Repeat("\n", src.Line(i, 0))+c.Source)
			}
		}
		return cells
	}
	code, list := cell.Directives(text)
	if len(list) > 0 && list[0].Whole {
		return []string{text}
	}
	from := 0
	add := func(to int) {
		if strings.TrimSpace(text[from:to]) != "" {
			cells = append(cells, strings.Repeat("\n", strings.Count(text[:from], "\n"))+text[from:to])
		}
		from = to
	}
	for _, p := range cell.Split(code) {
		if p.Kind != cell.Stmts || !onlyValue(p.Text) {
			continue
		}
		end := p.End()
		if p.Semicolon {
			end += strings.IndexByte(text[end:], ';') + 1
		}
		add(end)
	}
	add(len(text))
	return cells
}

// onlyValue tells whether a statement is an expression that has a value and
// does nothing: Go refuses it but as the last line of a cell.
func onlyValue(text string) bool {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW
	}
	return true
}

// replHistory is the history that the prompt shares with the kernels.
func replHistory(log io.Writer) *server.History {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	now := func() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000Z") }
	return kernelHistory(&wire.Session{ID: hex.EncodeToString(id), Now: now}, kernelLog(log))
}

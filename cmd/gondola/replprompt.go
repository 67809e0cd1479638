package main

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/peterh/liner"

	"github.com/gondola-lab/gondola/kernel/cell"
)

const (
	oneIndent    = "    "          // liner draws a tab as one column
	historyLines = 1000            // of earlier sessions that the arrow keys reach
	tabWait      = 2 * time.Second // for the names of a completion
)

// leaving is what people type at other prompts to end them.
var leaving = []string{"exit", "quit", "exit()", "quit()", ":q", "os.Exit(0)"}

// editor is the part of the line editor that the prompt uses.
type editor struct {
	*liner.State
	before string // the lines of the cell above the one that is edited
}

// prompt reads and runs cells until the input ends.
func (r *repl) prompt() int {
	r.history = replHistory(r.stderr)
	ed := &editor{State: liner.NewLiner()}
	defer ed.Close()
	ed.SetCtrlCAborts(true)
	ed.SetMultiLineMode(true)
	ed.SetTabCompletionStyle(liner.TabPrints)
	ed.SetWordCompleter(func(line string, pos int) (string, []string, string) { return r.complete(ed.before, line, pos) })
	for _, old := range r.history.Recent(historyLines) {
		ed.remember(old)
	}
	r.show.ask = func(ctx context.Context, prompt string, secret bool) (string, error) {
		line, err := ed.ask(ctx, prompt, secret)
		if errors.Is(err, liner.ErrPromptAborted) { // there Ctrl-C is a key and no signal
			r.engine.Interrupt()
			select { // the cell is stopped before it sees an answer
			case <-ctx.Done():
			case <-time.After(tabWait):
			}
		}
		return line, err
	}
	ctx, stop := r.watch(ed)
	defer stop()
	fmt.Fprintf(r.stdout, "gondola %s, %s: %%help lists the magics, NAME? tells of a name, Tab completes, Ctrl-D ends\n",
		version, runtime.Version())
	for {
		code, err := ed.cell(r.number+1, r.loaded())
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue
		case err != nil:
			fmt.Fprintln(r.stdout)
			if err != io.EOF {
				return fail(r.stderr, "repl", err)
			}
			return exitOK
		}
		if strings.TrimSpace(code) == "" {
			continue
		}
		ed.remember(code)
		if out := r.run(ctx, code); out.Err != nil && slices.Contains(leaving, strings.TrimSpace(code)) {
			fmt.Fprintln(r.stdout, "Ctrl-D ends the prompt")
		}
	}
}

// watch makes Ctrl-C an interrupt of the running cell. A signal that ends the
// process leaves the terminal as it was.
func (r *repl) watch(ed *editor) (context.Context, func()) {
	signals, over := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt {
					r.engine.Interrupt()
					continue
				}
				ed.Close()
				r.engine.Close()
				os.Exit(exitInterrupted)
			case <-over:
				return
			}
		}
	}()
	return context.Background(), func() { signal.Stop(signals); close(over) }
}

// loaded is the text that the last cell wants as the next one, once.
func (r *repl) loaded() string {
	text := r.next
	r.next = ""
	return text
}

// remember makes the lines of a cell reachable by the arrow keys.
func (ed *editor) remember(code string) {
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" {
			ed.AppendHistory(line)
		}
	}
}

// cell reads the lines of one cell: until it is complete, or, below a %% line,
// until an empty one. given is a text to begin with.
func (ed *editor) cell(number int, given string) (string, error) {
	head := fmt.Sprintf("[%d]> ", number)
	more := strings.Repeat(".", len(head)-2) + "> "
	defer func() { ed.before = "" }()
	ed.before = ""
	if strings.Contains(strings.TrimRight(given, "\n"), "\n") { // the editor has one line: the text is shown above it
		fmt.Println(strings.TrimRight(given, "\n"))
		answer, err := ed.Prompt("Enter runs this, Ctrl-C drops it: ")
		return given + answer, err
	}
	line, err := ed.PromptWithSuggestion(head, strings.TrimRight(given, "\n"), -1)
	if err != nil {
		return "", err
	}
	text := line
	for {
		status, indent := cell.Ready(text)
		switch {
		case status == cell.Unknown && strings.TrimSpace(line) != "":
			indent = ""
		case status != cell.Incomplete:
			return text, nil
		}
		ed.before = text + "\n"
		suggest := ""
		if indent != "" && !inText(text) {
			suggest = strings.Repeat(oneIndent, len(indent))
		}
		if line, err = ed.PromptWithSuggestion(more, suggest, -1); err != nil {
			return "", err
		}
		text += "\n" + line
	}
}

// inText tells whether a raw string or a comment is open at the end, where
// blanks count.
func inText(code string) (open bool) {
	code, _ = cell.Directives(code)
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), []byte(code), func(_ token.Position, msg string) {
		open = open || strings.HasSuffix(msg, "not terminated") && !strings.HasPrefix(msg, "string")
	}, 0)
	for {
		if _, tok, _ := s.Scan(); tok == token.EOF {
			return open
		}
	}
}

// complete offers what may stand at pos, in code points, of the line; a line
// that has nothing before it is indented.
func (r *repl) complete(before, line string, pos int) (head string, list []string, tail string) {
	at := len(string([]rune(line)[:pos]))
	head, tail = line[:at], line[at:]
	if strings.TrimSpace(head) == "" {
		return head, []string{oneIndent}, tail
	}
	ctx, cancel := context.WithTimeout(context.Background(), tabWait)
	defer cancel()
	c, err := r.engine.Complete(ctx, before+line, len(before)+at)
	if err != nil || c.Start < len(before) || c.End < c.Start || c.End > len(before)+len(line) {
		return head, nil, tail
	}
	for _, item := range c.Items {
		list = append(list, item.Text)
	}
	return line[:c.Start-len(before)], list, line[c.End-len(before):]
}

// ask reads a line for a running cell.
func (ed *editor) ask(ctx context.Context, prompt string, secret bool) (string, error) {
	type reply struct {
		line string
		err  error
	}
	got := make(chan reply, 1)
	go func() {
		if i := strings.LastIndexByte(prompt, '\n'); i >= 0 { // the editor's prompt is one line
			fmt.Print(prompt[:i+1])
			prompt = prompt[i+1:]
		}
		line, err := "", error(nil)
		if secret {
			line, err = ed.PasswordPrompt(prompt)
		} else {
			line, err = ed.Prompt(prompt)
		}
		got <- reply{line, err}
	}()
	select {
	case g := <-got:
		return g.line, g.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

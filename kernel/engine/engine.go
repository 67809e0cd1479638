// Package engine is the contract between the server and whatever runs cells.
//
// A fake, the session in this process and the worker's near end are its three
// implementations; enginetest is what all three must pass.
package engine

import (
	"context"
	"errors"

	"github.com/gondola-lab/gondola/kernel/display"
)

// Engine runs cells, one at a time, and answers questions about names beside
// a running cell.
type Engine interface {
	// Execute runs one cell to its end and gives everything it shows to s, in
	// order. It returns when the cell is over; a goroutine that the cell left
	// behind may still call s. The end of ctx asks the cell to stop, as
	// Interrupt does.
	Execute(ctx context.Context, c Cell, s Sink) Outcome

	// Complete offers names for the byte offset at of code. It never waits for
	// a running cell and looks at the last committed scope.
	Complete(ctx context.Context, code string, at int) (Completion, error)

	// Inspect describes the name at byte offset at; detail 1 asks for the whole
	// documentation and the source.
	Inspect(ctx context.Context, code string, at, detail int) (Inspection, error)

	// Interrupt asks the running cell to stop and returns at once. An engine
	// that can use force (a worker) does so at a later call for one cell, once
	// it said what would be lost. Without a running cell it does nothing.
	Interrupt()

	// Close ends the engine and frees what it holds.
	Close() error
}

// Declarer is an engine that can take back the declarations of cells whose
// values are gone: imports, types, constants and functions, nothing executed.
type Declarer interface {
	// Declare makes the declarations of cells anew, in order, but for the names
	// in lost. A declaration that no longer compiles is left out: Outcome.Names
	// has what is there now. lost maps a name that went to the words that
	// explain it: an error about its later use reads "undefined: xs (WORDS)".
	Declare(ctx context.Context, cells []Cell, lost map[string]string) Outcome
}

// Cell is one cell as it was sent.
type Cell struct {
	ID          uint64            // unique for the life of the engine; every output carries it
	Number      int               // n of "cell [n]"
	Code        string            // the text, UTF-8
	Silent      bool              // no result is wanted
	Program     bool              // a whole file of package main: unused names are errors, main runs once, no result
	Expressions map[string]string // user_expressions: key to expression, evaluated after success
	Comm        *CommMessage      // a message of a comm, in place of code; nil: a cell
}

// Sink takes what a cell shows. Its methods may be called from any goroutine,
// also after Execute has returned: a late output keeps its own cell's sink.
type Sink interface {
	Stream(stderr bool, text string)
	Display(d Display)
	Clear(wait bool)
	Result(b display.Bundle)
}

// Asker is a Sink behind which a person can be asked.
type Asker interface {
	// Ask shows prompt and waits for a line, which comes without its newline;
	// secret hides what is typed. What was shown before is seen before. It
	// returns an error of its own when ctx ends, and ErrNoInput at once where
	// nobody can be asked.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// ErrNoInput says that nobody can be asked for a line.
var ErrNoInput = errors.New("this front end cannot ask for input")

// Display is one picture. With Update set it replaces the one that ID names.
type Display struct {
	Bundle display.Bundle
	ID     string // display id; empty: none
	Update bool
}

// Outcome is how a cell ended.
type Outcome struct {
	Err         *CellError           // nil: ok
	Names       []Name               // names that entered the session
	Gone        []string             // names that a magic has made the session forget
	Expressions map[string]Expressed // by the keys of Cell.Expressions
	Actions     []Action             // what the front must do: restart, replay, limit, page, set_next_input
	Engine      string               // "interpreted", "native" or ""
	Code        string               // what ran in place of the cell's text, as files of %run; empty: that text
}

// CellError is an error as a person reads it: the three fields of the
// protocol. The traceback may hold ANSI colours.
type CellError struct {
	Name, Value string
	Traceback   []string
}

func (e *CellError) Error() string { return e.Name + ": " + e.Value }

// Name is one name of the session. Kind is var, func, type, const, import, or
// method of "T.M".
type Name struct {
	Name, Kind, Type string
	Cell             int
	Uses             []string // session names that its declaration uses
}

// Expressed is the value or the error of one user expression.
type Expressed struct {
	Bundle display.Bundle
	Err    *CellError
}

// Setter is an engine with settings that outlive it: an action of kind setting
// gives one to the process around it, which hands it to the next engine.
type Setter interface {
	// Set takes a setting, as in "engine native".
	Set(setting string) error
}

// Sizer is an engine that knows what its names hold.
type Sizer interface {
	// Sizes lists the names that hold the most memory, the largest first, also
	// those of the running cell. It is asked beside it.
	Sizes() []Size
}

// Size is the memory of a name, in bytes, as far as it can be seen.
type Size struct {
	Name, Type string
	Bytes      int64
}

// Limiter is a Sink around which a process keeps limits.
type Limiter interface {
	// Limit changes a limit from here on, as in "output=4M". It returns all
	// limits in force, as in "output=1.0 MB patience=10s"; an empty text
	// changes none.
	Limit(change string) (string, error)
}

// Action is a wish of a cell that only the process around the engine can
// fulfil. Kind is page, set_next_input, restart, replay, history or setting.
type Action struct{ Kind, Text string }

// Completion replaces code[Start:End] by one of Items.
type Completion struct {
	Items      []Item
	Start, End int // bytes
}

// Item is one offer. Type is one of function, method, class, interface,
// module, field, instance, constant, keyword, magic.
type Item struct{ Text, Type, Signature string }

// Inspection describes a name; Found false is not an error.
type Inspection struct {
	Found          bool
	Text, Markdown string
}

package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// magic runs a magic line. code is its Go text at its place, for those that
// run some.
func (r *run) magic(d cell.Directive, code string, show bool) *engine.CellError {
	m, err := find(d)
	if err != nil {
		return r.magicError(d, err)
	}
	switch {
	case m.run != nil:
		if err := m.run(r, d.Args); err != nil {
			return r.magicError(d, err)
		}
		return nil
	case m.name == "timeit":
		o, err := parseTimeit(d.Args)
		if err != nil {
			return r.magicError(d, err)
		}
		return r.timeit(at(o.code, d.Line, d.Col+o.skipped), o)
	case m.name == "prun":
		return r.prun(code)
	}
	return r.timed(code, show)
}

// cellMagic runs a cell that begins with %%name: its other lines are the
// argument. Magic lines below it are not for it.
func (r *run) cellMagic(blanked string, list []cell.Directive) *engine.CellError {
	d := list[0]
	m, err := find(d)
	if err == nil && m.name == "capture" {
		return r.capture(blanked, list)
	}
	if err == nil && m.cell != nil {
		err = m.cell(r, d)
		if err == nil {
			return nil
		}
	}
	if err == nil && len(list) > 1 {
		d = list[1]
		err = fmt.Errorf("%s stands in a cell of %%%%%s, which takes Go only", spelled(d.Name, d.Whole), m.name)
	}
	if err != nil {
		return r.magicError(d, err)
	}
	if m.name == "native" {
		switch d.Args {
		case "nopoll":
			r.noPoll = true
			r.say("no polls: an interrupt cannot stop this cell, only the end of the worker")
		case "":
		default:
			return r.magicError(d, fmt.Errorf("%%%%native %s: it is nopoll or nothing", d.Args))
		}
		r.forced = "%%native"
		return r.piece(blanked, true)
	}
	if m.name == "prun" {
		return r.prun(blanked)
	}
	if m.name == "timeit" {
		o, err := parseTimeit(d.Args)
		if err != nil {
			return r.magicError(d, err)
		}
		if o.code != "" {
			return r.magicError(d, fmt.Errorf("%%%%timeit %s: the statements stand below it", o.code))
		}
		return r.timeit(blanked, o)
	}
	return r.timed(blanked, true)
}

// magicError is the error of a magic, at its line; one that is a cell's already
// stays as it is.
func (r *run) magicError(d cell.Directive, err error) *engine.CellError {
	var own *engine.CellError
	if errors.As(err, &own) {
		return own
	}
	e := &engine.CellError{Name: "MagicError", Value: err.Error()}
	line, _ := r.s.line(r.cell.Number, d.Line)
	col := 1 + utf8.RuneCountInString(line) - utf8.RuneCountInString(strings.TrimLeft(line, " \t"))
	e.Traceback = []string{
		fmt.Sprintf("cell [%d]:%d:%d: %s", r.cell.Number, d.Line, col, err), "    " + line, "    " + caret(line, col),
	}
	if h := hint(err); h != "" {
		e.Traceback = append(e.Traceback, h)
	}
	return e
}

// reset forgets names. Functions that use them are checked again.
func (r *run) reset(args string) error {
	s, st := r.s, r.s.now.Load()
	names := strings.Fields(args)
	all := slices.Contains(names, "-f")
	names = slices.DeleteFunc(names, func(n string) bool { return n == "-f" })
	switch {
	case len(names) == 0 && !all:
		list, _ := st.who("") // no pattern, no error
		text, err := r.s.outputs.Ask(fmt.Sprintf("forget all %d names (y/n)? ", len(list)), false)
		if err != nil {
			return fmt.Errorf("%%reset forgets all %d names: write %%reset -f, or the names", len(list))
		}
		if a := strings.ToLower(strings.TrimSpace(text)); a != "y" && a != "yes" {
			r.say("nothing is forgotten")
			return nil
		}
		return r.reset("-f")
	case len(names) == 0:
		fresh := newState()
		fresh.noAuto = st.noAuto
		s.now.Store(fresh)
		for n := range st.names {
			r.gone = append(r.gone, n)
		}
		for n := range st.imports {
			r.gone = append(r.gone, n)
		}
		slices.Sort(r.gone)
		if err := comm.Reset(); err != nil && !errors.Is(err, errNoComms) {
			return err
		}
		return nil
	}
	next, changed := st.clone(), map[string]bool{}
	for _, n := range names {
		if st.names[n] == nil && st.imports[n] == "" {
			return fmt.Errorf("%%reset %s: there is no such name", n)
		}
		delete(next.names, n)
		delete(next.imports, n)
		changed[n] = true
	}
	next, err := r.mend(next, changed, false)
	if err != nil {
		return err
	}
	s.now.Store(next)
	r.gone = append(r.gone, names...)
	for _, w := range r.warned {
		r.sink.Stream(true, w+"\n")
	}
	return nil
}

// doc asks for a page with the documentation of a name.
func (r *run) doc(args string) error {
	i, err := r.s.Inspect(context.Background(), args, len(args), 1)
	switch {
	case err != nil:
		return err
	case !i.Found:
		return fmt.Errorf("%%doc %s: there is no such name", args)
	}
	r.actions = append(r.actions, engine.Action{Kind: "page", Text: i.Text})
	return nil
}

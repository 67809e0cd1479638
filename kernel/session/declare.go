package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
)

// Declare takes back the imports, types, constants and functions of cells
// whose values went with an earlier worker. Nothing is executed. lost has the
// names that are gone and where they went; a declaration that does not compile
// without them is gone too.
func (s *Session) Declare(ctx context.Context, cells []engine.Cell, lost map[string]string) (out engine.Outcome) {
	s.cells.Lock()
	defer s.cells.Unlock()
	st := s.now.Load().clone()
	maps.Copy(st.lost, lost)
	s.now.Store(st)
	for _, c := range cells {
		if ctx.Err() != nil {
			out.Err = endError()
			break
		}
		s.declare(ctx, c)
	}
	out.Names = s.now.Load().outcome()
	return out
}

// declare takes the declarations of one cell back. A piece with an error is
// left out, and the rest tried again.
func (s *Session) declare(ctx context.Context, c engine.Cell) {
	r, end := s.begin(ctx, c, nowhere{})
	defer end()
	if _, list := cell.Directives(c.Code); len(list) > 0 && list[0].Whole && list[0].Name == "native" {
		r.forced, r.noPoll = "%%native", list[0].Args == "nopoll"
	}
	if r.whole() {
		return
	}
	pieces := slices.DeleteFunc(declarations(c.Code), func(p cell.Piece) bool {
		return s.now.Load().lost[declaredName(p)] != ""
	})
	for len(pieces) > 0 {
		bad, err := r.redeclare(keep(c.Code, pieces))
		if err == nil {
			return
		}
		left := slices.DeleteFunc(slices.Clone(pieces), func(p cell.Piece) bool {
			return slices.ContainsFunc(bad, func(d front.Diag) bool { return holds(p, d) })
		})
		if len(left) == len(pieces) { // no piece is to blame: all are
			left = nil
		}
		for _, p := range pieces {
			if !slices.ContainsFunc(left, func(q cell.Piece) bool { return q.Offset == p.Offset }) {
				s.lose(p, err)
			}
		}
		pieces = left
	}
}

// whole takes the declarations of a compiled cell back by building all of it and
// running nothing: its text is that of the earlier worker, so that it is found
// in the cache. It returns false where that is not possible, with a cell that
// is interpreted, or one whose statements need what is lost.
func (r *run) whole() bool {
	blanked, list := cell.Directives(r.cell.Code)
	if len(list) > 1 || len(list) == 1 && !list[0].Whole {
		return false
	}
	base := r.s.now.Load()
	p, ferr := r.s.plan(r.cell.Number, blanked, base, false)
	if ferr != nil {
		return false
	}
	c, err := r.choose(p)
	if err != nil || !c.native {
		return false
	}
	b, err := r.build(p, c)
	if err != nil {
		return false
	}
	r.declare(b)
	final := p.next.clone()
	for _, e := range p.names {
		if _, gone := base.lost[e.name]; gone || e.kind == "var" {
			delete(final.names, e.name)
			if old := base.names[e.name]; old != nil {
				final.names[e.name] = old
			}
			if why, ok := base.lost[e.name]; ok {
				final.lost[e.name] = why
			}
		}
	}
	r.s.now.Store(final)
	return true
}

// redeclare takes declarations back that compile, else it gives their errors.
func (r *run) redeclare(text string) ([]front.Diag, *engine.CellError) {
	p, ferr := r.s.plan(r.cell.Number, text, r.s.now.Load(), false)
	if ferr != nil {
		return ferr.List, r.compileError(ferr)
	}
	c, err := r.choose(p)
	if err != nil {
		var list []front.Diag
		for _, x := range c.refusals {
			list = append(list, diag(x, 0))
		}
		return list, err
	}
	b, err := r.build(p, c)
	if err != nil {
		return nil, err
	}
	r.declare(b)
	return nil, r.commit(b, ending{})
}

// lose notes why a declaration is gone: by the lost name that it uses, else by
// the error.
func (s *Session) lose(p cell.Piece, err *engine.CellError) {
	name := declaredName(p)
	if name == "" {
		return
	}
	next := s.now.Load().clone()
	why := err.Value
	eachWord(p.Text, func(_ int, word string) bool {
		if reason := next.lost[word]; reason != "" && word != name {
			why = fmt.Sprintf("it uses %s, %s", word, reason)
			return false
		}
		return true
	})
	next.lost[name] = why
	s.now.Store(next)
}

// holds tells whether a place lies in a piece.
func holds(p cell.Piece, d front.Diag) bool {
	last := p.Line + strings.Count(p.Text, "\n")
	end := len(p.Text) - strings.LastIndexByte(p.Text, '\n') // column behind the last byte, of a piece of several lines
	if last == p.Line {
		end = p.Col + len(p.Text)
	}
	return d.Line >= p.Line && d.Line <= last && (d.Line > p.Line || d.Col >= p.Col) && (d.Line < last || d.Col <= end)
}

// declaredName is the name that a function declaration declares, or "".
func declaredName(p cell.Piece) string {
	if p.Kind != cell.Func {
		return ""
	}
	name := ""
	eachWord(p.Text, func(_ int, word string) bool {
		name = word
		return false
	})
	return name
}

// declarations are the pieces of a cell that declare without running anything.
func declarations(code string) []cell.Piece {
	blanked, _ := cell.Directives(code)
	var out []cell.Piece
	for _, p := range cell.Split(blanked) {
		switch p.Kind {
		case cell.Import, cell.Type, cell.Const, cell.Func, cell.Method:
			out = append(out, p)
		}
	}
	return out
}

// keep blanks all of a text but some pieces; positions stay.
func keep(code string, pieces []cell.Piece) string {
	out := []byte(code)
	for i := range out {
		inside := slices.ContainsFunc(pieces, func(p cell.Piece) bool { return i >= p.Offset && i < p.End() })
		if !inside && out[i] != '\n' {
			out[i] = ' '
		}
	}
	for _, p := range pieces { // pieces that stood on one line
		if p.Semicolon && p.End() < len(out) && out[p.End()] != '\n' {
			out[p.End()] = ';'
		}
	}
	return string(out)
}

// nowhere is the sink of declarations, which show nothing.
type nowhere struct{}

func (nowhere) Stream(bool, string)    {}
func (nowhere) Display(engine.Display) {}
func (nowhere) Clear(bool)             {}
func (nowhere) Result(display.Bundle)  {}

package session

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// built is a cell ready to run: its machine over the storage of the session,
// and that of the functions that are built again.
type built struct {
	plan       *plan
	cell, redo *yaegi.Unit
}

// build gives the new names storage and compiles the programs over it. Nothing
// that runs has changed yet.
func (r *run) build(p *plan, l lowered) (*built, *engine.CellError) {
	defer r.clock(&r.times.build)()
	b := &built{plan: p}
	base := r.s.now.Load()
	for _, list := range [][]*entry{p.names, p.redo.entries} {
		for _, e := range list {
			if err := r.s.allot(e, base.names[e.name]); err != nil {
				return nil, r.hole(err)
			}
		}
	}
	var err error
	if b.cell, err = r.s.compile(l.cell, p.next, r.cell.Number); err != nil {
		return nil, r.hole(err)
	}
	if l.redo != nil {
		if b.redo, err = r.s.compile(l.redo, p.next, r.cell.Number); err != nil {
			return nil, r.hole(err)
		}
	}
	return b, nil
}

// hole is the error of a cell that passed the list of what is interpreted, and
// that the runner does not take all the same: a type that it cannot build, or a
// hole of the list, which is a fault of ours. Nothing has run.
func (r *run) hole(err error) *engine.CellError {
	what := fmt.Sprintf("cell [%d] is not interpreted (%v); it needs native code", r.cell.Number, err)
	e := plainError("Unsupported", what)
	if errors.Is(err, yaegi.ErrHole) {
		e.Traceback = append(e.Traceback, "please report this cell")
	}
	return e
}

// allot gives an entry its storage: that of the old meaning of its name when
// kind and type are the same, else new memory.
func (s *Session) allot(e, old *entry) error {
	if e.kind != "var" && e.kind != "func" || e.broken != "" && e.store.IsValid() {
		return nil
	}
	if old != nil && old.kind == e.kind && old.store.IsValid() && types.Identical(old.obj.Type(), e.obj.Type()) {
		e.store = old.store
		return nil
	}
	t, err := s.runner.Type(e.obj.Type())
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	e.store = reflect.New(t)
	return nil
}

// rebuild compiles functions that were checked again and gives them their new
// bodies.
func (r *run) rebuild(again redo, st *state) error {
	for _, e := range again.entries {
		if err := r.s.allot(e, r.s.now.Load().names[e.name]); err != nil {
			return err
		}
	}
	if again.cell == nil {
		return nil
	}
	prog, refusals := lower.Lower(again.cell)
	if len(refusals) > 0 {
		return fmt.Errorf("%s", refusals[0])
	}
	m, err := r.s.compile(prog, st, r.cell.Number)
	if err != nil {
		return err
	}
	assign(m, again.entries)
	return nil
}

// assign gives function variables the bodies of a machine.
func assign(u *yaegi.Unit, entries []*entry) {
	for _, e := range entries {
		if f, ok := u.Funcs[e.name]; ok && e.broken == "" {
			e.store.Elem().Set(f)
		}
	}
}

// compile compiles a program over the memory of the names of st.
func (s *Session) compile(p *lower.Program, st *state, number int) (*yaegi.Unit, error) {
	return s.runner.Compile(p, number, func(name string, _ types.Type) (reflect.Value, error) {
		if name == front.Last {
			name = lastValue
		}
		if e := st.names[name]; e != nil && e.store.IsValid() {
			return e.store, nil
		}
		return reflect.Value{}, fmt.Errorf("%s has no memory", name)
	})
}

// ending is how the statements of a cell ended.
type ending struct {
	values   []any
	finished int // pieces of the cell that are complete
	fault    *yaegi.Fault
	stopped  bool // it did not come back: its goroutine was left behind, or it was too deep
}

// run gives the functions their new bodies and runs the statements of the
// cell.
func (r *run) run(b *built) (end ending) {
	defer r.clock(&r.times.run)()
	r.tree, r.fresh = b.plan.cell, b.plan.names
	r.ranOn = "interpreted"
	r.s.last = fmt.Sprintf("cell [%d] ran interpreted: all of it is in the proven subset", r.cell.Number)
	b.declare()
	if r.alone {
		defer r.watchDeadlock()()
	}
	fault, back := (*yaegi.Fault)(nil), false
	if done := r.await(func() { fault, back = b.cell.Run(), true }); !done || !back {
		if done && r.cell.Program {
			r.goexit()
		}
		return ending{finished: b.cell.Finished(), fault: r.fatal, stopped: r.fatal == nil}
	}
	for _, v := range b.cell.Shown() {
		end.values = append(end.values, v.Interface())
	}
	end.finished, end.fault = b.cell.Finished(), fault
	return end
}

// declare gives the functions of a cell, and those that were built again, their
// new bodies.
func (b *built) declare() {
	assign(b.cell, b.plan.names)
	if b.redo != nil {
		assign(b.redo, b.plan.redo.entries)
	}
}

// failure is the error of a cell that did not end well, or nil.
func (r *run) failure(end ending) *engine.CellError {
	switch {
	case end.stopped:
		return r.stoppedError(nil)
	case end.fault != nil:
		return r.explain(end.fault)
	}
	return nil
}

// bundle makes the picture of values in a goroutine of the cell: methods of
// the user's values may take their time.
func (r *run) bundle(p *plan, values []any) (b display.Bundle, ok bool, err *engine.CellError) {
	if p.cell.Value == nil {
		return b, false, nil
	}
	tv := p.cell.Info.Types[p.cell.Value]
	if text := exact(tv); text != "" {
		return textBundle(text), true, nil
	}
	static := staticTypes(tv.Type)
	if n := len(values); n > 0 && values[n-1] == nil && p.cell.ErrorOnly {
		return b, false, nil
	}
	err = r.guarded(func() { b, ok = shown(values, static) })
	return b, ok, err
}

// store is the memory of a variable of the session that an identifier means.
func (r *run) store(id *ast.Ident, info *types.Info) (reflect.Value, bool) {
	obj, ok := info.Uses[id].(*types.Var)
	if !ok || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return reflect.Value{}, false
	}
	for _, e := range r.fresh {
		if e.name == id.Name {
			return e.store, e.store.IsValid()
		}
	}
	e := r.s.now.Load().names[id.Name]
	if e == nil || !e.store.IsValid() {
		return reflect.Value{}, false
	}
	return e.store, true
}

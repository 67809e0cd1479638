package session

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// built is a cell ready to run over the storage of the session.
type built struct {
	plan  *plan
	funcs map[string]reflect.Value // new bodies: functions, and methods by front.MethodFunc
	body  func() *yaegi.Fault      // the statements
	done  func() int               // pieces that are complete
	shown func() []any             // values of the last expression
	on    string                   // "interpreted" or "native"
	last  string                   // what %native says of it
}

// build gives the new names storage and compiles the code over it. Nothing
// that runs has changed yet.
func (r *run) build(p *plan, c chosen) (*built, *engine.CellError) {
	defer r.clock(&r.times.build)()
	if c.native {
		return r.buildNative(p, c)
	}
	base := r.s.now.Load()
	for _, e := range p.entries() {
		if err := r.s.allot(e, base.names[e.name]); err != nil {
			return nil, r.hole(err)
		}
	}
	u, err := r.s.compile(c.prog, p.next, r.cell.Number)
	if err != nil {
		return nil, r.hole(err)
	}
	shown := func() (out []any) {
		for _, v := range u.Shown() {
			out = append(out, v.Interface())
		}
		return out
	}
	return &built{plan: p, funcs: u.Funcs, body: u.Run, done: u.Finished, shown: shown, on: "interpreted",
		last: "interpreted: all of it is in the proven subset"}, nil
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
	if s.inherits(e, old) {
		return nil
	}
	t, err := s.runner.Type(e.obj.Type())
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	e.store = reflect.New(t)
	return nil
}

// inherits gives an entry the storage of the old meaning of its name, when kind
// and type are the same. It is true too of an entry that has no storage.
func (s *Session) inherits(e, old *entry) bool {
	if e.kind != "var" && e.kind != "func" || e.broken != "" || isGenericFunc(e.obj) {
		return true
	}
	if old != nil && old.kind == e.kind && old.store.IsValid() && types.Identical(old.obj.Type(), e.obj.Type()) {
		e.store = old.store
		return true
	}
	return false
}

func isGenericFunc(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Signature().TypeParams().Len() > 0
}

// compile compiles a program over the memory of the names of st.
func (s *Session) compile(p *lower.Program, st *state, number int) (*yaegi.Unit, error) {
	return s.runner.Compile(p, number, func(name string, _ types.Type) (reflect.Value, error) {
		if v := st.memory(name); v.IsValid() {
			return v, nil
		}
		return reflect.Value{}, fmt.Errorf("%s has no memory", name)
	})
}

// memory is the pointer to the storage of a name, invalid where it has none.
func (st *state) memory(name string) reflect.Value {
	if name == front.Last {
		name = lastValue
	}
	if e := st.names[name]; e != nil {
		return e.store
	}
	return reflect.Value{}
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
	r.ranOn = b.on
	r.s.last = fmt.Sprintf("cell [%d] ran %s", r.cell.Number, b.last)
	r.declare(b)
	b.plan.warnings = slices.Concat(b.plan.warnings, r.retype(b.plan), b.plan.interpretedValues())
	if r.alone {
		defer r.watchDeadlock()()
	}
	fault, back := (*yaegi.Fault)(nil), false
	if done := r.await(func() { r.counted(func() { fault = b.body() }); back = true }); !done || !back {
		if done && r.cell.Program {
			r.goexit()
		}
		return ending{finished: b.done(), fault: r.fatal, stopped: r.fatal == nil}
	}
	return ending{values: b.shown(), finished: b.done(), fault: fault}
}

// declare gives the functions and methods of a cell, and those that were built
// again, their new bodies.
func (r *run) declare(b *built) {
	for _, e := range b.plan.entries() {
		if f, ok := b.funcs[e.name]; ok && e.kind == "func" && e.broken == "" && e.store.IsValid() {
			set(e.store.Elem(), f)
		}
	}
	for name, f := range b.funcs {
		method, ok := front.MethodOf(name)
		if !ok {
			continue
		}
		if e := b.plan.next.names[typeOf(method)]; e != nil && r.s.homes[e.obj] != nil {
			r.s.homes[e.obj].body(method, f)
		}
	}
	for old, v := range b.plan.versions {
		if before, now := r.s.homes[old], r.s.homes[v.now]; v.same && before != nil && now != nil {
			now.follow(before, v.methods)
		}
	}
}

// set assigns a function to a variable of the same type, which may exist twice.
func set(v, f reflect.Value) {
	if cellapi.Same(f.Type(), v.Type()) {
		f = cellapi.As(f, v.Type())
	}
	v.Set(f)
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
	if len(values) == 1 && isBasic(values[0]) { // no method of the user's runs
		b, ok = shown(values, static)
		return b, ok, nil
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

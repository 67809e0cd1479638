package session

import (
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
)

// commit makes what a cell reached the session's: imports, constants and
// functions as soon as the cell was built, a variable when its statement was
// complete. It returns the error of a cell that failed.
func (r *run) commit(b *built, end ending) *engine.CellError {
	p := b.plan
	final := p.next
	unreached := r.unreached(p, end)
	if len(unreached) > 0 && !r.cell.Program { // after a program comes nothing
		final = r.withdraw(b, unreached)
	}
	r.s.now.Store(final)
	r.names = append(r.names, r.outcome(p, final)...)
	return r.failure(end)
}

// unreached is the set of the cell's variables whose statements were not
// completed.
func (r *run) unreached(p *plan, end ending) map[string]bool {
	out, reached := map[string]bool{}, map[string]bool{}
	for i, piece := range p.cell.Pieces {
		if piece.Kind != front.Var && piece.Kind != front.Define {
			continue
		}
		for _, e := range p.names {
			if e.kind == "var" && e.line == piece.Line && e.col == piece.Col {
				if i < end.finished {
					reached[e.name] = true
				} else {
					out[e.name] = true
				}
			}
		}
	}
	maps.DeleteFunc(out, func(n string, _ bool) bool { return reached[n] })
	return out
}

// withdraw is the session after a cell that did not reach some variables: they
// are what they were before, and the functions that were checked against the
// new ones are checked again, and broken where they do not compile.
func (r *run) withdraw(b *built, names map[string]bool) *state {
	p, base := b.plan, r.s.now.Load()
	st := p.next.clone()
	for n := range names {
		delete(st.names, n)
		if old := base.names[n]; old != nil {
			st.names[n] = old
		}
		if path, ok := base.imports[n]; ok {
			st.imports[n] = path
		}
		if why, ok := base.lost[n]; ok {
			st.lost[n] = why
		}
	}
	changed := map[string]bool{}
	for _, e := range p.names {
		if old := base.names[e.name]; names[e.name] &&
			(old == nil || old.kind != e.kind || old.broken != "" || !types.Identical(old.obj.Type(), e.obj.Type())) {
			changed[e.name] = true
		}
	}
	if len(changed) == 0 {
		return st
	}
	warned := r.warned
	st, err := r.mend(st, changed, true)
	r.warned = warned // the cell says itself how it ended
	if err != nil {   // they compiled a moment ago
		panic("session: " + err.Error())
	}
	return st
}

// mend makes the session whole after names of st have changed: what depends on
// them is checked and built again, or broken.
func (r *run) mend(st *state, changed map[string]bool, anew bool) (*state, error) {
	p, ferr := r.s.follow(r.cell.Number, st, changed, anew)
	if ferr != nil {
		return nil, ferr
	}
	r.warned = append(r.warned, p.warnings...)
	if len(p.entries()) == 0 {
		return p.next, nil
	}
	c, err := r.choose(p)
	if err != nil {
		return nil, err
	}
	b, err := r.build(p, c)
	if err != nil {
		return nil, err
	}
	r.declare(b)
	return p.next, nil
}

// outcome lists what a cell gave to the session.
func (r *run) outcome(p *plan, st *state) []engine.Name {
	var out []engine.Name
	for _, n := range sortedKeys(p.cell.Imports) {
		if path, ok := st.imports[n]; ok {
			out = append(out, engine.Name{Name: n, Kind: "import", Type: path, Cell: r.cell.Number})
		}
	}
	for _, path := range p.cell.Dots {
		out = append(out, dotName(path, r.cell.Number))
	}
	for _, e := range p.names {
		if st.names[e.name] != e {
			continue
		}
		if e.kind != "type" || e.cell == r.cell.Number {
			out = append(out, e.outcome())
		}
		for _, m := range e.methods {
			if m.cell == r.cell.Number {
				out = append(out, m.methodOutcome(e))
			}
		}
	}
	return out
}

// dotName stands for a dot import, which has no name of its own: a cell that
// has one is declared again in a new worker as one with names is.
func dotName(path string, cell int) engine.Name {
	return engine.Name{Name: ". " + path, Kind: "import", Type: path, Cell: cell}
}

func (e *entry) outcome() engine.Name {
	return engine.Name{
		Name: e.name, Kind: e.kind, Type: typeText(e.obj.Type()), Cell: e.cell, Uses: slices.Clone(e.uses),
	}
}

// methodOutcome is a method of a type as a name of its own: a cell that has
// only methods is declared again in a new worker too.
func (e *entry) methodOutcome(typ *entry) engine.Name {
	return engine.Name{Name: e.name, Kind: "method", Cell: e.cell, Uses: append(slices.Clone(e.uses), typ.name)}
}

// outcome lists all names of the session.
func (st *state) outcome() []engine.Name {
	var out []engine.Name
	for _, n := range sortedKeys(st.imports) {
		out = append(out, engine.Name{Name: n, Kind: "import", Type: st.imports[n]})
	}
	for _, path := range st.dots {
		out = append(out, dotName(path, 0))
	}
	for _, e := range st.sorted() {
		if e.name == lastValue || e.broken != "" {
			continue
		}
		out = append(out, e.outcome())
		for _, m := range e.methods {
			if m.broken == "" {
				out = append(out, m.methodOutcome(e))
			}
		}
	}
	return out
}

// lastValue is the name of the last value that a cell showed.
const lastValue = "_"

// keep makes a single shown value the meaning of "_".
func (r *run) keep(p *plan, values []any) {
	if len(values) != 1 || values[0] == nil {
		return
	}
	t := types.Default(p.cell.Info.Types[p.cell.Value].Type)
	obj := fresh(types.NewVar(token.NoPos, p.cell.Pkg, front.Last, t))
	rt := r.s.shownType
	if r.ranOn != "native" || rt == nil {
		var err error
		if rt, err = r.s.runner.Type(obj.Type()); err != nil {
			return
		}
	}
	if !reflect.TypeOf(values[0]).AssignableTo(rt) {
		return
	}
	e := &entry{name: lastValue, kind: "var", obj: obj, cell: r.cell.Number, store: reflect.New(rt)}
	e.store.Elem().Set(reflect.ValueOf(values[0]))
	next := r.s.now.Load().clone()
	next.names[lastValue] = e
	r.s.now.Store(next)
}

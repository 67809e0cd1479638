package session

import (
	"go/types"
	"maps"
	"slices"

	"github.com/gondola-lab/gondola/kernel/front"
)

// plan is a cell that go/types has accepted, together with what depends on it,
// and what the session is when it ends well. Nothing has been changed yet.
type plan struct {
	cell     *front.Cell // the cell, and the declarations of earlier cells that are built again with it
	names    []*entry    // new meanings of names, in the order of the text
	redone   []*entry    // what depends on them, the broken ones too
	follow   []*entry    // variables whose type follows a type of the cell, over their old memory
	versions map[*types.TypeName]version
	warnings []string
	seen     []string // names that a cell which calls recover can reach
	tainted  string   // why it must be compiled though it could be interpreted
	next     *state   // names, imports and what is built again; the cell's variables too
}

// version is the new object of a type that was declared anew.
type version struct {
	now  *types.TypeName
	same bool // values of the old one have the memory of the new one
	// methods are those, "T.M", that both have with the same types: what still
	// holds the old version calls the bodies of the new one.
	methods []string
}

// entries are all new ones.
func (p *plan) entries() []*entry { return slices.Concat(p.names, p.redone, p.follow) }

// scope is what front checks a cell against. With hopeful set a broken name
// stands there with its last type: the cell may be the one that mends it.
func (st *state) scope(hopeful bool) *front.Scope {
	sc := &front.Scope{
		Names:   make(map[string]front.Name, len(st.names)),
		Imports: st.imports, Dots: st.dots, Lost: st.lost, NoAuto: st.noAuto,
		Broken: map[string]string{},
	}
	for n, e := range st.names {
		if e.broken != "" && !hopeful {
			sc.Broken[n] = e.broken
			continue
		}
		name := front.Name{Obj: e.obj, Cell: e.cell, Line: e.line, Col: e.col, Source: e.source, Doc: e.doc}
		for _, m := range e.methods {
			if m.broken == "" {
				name.Methods = append(name.Methods, m.text())
			}
		}
		sc.Names[n] = name
	}
	return sc
}

func (st *state) hasBroken() bool {
	for _, e := range st.names {
		if e.broken != "" {
			return true
		}
	}
	return false
}

// hopeful is an entry as if it compiled.
func hopeful(e *entry) *entry {
	if e.broken == "" {
		return e
	}
	c := *e
	c.broken = ""
	return &c
}

// planner follows a cell to all that depends on it.
//
// A cell is checked together with its dependents, in two steps that are repeated
// until nothing changes. First all types that are declared anew are new ones: so
// it is seen which of them are the same as before, which have the memory of the
// old ones, and whom that concerns. Then types that are the same stay, variables
// follow their types, and what fails is broken.
type planner struct {
	s       *Session
	number  int
	src     string
	st      *state
	strict  bool
	changed map[string]bool // names that have changed already, with a cell without text
	anew    bool            // broken names are judged as if they had not been

	failed map[string]string // dependents that do not compile: "cell [1]:2:24: why"
	drop   map[string]string // functions of the cell that use one of those
	cause  map[string]string // dependent → the name that is the reason
	said   map[string]string // broken name → the sentence that refuses it

	promoted map[string]bool // interpreted functions that are compiled with the cell
	tainted  string
	seen     []string
}

// plan checks a cell against st.
func (s *Session) plan(number int, src string, st *state, strict bool) (*plan, *front.Error) {
	p := &planner{s: s, number: number, src: src, st: st, strict: strict}
	return p.plan()
}

// follow plans what a change of names of st, which has them already, means for
// those that depend on them. With anew set broken ones are judged as if they
// compiled until now.
func (s *Session) follow(number int, st *state, changed map[string]bool, anew bool) (*plan, *front.Error) {
	p := &planner{s: s, number: number, st: st, changed: changed, anew: anew}
	return p.plan()
}

func (p *planner) plan() (*plan, *front.Error) {
	p.failed, p.drop, p.cause, p.said = map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	p.promoted = map[string]bool{}
	for {
		c, res, final := p.discover()
		if !res.Parsed {
			return nil, res.Err
		}
		if !final {
			res = p.check(c.with(p), false)
		}
		if p.fails(c, res) {
			continue
		}
		if res.Err != nil {
			return nil, res.Err
		}
		if p.promote(res) {
			continue
		}
		return p.made(c, res), nil
	}
}

// check checks the cell's text and what w adds. With hopeful set nothing is
// broken.
func (p *planner) check(w front.With, hopeful bool) front.Checked {
	sc := p.st.scope(hopeful)
	sc.Strict = p.strict
	if !hopeful {
		w.Drop = map[string]bool{}
		for n := range p.drop {
			w.Drop[n] = true
		}
		for _, m := range []map[string]string{p.failed, p.drop} {
			for n := range m {
				delete(sc.Names, n)
				sc.Broken[n] = p.said[n]
			}
		}
	}
	for n := range p.failed { // methods
		if typ, _, ok := methodName(n); ok {
			sc.Names[typ] = without(sc.Names[typ], n)
		}
	}
	return p.s.check.CheckWith(p.number, p.src, sc, w)
}

func without(n front.Name, method string) front.Name {
	n.Methods = slices.DeleteFunc(slices.Clone(n.Methods), func(s front.Source) bool { return s.Name == method })
	return n
}

// discover checks the cell with more and more dependents, each type that is
// declared anew as a new one. final says that the answer is that of the cell:
// nothing depends on it and no type stays.
func (p *planner) discover() (c change, res front.Checked, final bool) {
	res = p.check(front.With{}, true)
	var with map[string]bool
	for {
		c = p.judge(res)
		if maps.Equal(with, c.again) || len(c.again) == 0 && with == nil {
			break
		}
		if with == nil {
			with = map[string]bool{}
		}
		before := len(with)
		maps.Copy(with, c.again)
		if len(with) == before {
			break
		}
		res = p.check(front.With{Again: p.sources(with)}, true)
	}
	final = len(with) == 0 && c.plain() && !p.st.hasBroken() && len(p.failed)+len(p.drop)+len(p.promoted) == 0
	return c, res, final
}

// fails notes the dependents that do not compile, and the functions of the cell
// that use them. It tells whether there are any that were not known.
func (p *planner) fails(c change, res front.Checked) bool {
	before := len(p.failed) + len(p.drop)
	for n, err := range res.Failed {
		p.failed[n] = err.List[0].String()
		p.said[n] = p.sentence(n, c)
	}
	if p.s.policy == Interpret {
		for n, why := range refused(res.Cell) {
			if c.again[n] && p.failed[n] == "" {
				p.failed[n], p.said[n] = why, p.sentence(n, c)
			}
		}
	}
	for again := len(p.failed) > 0; again; {
		again = false
		for _, d := range c.own {
			if d.Kind != "func" || p.drop[d.Name] != "" {
				continue
			}
			for _, n := range d.Uses {
				if p.failed[n] == "" && p.drop[n] == "" {
					continue
				}
				p.drop[d.Name] = place(d.Cell, d.Line, d.Col, d.Source, n) + ": " + p.said[n]
				p.said[d.Name] = usesBroken(d.Name, d.Cell, n, p.said[n])
				again = true
				break
			}
		}
	}
	return len(p.failed)+len(p.drop) > before
}

// sentence is what refuses a dependent that does not compile.
func (p *planner) sentence(name string, c change) string {
	e := p.st.find(name)
	if e.broken != "" && !p.anew {
		return e.broken
	}
	cause := p.cause[name]
	if cause == "" {
		cause = c.cause[name]
	}
	p.cause[name] = cause
	return brokenSince(e, cause, p.number)
}

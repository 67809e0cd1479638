package native

import (
	"go/types"
)

// A value of an interface type with methods holds the address of a table for
// its type and its interface, and == of two of them compares the addresses.
// The runtime makes a table when it first needs one, unless the pair has been
// loaded with a unit, and a unit that is loaded later brings its own: then
// equal values differ. So the unit that declares the later of the two, type or
// interface, brings the table of each such pair, before any value is made.

// pinned are interfaces of packages that the types of many cells implement.
var pinned = map[string][]string{
	"fmt":             {"Stringer", "GoStringer", "Formatter", "State"},
	"io":              {"Reader", "Writer", "Closer", "ReadWriter", "WriterTo", "ReaderFrom", "StringWriter"},
	"sort":            {"Interface"},
	"container/heap":  {"Interface"},
	"encoding/json":   {"Marshaler", "Unmarshaler"},
	"encoding":        {"TextMarshaler", "TextUnmarshaler"},
	"flag":            {"Value"},
	"net/http":        {"Handler"},
	"image":           {"Image"},
	"context":         {"Context"},
	"math/rand":       {"Source"},
	"math/rand/v2":    {"Source"},
	"encoding/binary": {"ByteOrder"},
}

// pins writes the pairs of the types and interfaces of the cell.
func (e *emitter) pins() {
	if e.r.Program {
		return
	}
	var own, ifaces []types.Type // of the cell
	for _, name := range e.cell.Pkg.Scope().Names() {
		o, ok := e.cell.Pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || o.Pkg() != e.cell.Pkg || e.types[name] == "" || o.IsAlias() {
			continue
		}
		if types.IsInterface(o.Type()) {
			ifaces = append(ifaces, o.Type())
		} else {
			own = append(own, o.Type())
		}
	}
	if len(own)+len(ifaces) == 0 {
		return
	}
	var known, knownIfaces []types.Type
	for _, o := range e.r.Known {
		if types.IsInterface(o.Type()) {
			knownIfaces = append(knownIfaces, o.Type())
		} else {
			known = append(known, o.Type())
		}
	}
	e.pin(own, ifaces)
	e.pin(own, knownIfaces)
	e.pin(known, ifaces)
	if len(own) > 0 {
		e.pin(own, e.packageIfaces())
	}
}

// packageIfaces are error, and interfaces of the packages that the cell uses
// and of those above that they use.
func (e *emitter) packageIfaces() []types.Type {
	l := []types.Type{types.Universe.Lookup("error").Type()}
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package, direct bool)
	visit = func(p *types.Package, direct bool) {
		if seen[p] || p.Path() == homePath {
			return
		}
		seen[p] = true
		names := pinned[p.Path()]
		if direct {
			names = p.Scope().Names()
		}
		for _, n := range names {
			o, ok := p.Scope().Lookup(n).(*types.TypeName)
			if ok && o.Exported() && !o.IsAlias() && typeParamsOf(o.Type()).Len() == 0 && methodic(o.Type()) {
				l = append(l, o.Type())
			}
		}
		for _, q := range p.Imports() {
			visit(q, false)
		}
	}
	for _, p := range e.cell.Pkg.Imports() {
		visit(p, true)
	}
	return l
}

// pin writes the pairs of which the first implements the second.
func (e *emitter) pin(ts, ifaces []types.Type) {
	for _, i := range ifaces {
		iface := i.Underlying().(*types.Interface)
		if iface.NumMethods() == 0 || !iface.IsMethodSet() {
			continue
		}
		for _, t := range ts {
			for _, x := range []types.Type{t, types.NewPointer(t)} {
				if !types.Implements(x, iface) {
					continue
				}
				value, ok := e.spell(x)
				to, ok2 := e.spell(i)
				if ok && ok2 {
					e.inits = append(e.inits, e.api()+".Pin["+to+"](*new("+value+"))")
				}
			}
		}
	}
}

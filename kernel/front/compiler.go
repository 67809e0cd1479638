package front

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
)

// The compiler's limits. What is beyond them passes go/types, and would fail
// only when a cell is built.
const (
	maxType    = 1 << 50 // bytes: the address space of amd64
	maxElement = 1 << 16 // of a channel
	maxFrame   = 1 << 30 // of a function
)

// compiler refuses what go/types accepts and the compiler does not: interfaces
// without a name that contain themselves, types that no memory can hold, and
// stack frames beyond its limit. It looks only at what has no other fault, as
// the compiler does.
func (j *job) compiler() {
	if len(j.found) > 0 {
		return
	}
	w := widths{}
	cycles := cycleFinder{}
	seen := map[types.Type]bool{}
	ast.Inspect(j.file, func(n ast.Node) bool {
		if n, ok := n.(*ast.InterfaceType); ok {
			if t, ok := types.Unalias(j.info.TypeOf(n)).(*types.Interface); ok && cycles.in(t) {
				j.add(n.Pos(), "invalid recursive type: anonymous interface refers to itself (see https://go.dev/issue/56103)")
				for t := range cycles {
					cycles[t] = false
				}
			}
		}
		if s, ok := n.(*ast.TypeSpec); ok {
			if o := j.info.Defs[s.Name]; o != nil && !seen[o.Type()] {
				seen[o.Type()], seen[o.Type().Underlying()] = true, true
				j.tooLarge(w, s.Name, o.Type())
			}
		}
		if e, ok := n.(ast.Expr); ok {
			if tv := j.info.Types[e]; tv.IsType() && !seen[tv.Type] {
				seen[tv.Type] = true
				j.tooLarge(w, e, tv.Type)
			}
		}
		return true
	})
	for _, d := range j.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case ok && f.Name.Name != Body && f.Body != nil:
			j.frame(w, f.Name.Pos(), j.info.TypeOf(f.Name), f.Body)
		default: // what runs at the top of the cell
			j.frame(w, token.NoPos, nil, d)
		}
	}
}

// tooLarge refuses a type that no memory can hold, and a channel whose elements
// are beyond the limit.
func (j *job) tooLarge(w widths, at ast.Expr, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		if w.of(t) >= maxType {
			j.add(at.Pos(), "type "+j.typeString(u)+" larger than address space")
		}
	case *types.Struct:
		if w.of(t) >= maxType {
			j.add(at.Pos(), "type "+j.typeString(t)+" too large")
		}
	case *types.Chan:
		if w.of(u.Elem()) >= maxElement {
			j.add(at.Pos(), "channel element type too large (>64kB)")
		}
	}
}

// frame refuses a function whose frame is beyond the limit: its own parameters
// and results, the largest of those of its calls, and what only a frame can
// hold: results that are arguments of other calls, copies that a range makes,
// arrays behind literals.
func (j *job) frame(w widths, at token.Pos, sig types.Type, body ast.Node) {
	own, locals, callee := w.signature(sig), uint64(0), uint64(0)
	ast.Inspect(body, func(n ast.Node) bool {
		if n, ok := n.(ast.Expr); ok && n != body {
			if tv := j.info.Types[n]; tv.IsType() {
				return false
			}
		}
		big := uint64(0)
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != body {
				j.frame(w, n.Pos(), j.info.TypeOf(n), n.Body)
				return false
			}
		case *ast.CallExpr:
			if s, ok := underlying(j.info.TypeOf(n.Fun)).(*types.Signature); ok && !j.info.Types[n.Fun].IsType() {
				callee = max(callee, w.signature(s))
				for _, a := range n.Args {
					if _, ok := ast.Unparen(a).(*ast.CallExpr); ok {
						big = add(big, w.of(j.info.TypeOf(a)))
					}
				}
			}
		case *ast.RangeStmt:
			if a, ok := underlying(j.info.TypeOf(n.X)).(*types.Array); ok && n.Value != nil {
				big = w.of(a)
			}
		case *ast.CompositeLit:
			big = j.behind(w, n)
		}
		if big > maxFrame/8 {
			locals = add(locals, big)
			if !at.IsValid() {
				at = n.Pos()
			}
		}
		return true
	})
	if total := add(add(own, locals), callee); total > maxFrame && at.IsValid() {
		msg := fmt.Sprintf("stack frame too large (>1GB): %d MB locals + %d MB args", locals>>20, own>>20)
		if callee > 0 {
			msg += fmt.Sprintf(" + %d MB callee", callee>>20)
		}
		j.add(at, msg)
	}
}

// behind is the size of the array behind a literal that is filled at run time,
// if it alone is beyond the limit.
func (j *job) behind(w widths, lit *ast.CompositeLit) (bytes uint64) {
	t := j.info.TypeOf(lit)
	if t == nil {
		return 0
	}
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return 0
	}
	next, most, filled := int64(0), int64(0), false
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if v := j.info.Types[kv.Key].Value; v != nil {
				next, _ = constant.Int64Val(constant.ToInt(v))
			}
			e = kv.Value
		}
		next++
		most = max(most, next)
		filled = filled || j.info.Types[e].Value == nil
	}
	if !filled {
		return 0
	}
	if bytes = multiply(w.of(s.Elem()), uint64(most)); bytes <= maxFrame {
		return 0
	}
	return bytes
}

// widths are the sizes of types in bytes, as far as they are known; more than
// can be said is math.MaxUint64.
type widths map[types.Type]uint64

var sizes = types.SizesFor("gc", "amd64")

func (w widths) of(t types.Type) (n uint64) {
	if n, ok := w[t]; ok {
		return n
	}
	w[t] = 0 // of a type that refers to itself
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsUntyped == 0 && u.Kind() != types.Invalid {
			n = uint64(sizes.Sizeof(u))
		}
	case *types.Array:
		n = multiply(w.of(u.Elem()), uint64(max(0, u.Len())))
	case *types.Struct:
		for f := range u.Fields() {
			n = add(n, w.of(f.Type()))
		}
	case *types.Tuple:
		for v := range u.Variables() {
			n = add(n, w.of(v.Type()))
		}
	case *types.Slice:
		n = 24
	case *types.Interface:
		n = 16
	default:
		n = 8
	}
	w[t] = n
	return n
}

// signature is the size of the receiver, the parameters and the results.
func (w widths) signature(t types.Type) uint64 {
	s, ok := underlying(t).(*types.Signature)
	if !ok {
		return 0
	}
	n := add(w.of(s.Params()), w.of(s.Results()))
	if r := s.Recv(); r != nil {
		n = add(n, w.of(r.Type()))
	}
	return n
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func multiply(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}

// cycleFinder finds interfaces without a name that contain themselves: true
// while one is looked at, false behind it.
type cycleFinder map[*types.Interface]bool

// in tells whether t is part of a cycle.
func (f cycleFinder) in(t *types.Interface) bool {
	for m := range t.Methods() {
		if f.leads(m.Type()) {
			return true
		}
	}
	return false
}

// leads tells whether a type contains an interface that is being looked at.
func (f cycleFinder) leads(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return f.leads(t.Elem())
	case *types.Array:
		return f.leads(t.Elem())
	case *types.Slice:
		return f.leads(t.Elem())
	case *types.Chan:
		return f.leads(t.Elem())
	case *types.Map:
		return f.leads(t.Key()) || f.leads(t.Elem())
	case *types.Signature:
		return f.leads(t.Params()) || f.leads(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if f.leads(v.Type()) {
				return true
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if f.leads(v.Type()) {
				return true
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if f.leads(term.Type()) {
				return true
			}
		}
	case *types.Interface:
		if t.NumExplicitMethods() == 0 && t.NumEmbeddeds() == 0 {
			return false
		}
		if now, ok := f[t]; ok {
			return now
		}
		f[t] = true
		if f.in(t) {
			return true
		}
		f[t] = false
	}
	return false
}

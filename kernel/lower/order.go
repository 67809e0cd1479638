package lower

import (
	"go/ast"
	"go/types"
	"regexp"
)

// The order of evaluation. Go fixes that of calls, receives and logical
// operators, and leaves open when a variable among them is read. Programs see
// what the compiler does: it makes the calls of a statement first, in order,
// and reads variables when all are made; some operands it copies on the way.
// Text that only reads is written where the value is used, so it is late too.
// What the lowering must bind early is noted here; if a later call of the same
// statement could change it, the statement is refused.

// reads notes operands that are bound before the rest of their statement.
func (f *function) reads(operands ...ast.Expr) {
	for _, e := range operands {
		f.early = f.early || f.mutable(e)
	}
}

// mutable reports whether a call may change what an expression reads.
func (f *function) mutable(e ast.Expr) bool {
	if e == nil {
		return false
	}
	info := f.l.info
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if v, ok := info.Uses[n].(*types.Var); ok && !v.IsField() {
				found = found || atTop(v) || f.l.use(v).boxed()
			}
		case *ast.StarExpr:
			found = true
		case *ast.IndexExpr:
			if _, ok := under(info.TypeOf(n.X)).(*types.Array); !ok && !info.Types[n.X].IsType() {
				found = true
			}
		case *ast.SelectorExpr:
			if _, ok := under(info.TypeOf(n.X)).(*types.Pointer); ok && info.Selections[n] != nil {
				found = true
			}
		case *ast.CallExpr: // of a conversion: what it copies may be elements
			if info.Types[n.Fun].IsType() {
				_, slice := under(info.TypeOf(n.Args[0])).(*types.Slice)
				found = found || slice
			}
		}
		return !found
	})
	return found
}

// calling is written around a call of a function that may change variables:
// nothing that was bound before it in the statement may be among them.
func (f *function) calling(e *ast.CallExpr, user bool, write func()) {
	before := f.early
	if user && before {
		f.l.refuse(e, "a call that may change an operand before it in the same statement")
	}
	f.early = false
	write()
	f.early = before
}

// changes reports whether a call of a compiled function may run code of a
// cell: one of its arguments is, or holds, a function.
func (f *function) changes(e *ast.CallExpr) bool {
	for _, a := range e.Args {
		if t := f.l.info.TypeOf(a); t != nil && holdsFunc(t, 0) {
			return true
		}
	}
	return false
}

func holdsFunc(t types.Type, depth int) bool {
	if depth > 3 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Slice:
		return holdsFunc(u.Elem(), depth+1)
	case *types.Map:
		return holdsFunc(u.Elem(), depth+1)
	case *types.Array:
		return holdsFunc(u.Elem(), depth+1)
	}
	return false
}

// settled binds text that still calls a helper of the table, now that all
// calls of the statement are made: no helper is called from within an
// assignment, a return or a condition.
func (f *function) settled(text string) string {
	if helperCall.MatchString(text) {
		return f.hoist(text)
	}
	return text
}

var helperCall = regexp.MustCompile(`\bs\.[A-Z][A-Za-z]*[0-9]+\(`)

// small notes a value of one byte that becomes an interface: the compiler
// reads it where it stands, unless it is a plain name.
func (f *function) small(e ast.Expr, from types.Type) {
	if b, ok := from.Underlying().(*types.Basic); ok {
		switch b.Kind() {
		case types.Bool, types.Int8, types.Uint8, types.UntypedBool:
			if _, name := ast.Unparen(e).(*ast.Ident); !name {
				f.reads(e)
			}
		}
	}
}

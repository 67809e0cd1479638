package front

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A definition whose value is made from an old value of its own name,
//
//	x := x * 2
//
// keeps the variable of the earlier cell and assigns to it, as any definition of
// the same type does. In the check file a new variable would refer to itself.

// keeping are the names on the left side of a := that are variables of earlier
// cells and that its right side reads at once. What a function literal there
// reads is read later, and is an initialization cycle as in Go.
func (j *job) keeping(u *unit, names []leftName, rest string, seen map[string]bool) (l []leftName) {
	var read map[string]bool
	for _, n := range names {
		if _, ok := j.sc.Names[n.text].Obj.(*types.Var); !ok || n.text == "_" || seen[n.text] || u.again != "" {
			continue
		}
		if read == nil {
			read = reads(rest)
		}
		if read[n.text] {
			l = append(l, n)
		}
	}
	return l
}

// keeps tells whether a definition keeps a variable of an earlier cell.
func (u *unit) keeps(name string) bool {
	return slices.ContainsFunc(u.kept, func(n leftName) bool { return n.text == name })
}

// reads are the names that a list of expressions mentions outside of function
// literals. Keys are names of variables where the literal is one of a map or an
// array by its text.
func reads(list string) map[string]bool {
	m := map[string]bool{}
	e, err := parser.ParseExprFrom(token.NewFileSet(), "", "f("+strings.TrimSpace(list)+",\n)", parser.SkipObjectResolution)
	if err != nil {
		return m
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.CompositeLit:
			fields := true
			switch n.Type.(type) {
			case *ast.MapType, *ast.ArrayType:
				fields = false
			}
			for _, el := range n.Elts {
				if kv, ok := el.(*ast.KeyValueExpr); ok && fields {
					el = kv.Value
				}
				ast.Inspect(el, visit)
			}
			return false
		case *ast.Ident:
			m[n.Name] = true
		}
		return true
	}
	for _, a := range e.(*ast.CallExpr).Args {
		ast.Inspect(a, visit)
	}
	return m
}

// keptTypes refuses a definition that keeps a variable though its value has
// another type, in the place of what the checker says about the assignment.
func (j *job) keptTypes() {
	scope := j.pkg.Scope()
	for i := range j.units {
		u := &j.units[i]
		for _, n := range u.kept {
			v, ok := scope.Lookup(n.text).(*types.Var)
			if !ok {
				continue
			}
			if j.declared[n.text] {
				j.diags = append(j.diags, j.diag(*u, n.off, n.text+" redeclared in this block"))
				continue
			}
			for _, h := range u.hidden {
				value := scope.Lookup(h)
				if u.reused[h] != n.text || value == nil || types.Identical(value.Type(), v.Type()) ||
					value.Type() == types.Typ[types.Invalid] {
					continue
				}
				j.found = slices.DeleteFunc(j.found, func(e types.Error) bool {
					return j.unitAt(e.Pos) == i && strings.HasPrefix(e.Msg, "cannot use "+h+" ")
				})
				d := j.diag(*u, n.off, fmt.Sprintf("cannot define %s as %s from its old value of type %s", n.text,
					j.typeString(value.Type()), j.typeString(v.Type())))
				d.Advice = "give the new variable another name"
				j.diags = append(j.diags, d)
			}
		}
	}
}

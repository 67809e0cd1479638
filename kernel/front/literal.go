package front

import (
	"go/ast"
	"go/types"
	"strings"
)

// again checks the file once more after false alarms that hide other errors:
// literals without keys of types of earlier cells, and "_" as a value.
func (j *job) again() {
	literals, blank := false, false
	for _, e := range j.found {
		literals = literals || strings.HasPrefix(e.Msg, "implicit assignment to unexported field")
		blank = blank || strings.HasPrefix(e.Msg, blankValue)
	}
	if _, ok := j.sc.Names["_"]; !ok {
		blank = false
	}
	if blank {
		j.nameLast()
	}
	if literals {
		j.keyLiterals()
	}
	if blank || literals {
		j.pass()
	}
}

const blankValue = "cannot use _ as value"

// nameLast puts the hidden variable of the last value where "_" stands as a
// value.
func (j *job) nameLast() {
	at := map[int]bool{}
	for _, e := range j.found {
		if strings.HasPrefix(e.Msg, blankValue) {
			at[int(e.Pos)] = true
		}
	}
	ast.Inspect(j.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "_" && at[int(id.Pos())] {
			id.Name = Last
		}
		return true
	})
}

// keyLiterals gives the literals of structs their keys. go/types refuses
// point{3, 4} when a small-letter field of point belongs to another
// *types.Package, even one of the same path, and then does not check the
// element; the keyed form is looked up by path and is accepted.
func (j *job) keyLiterals() {
	ast.Inspect(j.file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		t := j.info.TypeOf(lit)
		if t == nil {
			return true
		}
		if p, ok := t.Underlying().(*types.Pointer); ok { // &T left out: []*T{{…}}
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || st.NumFields() != len(lit.Elts) {
			return true
		}
		for i := range lit.Elts {
			if f := st.Field(i); !f.Exported() && f.Pkg().Path() != j.pkg.Path() {
				return true // a field of a package that is compiled: the alarm is true
			}
		}
		for i, e := range lit.Elts {
			if _, ok := e.(*ast.KeyValueExpr); !ok && st.Field(i).Name() != "_" {
				lit.Elts[i] = &ast.KeyValueExpr{Key: &ast.Ident{NamePos: e.Pos(), Name: st.Field(i).Name()}, Colon: e.Pos(),
					Value: e}
			}
		}
		return true
	})
}

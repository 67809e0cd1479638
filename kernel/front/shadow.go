package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// A variable of the session whose type follows a type of the cell cannot be
// taken from the scope: its new type is made by this very check. So it is
// declared in the check file, without a place: its type is spelled with the
// names that the file declares, and all other types in it get hidden names.

// shadows declares the variables of With.Vars in the check file.
func (j *job) shadows() {
	j.hidden = map[string]types.Type{}
	for _, n := range slices.Sorted(maps.Keys(j.with.Vars)) {
		if j.declared[n] || j.own[n] != "" {
			continue
		}
		spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(n)}, Type: j.spelled(j.with.Vars[n])}
		j.declared[n] = true
		body := len(j.file.Decls) - 1 // stays the last
		j.file.Decls = slices.Insert(j.file.Decls, body, ast.Decl(&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}}))
	}
}

// follows tells whether a type mentions one that the file declares anew.
func (j *job) follows(t types.Type) bool {
	return Mentions(t, func(o *types.TypeName) bool { return j.with.Renew[o] })
}

// Mentions tells whether a type names one for which is holds, itself or in what
// it is made of; what the named types are made of is not looked at.
func Mentions(t types.Type, is func(*types.TypeName) bool) bool {
	some := func(l ...types.Type) bool {
		return slices.ContainsFunc(l, func(t types.Type) bool { return Mentions(t, is) })
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return is(t.Obj()) || some(slices.Collect(t.TypeArgs().Types())...)
	case *types.Map:
		return some(t.Key(), t.Elem())
	case interface{ Elem() types.Type }:
		return some(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if some(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return t.Params() != nil && some(t.Params()) || t.Results() != nil && some(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if some(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if some(m.Type()) {
				return true
			}
		}
		return some(slices.Collect(t.EmbeddedTypes())...)
	}
	return false
}

// spelled is a type as an expression of the check file.
func (j *job) spelled(t types.Type) ast.Expr {
	t = types.Unalias(t)
	if !j.follows(t) {
		name := fmt.Sprintf("_g0t%d", len(j.hidden)+1)
		j.hidden[name] = t
		return ast.NewIdent(name)
	}
	switch t := t.(type) {
	case *types.Named:
		id := ast.Expr(ast.NewIdent(t.Obj().Name()))
		var args []ast.Expr
		for a := range t.TypeArgs().Types() {
			args = append(args, j.spelled(a))
		}
		switch {
		case len(args) == 1:
			return &ast.IndexExpr{X: id, Index: args[0]}
		case len(args) > 1:
			return &ast.IndexListExpr{X: id, Indices: args}
		}
		return id
	case *types.Pointer:
		return &ast.StarExpr{X: j.spelled(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Elt: j.spelled(t.Elem())}
	case *types.Array:
		n := &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}
		return &ast.ArrayType{Len: n, Elt: j.spelled(t.Elem())}
	case *types.Map:
		return &ast.MapType{Key: j.spelled(t.Key()), Value: j.spelled(t.Elem())}
	case *types.Chan:
		dir := map[types.ChanDir]ast.ChanDir{types.SendRecv: ast.SEND | ast.RECV, types.SendOnly: ast.SEND,
			types.RecvOnly: ast.RECV}[t.Dir()]
		return &ast.ChanType{Dir: dir, Value: &ast.ParenExpr{X: j.spelled(t.Elem())}}
	case *types.Signature:
		return j.spelledFunc(t)
	case *types.Struct:
		return j.spelledStruct(t)
	case *types.Interface:
		methods := &ast.FieldList{}
		for m := range t.ExplicitMethods() {
			methods.List = append(methods.List,
				&ast.Field{Names: []*ast.Ident{ast.NewIdent(m.Name())}, Type: j.spelledFunc(m.Signature())})
		}
		for e := range t.EmbeddedTypes() {
			methods.List = append(methods.List, &ast.Field{Type: j.spelled(e)})
		}
		return &ast.InterfaceType{Methods: methods}
	}
	panic(fmt.Sprintf("front: a type that cannot be spelled: %s", t))
}

func (j *job) spelledFunc(t *types.Signature) *ast.FuncType {
	list := func(vars *types.Tuple, variadic bool) *ast.FieldList {
		l := &ast.FieldList{}
		for i := range vars.Len() {
			typ := vars.At(i).Type()
			if s, ok := typ.(*types.Slice); ok && variadic && i == vars.Len()-1 {
				l.List = append(l.List, &ast.Field{Type: &ast.Ellipsis{Elt: j.spelled(s.Elem())}})
				continue
			}
			l.List = append(l.List, &ast.Field{Type: j.spelled(typ)})
		}
		return l
	}
	return &ast.FuncType{Params: list(t.Params(), t.Variadic()), Results: list(t.Results(), false)}
}

func (j *job) spelledStruct(t *types.Struct) ast.Expr {
	fields := &ast.FieldList{}
	for i := range t.NumFields() {
		v := t.Field(i)
		f := &ast.Field{Type: j.spelled(v.Type())}
		if !v.Embedded() {
			f.Names = []*ast.Ident{ast.NewIdent(v.Name())}
		}
		if tag := t.Tag(i); tag != "" {
			f.Tag = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(tag)}
		}
		fields.List = append(fields.List, f)
	}
	return &ast.StructType{Fields: fields}
}

package session

import (
	"go/token"
	"go/types"
)

// home is the package of all objects that the session keeps. Each cell is
// checked in a package of its own whose scope holds every name of the session;
// an object of it, or a parameter inside its type, would keep that package
// alive, which keeps the packages before it: a session that defines two names
// in turn would grow without end. So a name is kept as a new object here.
var home = types.NewPackage("main", "main")

// fresh is obj as an object of home. Named types are taken as they are.
func fresh(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Var:
		return types.NewVar(token.NoPos, home, o.Name(), freshType(o.Type()))
	case *types.Func:
		return types.NewFunc(token.NoPos, home, o.Name(), freshType(o.Type()).(*types.Signature))
	case *types.Const:
		return types.NewConst(token.NoPos, home, o.Name(), o.Type(), o.Val())
	}
	return obj
}

// freshType is a type identical to t that holds no object of a cell, as far as
// types without names go.
func freshType(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(freshType(t.Elem()))
	case *types.Slice:
		return types.NewSlice(freshType(t.Elem()))
	case *types.Array:
		return types.NewArray(freshType(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), freshType(t.Elem()))
	case *types.Map:
		return types.NewMap(freshType(t.Key()), freshType(t.Elem()))
	case *types.Struct:
		return freshStruct(t)
	case *types.Interface:
		return freshInterface(t)
	case *types.Tuple:
		return freshTuple(t)
	case *types.Signature:
		if t.TypeParams().Len() > 0 || t.Recv() != nil {
			return t
		}
		return types.NewSignatureType(nil, nil, nil, freshTuple(t.Params()), freshTuple(t.Results()), t.Variadic())
	}
	return t
}

func freshTuple(t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, 0, t.Len())
	for v := range t.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, home, v.Name(), freshType(v.Type())))
	}
	return types.NewTuple(vars...)
}

// freshStruct keeps the package of each field where it is not a cell's: the
// identity of small-letter fields depends on its path.
func freshStruct(t *types.Struct) types.Type {
	fields := make([]*types.Var, t.NumFields())
	tags := make([]string, t.NumFields())
	for i := range fields {
		f := t.Field(i)
		fields[i] = types.NewField(token.NoPos, homeOf(f), f.Name(), freshType(f.Type()), f.Embedded())
		tags[i] = t.Tag(i)
	}
	return types.NewStruct(fields, tags)
}

func freshInterface(t *types.Interface) types.Type {
	if t.NumMethods() == 0 && t.NumEmbeddeds() == 0 {
		return types.NewInterfaceType(nil, nil).Complete()
	}
	methods := make([]*types.Func, t.NumExplicitMethods())
	for i := range methods {
		m := t.ExplicitMethod(i)
		s := m.Signature()
		sig := types.NewSignatureType(nil, nil, nil, freshTuple(s.Params()), freshTuple(s.Results()), s.Variadic())
		methods[i] = types.NewFunc(token.NoPos, homeOf(m), m.Name(), sig)
	}
	embedded := make([]types.Type, t.NumEmbeddeds())
	for i := range embedded {
		embedded[i] = freshType(t.EmbeddedType(i))
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

func homeOf(o types.Object) *types.Package {
	if o.Pkg() == nil || o.Pkg().Path() == home.Path() {
		return home
	}
	return o.Pkg()
}

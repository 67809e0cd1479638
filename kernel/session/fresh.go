package session

import (
	"go/token"
	"go/types"
)

// homePath is the import path of all cells.
const homePath = "main"

// A kept object has a package of its own with nothing else in it. Each cell is
// checked in a package whose scope holds every name of the session; an object
// of it, or a parameter inside its type, would keep that package alive, which
// keeps the packages before it: a session that defines two names in turn would
// grow without end.

// fresh is obj as an object of a package of its own. Named types are taken as
// they are.
func fresh(obj types.Object) types.Object {
	f := freshener{types.NewPackage(homePath, homePath)}
	switch o := obj.(type) {
	case *types.Var:
		obj = types.NewVar(token.NoPos, f.home, o.Name(), f.typ(o.Type()))
	case *types.Func:
		obj = types.NewFunc(token.NoPos, f.home, o.Name(), f.typ(o.Type()).(*types.Signature))
	case *types.Const:
		obj = types.NewConst(token.NoPos, f.home, o.Name(), o.Type(), o.Val())
	default:
		return obj
	}
	f.home.Scope().Insert(obj)
	return obj
}

// freshener makes types again in one package.
type freshener struct{ home *types.Package }

// typ is a type identical to t that holds no object of a cell, as far as
// types without names go.
func (f freshener) typ(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(f.typ(t.Elem()))
	case *types.Slice:
		return types.NewSlice(f.typ(t.Elem()))
	case *types.Array:
		return types.NewArray(f.typ(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), f.typ(t.Elem()))
	case *types.Map:
		return types.NewMap(f.typ(t.Key()), f.typ(t.Elem()))
	case *types.Struct:
		return f.structure(t)
	case *types.Interface:
		return f.iface(t)
	case *types.Tuple:
		return f.tuple(t)
	case *types.Signature:
		if t.TypeParams().Len() > 0 || t.Recv() != nil {
			return t
		}
		return types.NewSignatureType(nil, nil, nil, f.tuple(t.Params()), f.tuple(t.Results()), t.Variadic())
	}
	return t
}

func (f freshener) tuple(t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, 0, t.Len())
	for v := range t.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, f.home, v.Name(), f.typ(v.Type())))
	}
	return types.NewTuple(vars...)
}

// structure keeps the package of each field where it is not a cell's: the
// identity of small-letter fields depends on its path.
func (f freshener) structure(t *types.Struct) types.Type {
	fields := make([]*types.Var, t.NumFields())
	tags := make([]string, t.NumFields())
	for i := range fields {
		v := t.Field(i)
		fields[i] = types.NewField(token.NoPos, f.owner(v), v.Name(), f.typ(v.Type()), v.Embedded())
		tags[i] = t.Tag(i)
	}
	return types.NewStruct(fields, tags)
}

func (f freshener) iface(t *types.Interface) types.Type {
	if t.NumMethods() == 0 && t.NumEmbeddeds() == 0 {
		return types.NewInterfaceType(nil, nil).Complete()
	}
	methods := make([]*types.Func, t.NumExplicitMethods())
	for i := range methods {
		m := t.ExplicitMethod(i)
		s := m.Signature()
		sig := types.NewSignatureType(nil, nil, nil, f.tuple(s.Params()), f.tuple(s.Results()), s.Variadic())
		methods[i] = types.NewFunc(token.NoPos, f.owner(m), m.Name(), sig)
	}
	embedded := make([]types.Type, t.NumEmbeddeds())
	for i := range embedded {
		embedded[i] = f.typ(t.EmbeddedType(i))
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}

func (f freshener) owner(o types.Object) *types.Package {
	if o.Pkg() == nil || o.Pkg().Path() == homePath {
		return f.home
	}
	return o.Pkg()
}

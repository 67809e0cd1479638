package lower

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// recheck checks lowered text by go/types against the packages of the cell and
// a package s of its symbols. Unused names are allowed, as in cells.
func recheck(c *front.Cell, p *Program) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "lowered", plainVariables(c, p), 0)
	if err != nil {
		return err
	}
	var first error
	conf := types.Config{
		Importer: packages{c, table(p)},
		Error: func(err error) {
			e := err.(types.Error)
			if first == nil && !(e.Soft && strings.Contains(e.Msg, "and not used")) {
				first = err
			}
		},
	}
	conf.Check("main", fset, []*ast.File{f}, nil)
	return first
}

// plainVariables writes variables of packages, which are pointers in the packs,
// as go/types knows them.
func plainVariables(c *front.Cell, p *Program) string {
	text := p.Text
	for path, names := range p.Names {
		pkg, err := packages{c, nil}.Import(path)
		if err != nil {
			continue
		}
		for _, name := range names {
			if _, ok := pkg.Scope().Lookup(name).(*types.Var); ok {
				text = strings.ReplaceAll(text, "*"+pkg.Name()+"."+name, pkg.Name()+"."+name)
			}
		}
	}
	return text
}

type packages struct {
	c *front.Cell
	s *types.Package
}

func (p packages) Import(path string) (*types.Package, error) {
	if path == "s" {
		return p.s, nil
	}
	for _, q := range p.c.Pkg.Imports() {
		if q.Path() == path {
			return q, nil
		}
	}
	for _, obj := range p.c.Info.Uses {
		if obj.Pkg() != nil && obj.Pkg().Path() == path {
			return obj.Pkg(), nil
		}
	}
	return nil, fmt.Errorf("no package %s", path)
}

// table is the package of a program's symbols as go/types sees it.
func table(p *Program) *types.Package {
	pkg := types.NewPackage("s", "s")
	for _, s := range p.Symbols {
		var obj types.Object
		switch t := signatureOf(s); {
		case s.Kind == Named:
			obj = types.NewTypeName(token.NoPos, pkg, s.ID, s.T[0])
		case t != nil:
			obj = types.NewFunc(token.NoPos, pkg, s.ID, t)
		default:
			obj = types.NewVar(token.NoPos, pkg, s.ID, types.NewPointer(memory(s)))
		}
		pkg.Scope().Insert(obj)
	}
	pkg.MarkComplete()
	return pkg
}

// memory is what the pointer of a symbol points to.
func memory(s Symbol) types.Type {
	switch s.Kind {
	case Slot:
		return types.Typ[types.Int32]
	case Finished:
		return types.Typ[types.Int]
	case Poll:
		return types.Typ[types.Bool]
	case Export:
		return plain(s.T[0].(*types.Signature))
	}
	return s.T[0]
}

// signatureOf is the type of a function of the table, nil for memory.
func signatureOf(s Symbol) *types.Signature {
	boolean, integer, str := types.Typ[types.Bool], types.Typ[types.Int], types.Typ[types.String]
	list := func(ts ...types.Type) []types.Type { return ts }
	t := func(i int) types.Type { return s.T[i] }
	switch s.Kind {
	case End:
		return sig(nil, nil)
	case Raise:
		return sig(list(types.NewInterfaceType(nil, nil)), nil)
	case Start:
		return sig(list(funcType), nil)
	case NewDefers:
		return sig(nil, list(defersType))
	case Push, RunDefers:
		return sig(list(defersType, funcType), nil)
	case Value, Print:
		return sig(s.T, nil)
	case Convert, Assert:
		return sig(list(t(0)), list(t(1)))
	case IsNil:
		return sig(list(t(0)), list(boolean))
	case Equal:
		return sig(list(t(0), t(0)), list(boolean))
	case AssertOK:
		return sig(list(t(0)), list(t(1), boolean))
	case TypeCase:
		return sig(list(t(0)), list(integer))
	case Method, MethodValue:
		return methodSignature(s)
	case Receive, ReceiveOK:
		elem := t(0).Underlying().(*types.Chan).Elem()
		if s.Kind == Receive {
			return sig(list(t(0)), list(elem))
		}
		return sig(list(t(0)), list(elem, boolean))
	case Send:
		return sig(list(t(0), t(0).Underlying().(*types.Chan).Elem()), nil)
	case Close, Clear:
		return sig(list(t(0)), nil)
	case Select:
		return selectSignature(s)
	case Struct:
		return structSignature(s)
	case Elements:
		return variadicOf(elemOf(t(0)), t(0))
	case Copy:
		return sig(list(t(0)), list(types.NewPointer(t(0))))
	case MakeMap:
		var in []types.Type
		for range int(s.Name[0] - '0') {
			in = append(in, integer)
		}
		return sig(in, list(t(0)))
	case MapGet, MapGetOK, MapSet, Delete, Iterate, Next:
		return mapSignature(s, t(0).Underlying().(*types.Map))
	case Rune:
		return sig(list(str, integer), list(types.Typ[types.Int32], integer))
	case Smallest, Largest:
		return variadicOf(t(0), t(0))
	case SliceArray:
		return sig(list(types.NewPointer(t(0))), list(types.NewSlice(elemOf(t(0)))))
	case Variadic:
		return sig(list(plain(t(0).(*types.Signature))), list(t(0)))
	case Guard:
		return sig(list(t(0)), list(t(0)))
	case CopySlice:
		return sig(list(t(0), t(1)), list(integer))
	case Append:
		return sig(list(t(0), t(1)), list(t(0)))
	}
	return nil
}

func sig(in, out []types.Type) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, tuple(in), tuple(out), false)
}

func tuple(ts []types.Type) *types.Tuple {
	var vars []*types.Var
	for _, t := range ts {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	return types.NewTuple(vars...)
}

func variadicOf(elem, result types.Type) *types.Signature {
	in, out := tuple([]types.Type{types.NewSlice(elem)}), tuple([]types.Type{result})
	return types.NewSignatureType(nil, nil, nil, in, out, true)
}

func elemOf(t types.Type) types.Type {
	return t.Underlying().(interface{ Elem() types.Type }).Elem()
}

func methodSignature(s Symbol) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(s.T[0], true, nil, s.Name)
	m := obj.(*types.Func).Signature()
	bound := types.NewSignatureType(nil, nil, nil, m.Params(), m.Results(), m.Variadic())
	if s.Kind == MethodValue {
		return sig(s.T, []types.Type{bound})
	}
	in := []*types.Var{types.NewParam(token.NoPos, nil, "", s.T[0])}
	for v := range m.Params().Variables() {
		in = append(in, v)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), m.Results(), m.Variadic())
}

func selectSignature(s Symbol) *types.Signature {
	var in []types.Type
	out := []types.Type{types.Typ[types.Int]}
	next := 0
	for _, kind := range strings.Split(s.Name, ",") {
		if kind == "default" || kind == "" {
			continue
		}
		elem := elemOf(s.T[next])
		in = append(in, s.T[next])
		if kind == "send" {
			in = append(in, elem)
		} else {
			out = append(out, elem, types.Typ[types.Bool])
		}
		next++
	}
	return sig(in, out)
}

func structSignature(s Symbol) *types.Signature {
	var in []types.Type
	if s.Name != "" {
		for _, name := range strings.Split(s.Name, ",") {
			obj, _, _ := types.LookupFieldOrMethod(s.T[0], true, nil, name)
			in = append(in, obj.Type())
		}
	}
	return sig(in, s.T[:1])
}

func mapSignature(s Symbol, m *types.Map) *types.Signature {
	boolean := types.Type(types.Typ[types.Bool])
	t := s.T[0]
	switch s.Kind {
	case MapGet:
		return sig([]types.Type{t, m.Key()}, []types.Type{m.Elem()})
	case MapGetOK:
		return sig([]types.Type{t, m.Key()}, []types.Type{m.Elem(), boolean})
	case MapSet:
		return sig([]types.Type{t, m.Key(), m.Elem()}, nil)
	case Delete:
		return sig([]types.Type{t, m.Key()}, nil)
	case Iterate:
		return sig([]types.Type{t}, []types.Type{IterType})
	}
	return sig([]types.Type{IterType}, []types.Type{m.Key(), m.Elem(), boolean})
}

package yaegi

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"sync"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// Types finds the compiled type of a checked one: basic and composite types
// are built by reflect, named ones come from the packs.
type Types struct {
	ix    *pack.Index
	mu    sync.Mutex              // of named
	named map[string]reflect.Type // path.Name → type
	cells Named
}

// Named gives the compiled type of a type that a cell declares, when there is
// one: an instance for a generic one with its arguments.
type Named func(t *types.TypeName, args []types.Type) (reflect.Type, bool)

// SetNamed sets who knows the types of cells.
func (x *Types) SetNamed(f Named) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cells = f
}

// NewTypes returns the types of the packages of ix.
func NewTypes(ix *pack.Index) *Types {
	return &Types{ix: ix, named: map[string]reflect.Type{}}
}

var (
	anyType   = reflect.TypeFor[any]()
	errorType = reflect.TypeFor[error]()
	boolType  = reflect.TypeFor[bool]()
	intType   = reflect.TypeFor[int]()
	iterType  = reflect.TypeFor[*reflect.MapIter]()
	basicOf   = map[types.BasicKind]reflect.Type{
		types.Bool: boolType, types.String: reflect.TypeFor[string](),
		types.Int: intType, types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
		types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
		types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
		types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](),
		types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	}
)

// Of returns the compiled type of t, or an error that names what has none.
// Only named types of the packs are kept: a checked type holds its cell.
func (x *Types) Of(t types.Type) (reflect.Type, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.of(t)
}

func (x *Types) of(t types.Type) (reflect.Type, error) {
	switch t {
	case lower.DefersType:
		return reflect.TypeFor[*cellapi.Defers](), nil
	case lower.IterType:
		return iterType, nil
	}
	switch t := t.(type) {
	case *types.Alias:
		return x.of(types.Unalias(t))
	case *types.Basic:
		if r, ok := basicOf[t.Kind()]; ok {
			return r, nil
		}
	case *types.Named:
		return x.ofNamed(t)
	case *types.Pointer:
		return x.composite(reflect.PointerTo, t.Elem())
	case *types.Slice:
		return x.composite(reflect.SliceOf, t.Elem())
	case *types.Array:
		return x.composite(func(e reflect.Type) reflect.Type { return reflect.ArrayOf(int(t.Len()), e) }, t.Elem())
	case *types.Chan:
		dir := map[types.ChanDir]reflect.ChanDir{
			types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir,
		}[t.Dir()]
		return x.composite(func(e reflect.Type) reflect.Type { return reflect.ChanOf(dir, e) }, t.Elem())
	case *types.Map:
		k, err := x.of(t.Key())
		if err != nil {
			return nil, err
		}
		return x.composite(func(e reflect.Type) reflect.Type { return reflect.MapOf(k, e) }, t.Elem())
	case *types.Signature:
		return x.ofSignature(t)
	case *types.Struct:
		return x.ofStruct(t)
	case *types.Interface:
		if t.Empty() {
			return anyType, nil
		}
	}
	return nil, fmt.Errorf("no compiled type for %s", t)
}

func (x *Types) composite(of func(reflect.Type) reflect.Type, elem types.Type) (reflect.Type, error) {
	e, err := x.of(elem)
	if err != nil {
		return nil, err
	}
	return of(e), nil
}

func (x *Types) ofNamed(t *types.Named) (reflect.Type, error) {
	obj := t.Obj()
	if obj.Pkg() == nil {
		if obj.Name() == "error" {
			return errorType, nil
		}
		return nil, fmt.Errorf("no compiled type for %s", t)
	}
	if obj.Pkg().Path() == "main" {
		if x.cells != nil {
			if r, ok := x.cells(obj, slices.Collect(t.TypeArgs().Types())); ok {
				return r, nil
			}
		}
		return nil, fmt.Errorf("no compiled type for %s", obj.Name())
	}
	if t.TypeArgs().Len() > 0 {
		inst, ok := lower.InstanceType(t)
		if !ok {
			return nil, fmt.Errorf("no compiled type for %s", t)
		}
		obj = inst
	}
	name := obj.Pkg().Path() + "." + obj.Name()
	if r, ok := x.named[name]; ok {
		return r, nil
	}
	p, ok := x.ix.Lookup(obj.Pkg().Path())
	if !ok {
		return nil, fmt.Errorf("package %s is not built in", obj.Pkg().Path())
	}
	symbols := p.Symbols()
	if !obj.Exported() {
		for _, v := range symbols { // the type of a variable
			if v.Kind() != reflect.Pointer || v.IsNil() {
				continue
			}
			if e := v.Type().Elem(); e.Name() == obj.Name() && e.PkgPath() == obj.Pkg().Path() {
				x.named[name] = e
				return e, nil
			}
		}
	}
	v, ok := symbols[obj.Name()]
	if !ok || v.Kind() != reflect.Pointer || !v.IsNil() {
		return nil, fmt.Errorf("type %s is not built in", name)
	}
	x.named[name] = v.Type().Elem()
	return x.named[name], nil
}

func (x *Types) ofSignature(t *types.Signature) (reflect.Type, error) {
	in, err := x.list(t.Params())
	if err != nil {
		return nil, err
	}
	out, err := x.list(t.Results())
	if err != nil {
		return nil, err
	}
	return reflect.FuncOf(in, out, t.Variadic()), nil
}

func (x *Types) list(t *types.Tuple) ([]reflect.Type, error) {
	var out []reflect.Type
	for v := range t.Variables() {
		r, err := x.of(v.Type())
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (x *Types) ofStruct(t *types.Struct) (reflect.Type, error) {
	var fields []reflect.StructField
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() || f.Embedded() {
			return nil, fmt.Errorf("no compiled type for a struct with the field %s", f.Name())
		}
		r, err := x.of(f.Type())
		if err != nil {
			return nil, err
		}
		fields = append(fields, reflect.StructField{Name: f.Name(), Type: r, Tag: reflect.StructTag(t.Tag(i))})
	}
	return reflect.StructOf(fields), nil
}

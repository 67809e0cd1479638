package main

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// instanced are the packages whose generic functions and types get instances,
// for the elements and, where a map's key is a parameter, the keys below; of
// the names given, or of all. All other instances need a compiler.
var instanced = map[string][]string{
	"slices": nil, "maps": nil, "cmp": nil,
	"iter":         {"Seq", "Seq2"},
	"sync":         {"OnceValue", "OnceValues"},
	"sync/atomic":  {"Pointer"},
	"math/rand/v2": {"N"},
	"reflect":      {"TypeFor"},
	"unique":       {"Make", "Handle"},
}

var (
	elements = []types.Type{types.Typ[types.Int], types.Typ[types.Float64], types.Typ[types.Float32],
		types.Typ[types.String]}
	keys = []types.Type{types.Typ[types.Int], types.Typ[types.String]}
)

// addInstances puts ordinary functions, and other names of types, into the scope
// of a package, one for each instance, and returns their names with the
// expressions that make them. They are in the export data then, so the checker
// knows them.
func addInstances(p *types.Package) (map[string]string, error) {
	made := map[string]string{}
	only, ok := instanced[p.Path()]
	if !ok {
		return made, nil
	}
	for _, n := range p.Scope().Names() {
		o := p.Scope().Lookup(n)
		if !o.Exported() || only != nil && !slices.Contains(only, n) {
			continue
		}
		for _, args := range arguments(parameters(o)) {
			t, err := types.Instantiate(nil, o.Type(), args, true)
			if err != nil {
				continue // an element that the constraint does not allow
			}
			name := front.InstanceName(n, args)
			var spelled []string
			for _, a := range args {
				spelled = append(spelled, a.String())
			}
			text := p.Name() + "." + n + "[" + strings.Join(spelled, ", ") + "]"
			if sig, ok := t.(*types.Signature); ok {
				p.Scope().Insert(types.NewFunc(token.NoPos, p, name, sig))
				made[name] = text
				continue
			}
			other := types.NewTypeName(token.NoPos, p, name, nil)
			types.NewAlias(other, t)
			p.Scope().Insert(other)
			made[name] = "(*" + text + ")(nil)"
		}
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("no instances of %s", p.Path())
	}
	return made, nil
}

// parameters are the type parameters of a function or a type.
func parameters(o types.Object) *types.TypeParamList {
	switch t := o.Type().(type) {
	case *types.Signature:
		if _, ok := o.(*types.Func); ok {
			return t.TypeParams()
		}
	case *types.Named:
		if _, ok := o.(*types.TypeName); ok {
			return t.TypeParams()
		}
	}
	return nil
}

// arguments lists type arguments for parameters: every free parameter gets the
// same element, but one that is a map's key, or the first of a pair, gets a key;
// parameters like S ~[]E follow. It is empty for a constraint of another kind.
func arguments(params *types.TypeParamList) (lists [][]types.Type) {
	if params.Len() == 0 {
		return nil
	}
	isKey := map[types.Type]bool{}
	for p := range params.TypeParams() {
		if m, ok := core(p).(*types.Map); ok {
			isKey[m.Key()] = true
		}
	}
	var free []*types.TypeParam
	for p := range params.TypeParams() {
		if core(p) == nil {
			free = append(free, p)
		}
	}
	if len(free) == 2 && len(isKey) == 0 && params.Len() == 2 { // of a pair the first is a key
		isKey[free[0]] = true
	}
	ks := keys
	if len(isKey) == 0 {
		ks = keys[:1]
	}
	for _, k := range ks {
		for _, e := range elements {
			of := map[types.Type]types.Type{}
			for p := range params.TypeParams() {
				of[p] = e
				if isKey[p] {
					of[p] = k
				}
			}
			var l []types.Type
			for p := range params.TypeParams() {
				switch c := core(p).(type) {
				case nil:
					l = append(l, of[p])
				case *types.Slice:
					l = append(l, types.NewSlice(of[c.Elem()]))
				case *types.Map:
					l = append(l, types.NewMap(of[c.Key()], of[c.Elem()]))
				}
			}
			if len(l) == params.Len() && !slices.Contains(l, nil) {
				lists = append(lists, l)
			}
		}
	}
	return lists
}

// core is the type T of a constraint ~T, or nil.
func core(p *types.TypeParam) types.Type {
	i := p.Constraint().Underlying().(*types.Interface)
	if i.NumEmbeddeds() != 1 {
		return nil
	}
	u, ok := i.EmbeddedType(0).(*types.Union)
	if !ok || u.Len() != 1 {
		return nil
	}
	return u.Term(0).Type()
}

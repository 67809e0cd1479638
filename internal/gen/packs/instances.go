package main

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// instanced are the packages whose generic functions get instances, for the
// elements and, where a map's key is a parameter, the keys below. All other
// instances need a compiler.
var instanced = []string{"slices", "maps", "cmp"}

var (
	elements = []types.Type{types.Typ[types.Int], types.Typ[types.Float64], types.Typ[types.Float32],
		types.Typ[types.String]}
	keys = []types.Type{types.Typ[types.Int], types.Typ[types.String]}
)

// addInstances puts ordinary functions into the scope of a package, one for
// each instance, and returns their names with the expressions that make them.
// They are in the export data then, so the checker knows them.
func addInstances(p *types.Package) (map[string]string, error) {
	made := map[string]string{}
	if !slices.Contains(instanced, p.Path()) {
		return made, nil
	}
	for _, n := range p.Scope().Names() {
		fn, ok := p.Scope().Lookup(n).(*types.Func)
		if !ok || !fn.Exported() || fn.Signature().TypeParams().Len() == 0 {
			continue
		}
		for _, args := range arguments(fn.Signature().TypeParams()) {
			sig, err := types.Instantiate(nil, fn.Type(), args, true)
			if err != nil {
				return nil, err
			}
			name := front.InstanceName(n, args)
			p.Scope().Insert(types.NewFunc(token.NoPos, p, name, sig.(*types.Signature)))
			var spelled []string
			for _, t := range args {
				spelled = append(spelled, t.String())
			}
			made[name] = p.Name() + "." + n + "[" + strings.Join(spelled, ", ") + "]"
		}
	}
	return made, nil
}

// arguments lists type arguments for parameters: every free parameter gets the
// same element, but one that is a map's key gets a key; parameters like S ~[]E
// follow. It is empty for a constraint of another kind.
func arguments(params *types.TypeParamList) (lists [][]types.Type) {
	isKey := map[types.Type]bool{}
	for p := range params.TypeParams() {
		if m, ok := core(p).(*types.Map); ok {
			isKey[m.Key()] = true
		}
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

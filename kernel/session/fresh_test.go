package session

import (
	"go/token"
	"go/types"
	"testing"
)

// A kept object has the type of the checked one and nothing of its package.
func TestFreshKeepsTheTypeAndLeavesThePackage(t *testing.T) {
	for _, text := range []string{
		"int", "error", "any", "[]int", "map[string][]*float64", "[3]chan<- int", "<-chan bool", "struct{}",
		"struct{ A int `json:\"a\"`; b []string; error }",
		"func(a, b int, rest ...string) (n int, err error)",
		"interface{ M(x struct{ y int }) error; error }",
		"func(func(int) func() map[[2]int]any)",
	} {
		pkg := types.NewPackage("main", "main")
		tv, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, "(*"+text+")(nil)")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		elem := tv.Type.(*types.Pointer).Elem()
		got := fresh(types.NewVar(token.NoPos, pkg, "x", elem))
		if !types.Identical(got.Type(), elem) || !types.Identical(elem, got.Type()) {
			t.Errorf("fresh type of %s is %s", text, got.Type())
		}
		if got.Name() != "x" || got.Pkg() == pkg || got.Parent() != got.Pkg().Scope() {
			t.Errorf("%s: %v is not x at the top of a package of its own", text, got)
		}
		eachPackage(got.Type(), func(p *types.Package) {
			if p == pkg {
				t.Errorf("the type of %s still holds the package of its cell", text)
			}
		})
	}
}

// eachPackage calls do with the package of every object inside t.
func eachPackage(t types.Type, do func(*types.Package)) {
	switch t := t.(type) {
	case interface{ Elem() types.Type }:
		eachPackage(t.Elem(), do)
		if m, ok := t.(*types.Map); ok {
			eachPackage(m.Key(), do)
		}
	case *types.Struct:
		for f := range t.Fields() {
			do(f.Pkg())
			eachPackage(f.Type(), do)
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			do(m.Pkg())
			eachPackage(m.Type(), do)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				do(v.Pkg())
				eachPackage(v.Type(), do)
			}
		}
	}
}

package front

import (
	"go/token"
	"go/types"
	"slices"
	"testing"
)

func sources(sc *Scope, names ...string) (l []Source) {
	for _, n := range names {
		v := sc.Names[n]
		l = append(l, Source{n, v.Cell, v.Line, v.Col, v.Source, v.Doc})
	}
	return l
}

// Dependents are checked in the new scope at their own places; one that fails
// takes those with it that use it, and leaves the rest.
func TestRecheck(t *testing.T) {
	b := newNotebook(t)
	b.ok("func f() int { return 1 }",
		"x := 1; func g() int { return f() + 1 }; func k() string { return \"k\" + fmt.Sprint(f()) }",
		"func h() int {\n\treturn g()\n}\nfunc odd(n int) bool { return n != 0 && even(n-1) }\n"+
			"func even(n int) bool { return n == 0 || odd(n-1) }")
	b.ok("func f() string { return \"one\" }")
	c, failed := b.k.Recheck(sources(b.sc, "g", "k", "h", "odd", "even"), b.sc)
	var l []string
	for n, e := range failed {
		l = append(l, n+" "+e.Error())
	}
	slices.Sort(l)
	want := []string{"g cell [2]:1:31: invalid operation: f() + 1 (mismatched types string and untyped int)",
		"h cell [3]:2:9: undefined: g"}
	if !slices.Equal(l, want) {
		t.Errorf("%q", l)
	}
	if c == nil || len(c.Decls) != 3 || c.Decls[0].Name != "k" || c.Decls[0].Cell != 2 || c.Decls[0].Col != 42 ||
		c.Auto["fmt"] != "fmt" {
		t.Errorf("%+v", c)
	}
	if c.Pkg.Scope().Lookup("odd") != c.Decls[1].Obj {
		t.Error("odd is not the object of the new cell")
	}
	if c, failed := b.k.Recheck(sources(b.sc, "h", "g"), b.sc); c != nil || len(failed) != 2 {
		t.Errorf("%v %v", c, failed)
	}
	if c, failed := b.k.Recheck(sources(b.sc, "k"), b.sc); c == nil || len(failed) != 0 {
		t.Errorf("%v %v", c, failed)
	}
}

func TestSame(t *testing.T) {
	v := func(n string, typ types.Type) types.Object { return types.NewVar(token.NoPos, nil, n, typ) }
	b := newNotebook(t)
	b.ok("const c = 1\nfunc f(a int) int { return a }\ntype T struct{}")
	one := b.sc.Names
	b.ok("const c = 1\nfunc f(b int) int { return 2 }\ntype T struct{}")
	two := b.sc.Names
	b.ok("const c = 2\nfunc f(a int) string { return \"\" }")
	three := b.sc.Names
	for _, tt := range []struct {
		a, b types.Object
		want bool
	}{
		{v("x", types.Typ[types.Int]), v("x", types.Typ[types.Int]), true},
		{v("x", types.Typ[types.Int]), v("x", types.Typ[types.String]), false},
		{one["c"].Obj, two["c"].Obj, true},
		{one["c"].Obj, three["c"].Obj, false},
		{one["f"].Obj, two["f"].Obj, true},
		{one["f"].Obj, three["f"].Obj, false},
		{one["f"].Obj, v("f", one["f"].Obj.Type()), false},
		{one["T"].Obj, two["T"].Obj, false},
		{one["T"].Obj, one["T"].Obj, true},
	} {
		if got := Same(tt.a, tt.b); got != tt.want {
			t.Errorf("%v and %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

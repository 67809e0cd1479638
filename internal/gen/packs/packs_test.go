package main

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/gondola-lab/gondola/internal/packs/gondola"
	"github.com/gondola-lab/gondola/internal/packs/gonum"
	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/pack"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

func index(t *testing.T) *pack.Index {
	ix, err := pack.Merge(std.Set(), gonum.Set(), gondola.Set())
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// The symbols of every package are the exported functions, variables and types
// of its export data that are not generic: nothing is missing, nothing is more,
// and each is of its kind.
func TestSymbols(t *testing.T) {
	ix := index(t)
	seen := map[string]*types.Package{}
	for _, path := range ix.Paths() {
		p, err := gcexportdata.Read(bytes.NewReader(ix.Export(path)), token.NewFileSet(), seen, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		have, _ := ix.Lookup(path)
		if have.Name != p.Name() {
			t.Errorf("%s: package %s, want %s", path, have.Name, p.Name())
		}
		symbols := have.Symbols()
		for _, n := range p.Scope().Names() {
			o := p.Scope().Lookup(n)
			v, ok := symbols[n]
			delete(symbols, n)
			if want := wanted(o); ok != (want != "") {
				t.Errorf("%s.%s: symbol %v, want %q", path, n, ok, want)
			} else if ok && kind(v) != want {
				t.Errorf("%s.%s: is a %s, want a %s", path, n, kind(v), want)
			}
		}
		for n := range symbols {
			t.Errorf("%s.%s: a symbol that the export data does not have", path, n)
		}
	}
}

// wanted says what the symbol of an object is, or "" if it has none.
func wanted(o types.Object) string {
	if !token.IsExported(o.Name()) {
		return ""
	}
	switch t := o.Type().(type) {
	case *types.Signature:
		if _, ok := o.(*types.Func); ok {
			if t.TypeParams().Len() > 0 {
				return ""
			}
			return "function"
		}
	case *types.Named:
		if _, ok := o.(*types.TypeName); ok {
			if i, ok := t.Underlying().(*types.Interface); ok && !i.IsMethodSet() || t.TypeParams().Len() > 0 {
				return ""
			}
		}
	}
	switch o.(type) {
	case *types.Var, *types.TypeName:
		return "pointer"
	}
	return ""
}

func kind(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Func:
		return "function"
	case reflect.Pointer:
		return "pointer"
	}
	return v.Kind().String()
}

// A generic call of a cell finds its instance, which does what the function does.
func TestInstance(t *testing.T) {
	ix := index(t)
	for src, want := range map[string]string{
		"slices.Sort([]float32{2, 1})":                   "XG_Sort_sfloat32_float32",
		"slices.Max([]int{2, 1})":                        "XG_Max_sint_int",
		"maps.Keys(map[string]int{})":                    "XG_Keys_mstring_int_string_int",
		`cmp.Compare("a", "b")`:                          "XG_Compare_string",
		"slices.Sort([]int8{2, 1})":                      "",
		"slices.IndexFunc([]string{}, strings.Contains)": "refused",
	} {
		c, e := front.New(ix).Check(1, src, front.NewScope())
		if e != nil {
			if want != "refused" {
				t.Error(e)
			}
			continue
		}
		got := ""
		for id, in := range c.Info.Instances {
			var args []types.Type
			for a := range in.TypeArgs.Types() {
				args = append(args, a)
			}
			if fn, ok := c.Info.Uses[id].(*types.Func); ok {
				if f, ok := front.Instance(fn, args); ok {
					got = f.Name()
					p, _ := ix.Lookup(f.Pkg().Path())
					if v, ok := p.Symbols()[got]; !ok || v.Kind() != reflect.Func {
						t.Errorf("%s: no symbol %s", src, got)
					}
				}
			}
		}
		if got != want {
			t.Errorf("%s: instance %q, want %q", src, got, want)
		}
	}
	p, _ := ix.Lookup("slices")
	xs := []int{3, 1, 2}
	p.Symbols()["XG_Sort_sint_int"].Interface().(func([]int))(xs)
	if fmt.Sprint(xs) != "[1 2 3]" {
		t.Error(xs)
	}
}

// Every package is imported by a cell that touches a constant, a variable, a
// function and a type of it, where it has them.
func TestImport(t *testing.T) {
	ix := index(t)
	k := front.New(ix)
	r := yaegi.NewRunner(ix)
	ran := 0
	seen := map[string]*types.Package{}
	for i, path := range ix.Paths() {
		p, err := gcexportdata.Read(bytes.NewReader(ix.Export(path)), token.NewFileSet(), seen, path)
		if err != nil {
			t.Fatal(err)
		}
		c, e := k.Check(i+1, touch(p), front.NewScope())
		if e != nil {
			t.Errorf("%s: %v", path, e)
			continue
		}
		if c.Imports["p"] != path {
			t.Errorf("%s: the cell imports %v", path, c.Imports)
		}
		prog, refusals := lower.Lower(c)
		if len(refusals) > 0 {
			continue // one of those that only compiled cells may use
		}
		u, err := r.Compile(prog, i+1, func(_ string, t types.Type) (reflect.Value, error) {
			of, err := r.Type(t)
			if err != nil {
				return reflect.Value{}, err
			}
			return reflect.New(of), nil
		})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if fault := u.Run(); fault != nil {
			t.Errorf("%s: %v", path, fault)
		}
		ran++
	}
	if ran < 120 {
		t.Errorf("%d packages ran", ran)
	}
}

// touch is a cell that uses one thing of each kind of a package.
func touch(p *types.Package) string {
	var b strings.Builder
	fmt.Fprintf(&b, "import p %q\n", p.Path())
	done := map[string]bool{}
	for _, n := range p.Scope().Names() {
		o := p.Scope().Lookup(n)
		what := ""
		switch o.(type) {
		case *types.Const:
			what = "const _ = p." + n
		case *types.Var:
			what = "_ = &p." + n
		case *types.Func:
			if wanted(o) != "" {
				what = "_ = p." + n
			}
		case *types.TypeName:
			if wanted(o) != "" {
				what = "var _ *p." + n
			}
		}
		if kind := fmt.Sprintf("%T", o); o.Exported() && !strings.HasPrefix(n, "XG_") && what != "" && !done[kind] {
			done[kind] = true
			b.WriteString(what + "\n")
		}
	}
	return b.String()
}

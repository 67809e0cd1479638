package native

import (
	"go/ast"
	"go/types"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// instances registers the instances of generic functions that were asked for.
func (e *emitter) instances() {
	for _, in := range e.r.Instances {
		text := e.generic(in.Func)
		var args []string
		for _, a := range in.Args {
			args = append(args, e.typ(a))
		}
		if text == "" {
			e.unspelled = true
			continue
		}
		e.funcs[in.Key] = text + "[" + strings.Join(args, ", ") + "]"
	}
}

// generic is the name of a generic function of the session or of a package.
func (e *emitter) generic(f *types.Func) string {
	switch {
	case f.Pkg() == nil:
		return ""
	case f.Pkg().Path() != homePath:
		return e.pkg(f.Pkg().Path()) + "." + f.Name()
	}
	if home, ok := e.home(f); ok {
		return e.unit(home) + "." + exported(f.Name())
	}
	if f.Pkg() == e.cell.Pkg {
		return exported(f.Name())
	}
	return ""
}

// witnesses are expressions of the types that no text can say, by the type:
// a nil pointer to it, with the imports that it needs.
var witnesses sync.Map // types.TypeString → witness

type witness struct {
	text    string
	helper  string // declaration of the function that it calls
	imports map[string]string
}

// witnessOf is an expression of the type of a pointer to o, whose own type no
// text can say: it is inferred from what some variable of the type began with.
// "" makes the emission fail.
func (e *emitter) witnessOf(o types.Object) string {
	key := types.TypeString(o.Type(), func(p *types.Package) string { return p.Path() })
	if w, ok := witnesses.Load(key); ok {
		return e.witnessText(w.(witness))
	}
	for _, in := range e.info.InitOrder {
		for i, v := range in.Lhs {
			if v != o {
				continue
			}
			w := witness{imports: map[string]string{}}
			if !e.inferred(&w, ast.Unparen(in.Rhs), i) {
				break
			}
			witnesses.Store(key, w)
			return e.witnessText(w)
		}
	}
	e.unspelled = true
	return ""
}

func (e *emitter) witnessText(w witness) string {
	maps.Copy(e.imports, w.imports)
	text := w.text
	if w.helper != "" {
		e.helpers++
		name := hidden + "w" + strconv.Itoa(e.helpers)
		e.tail.WriteString(strings.ReplaceAll(w.helper, "HELPER", name) + "\n")
		text = strings.ReplaceAll(text, "HELPER", name)
	}
	return text
}

// inferred finds a witness of the type of result i of an expression, which is
// not evaluated unless that does nothing.
func (e *emitter) inferred(w *witness, x ast.Expr, i int) bool {
	var o types.Object
	switch x := x.(type) {
	case *ast.CallExpr:
		return e.inferredCall(w, x, i)
	case *ast.Ident:
		o = e.info.Uses[x]
	case *ast.SelectorExpr:
		if e.info.Selections[x] == nil {
			o = e.info.Uses[x.Sel]
		}
	}
	v, ok := o.(*types.Var)
	if !ok || v.Pkg().Path() == homePath {
		return false
	}
	w.text = e.noted(w, cellapiPath) + ".NilOf(" + e.noted(w, v.Pkg().Path()) + "." + v.Name() + ")"
	return true
}

// noted is the name of a package in the text of a witness.
func (e *emitter) noted(w *witness, p string) string {
	name := hidden + "api"
	if p != cellapiPath {
		name = e.pkg(p)
	}
	w.imports[name] = p
	return name
}

// inferredCall infers the type of a result from the function that is called:
//
//	func XG_w1[T any](func(int) T) (p *T) { return }
func (e *emitter) inferredCall(w *witness, c *ast.CallExpr, i int) bool {
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, _ := e.info.Uses[s.Sel].(*types.Func)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() == homePath || fn.Signature().TypeParams().Len() > 0 {
		return false
	}
	before := maps.Clone(e.imports)
	sig := fn.Signature()
	target := e.noted(w, fn.Pkg().Path()) + "." + fn.Name()
	var in, out []string
	if recv := sig.Recv(); recv != nil {
		text, ok := e.spell(recv.Type())
		if !ok {
			return false
		}
		in, target = append(in, text), "("+text+")."+fn.Name()
	}
	params, ok := e.spell(types.NewSignatureType(nil, nil, nil, sig.Params(), nil, sig.Variadic()))
	if !ok {
		return false
	}
	if params = strings.TrimSuffix(strings.TrimPrefix(params, "func("), ")"); params != "" {
		in = append(in, params)
	}
	for k := range sig.Results().Len() {
		out = append(out, hidden+"T"+strconv.Itoa(k+1))
	}
	for name, p := range e.imports {
		if _, ok := before[name]; !ok || strings.Contains(params, name+".") || strings.Contains(target, name+".") {
			w.imports[name] = p
		}
	}
	list := strings.Join(out, ", ")
	w.helper = "func HELPER[" + list + " interface{}](func(" + strings.Join(in, ", ") + ") (" + list + ")) (p *" +
		out[i] + ") { return }"
	w.text = "HELPER(" + target + ")"
	return true
}

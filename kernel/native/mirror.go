package native

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/types"
	"sort"
	"strings"
)

// A unit cannot say the small-letter fields of another one. It reaches them
// through a mirror: a struct of the same types in the same order, so of the same
// layout, with exported names.
//
//	p.x   ⇒   (*XG_s1)(unsafe.Pointer(&p)).XG_x
//
// Struct types without a name belong to the first unit that has them, be it as
// what a type is declared as; later ones use its alias, for two literals of two
// packages are two types.

// mirror is a mirror of a struct type.
type mirror struct {
	name string // of its declaration; the literal itself inside of generic functions
	of   string // the struct's own type, where it can be said
}

// foreign reports whether a field can be said in its own unit only. inside is
// the struct type without a name that it belongs to, or nil.
func (e *emitter) foreign(f *types.Var, inside *types.Struct) bool {
	if f.Exported() || f.Pkg() == nil || f.Pkg().Path() != homePath || f.Name() == "_" {
		return false
	}
	if f.Pkg() != e.cell.Pkg {
		return true
	}
	if inside == nil {
		return false
	}
	_, ok := e.structHome(inside)
	return ok
}

// nameless is the struct type itself where t has no name, and that of a type of
// this cell whose fields are those of an earlier unit: one that was declared as
// a struct type which a unit has without a name.
func (e *emitter) nameless(t types.Type) *types.Struct {
	switch t := types.Unalias(t).(type) {
	case *types.Struct:
		return t
	case *types.Named:
		s, ok := t.Underlying().(*types.Struct)
		if !ok || t.Obj().Pkg() != e.cell.Pkg || t.TypeArgs().Len() > 0 {
			return nil
		}
		if _, elsewhere := e.home(t.Obj()); elsewhere {
			return nil
		}
		if _, ok := e.structHome(s); ok {
			return s
		}
	}
	return nil
}

// mirrorOf is the text of the mirror of struct type t.
func (e *emitter) mirrorOf(t types.Type) string {
	st := t.Underlying().(*types.Struct)
	var fields []string
	for f := range st.Fields() {
		fields = append(fields, mirrored(f)+" "+e.typ(f.Type()))
	}
	text := "struct{ " + strings.Join(fields, "; ") + " }"
	if open(t, e.cell.Pkg) {
		return text
	}
	if m, ok := e.mirrors[text]; ok {
		return m.name
	}
	m := &mirror{name: fmt.Sprintf("%ss%d", hidden, len(e.mirrors)+1)}
	if of, ok := e.spell(t); ok {
		m.of = of
	}
	e.mirrors[text] = m
	return m.name
}

// mirrored is the name of a field in a mirror.
func mirrored(f *types.Var) string {
	if f.Name() == "_" || f.Exported() {
		return f.Name()
	}
	return hidden + f.Name()
}

// writeMirrors writes the mirrors and what checks their layouts.
func (e *emitter) writeMirrors(b *strings.Builder) {
	texts := make([]string, 0, len(e.mirrors))
	for text := range e.mirrors {
		texts = append(texts, text)
	}
	sort.Slice(texts, func(i, j int) bool {
		a, b := e.mirrors[texts[i]].name, e.mirrors[texts[j]].name
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	for _, text := range texts {
		m := e.mirrors[text]
		fmt.Fprintf(b, "type %s %s\n", m.name, text)
		if m.of != "" {
			e.inits = append(e.inits, fmt.Sprintf("%s.SameLayout(%s.TypeOf[%s](), %s.TypeOf[%s]())",
				e.api(), e.api(), m.of, e.api(), m.name))
		}
	}
}

// field rewrites x.f where f can only be said in another unit. On the way there
// fields of embedded structs are written out.
func (e *emitter) field(s *ast.SelectorExpr, sel *types.Selection) {
	t, place := sel.Recv(), e.cell.Info.Types[s.X].Addressable()
	var pre, post string
	var steps []*types.Var
	for _, i := range sel.Index() {
		st := structOf(t)
		steps = append(steps, st.Field(i))
		t = st.Field(i).Type()
	}
	t = sel.Recv()
	for i, f := range steps {
		_, pointer := t.Underlying().(*types.Pointer)
		base := deref(t)
		if e.foreign(f, e.nameless(base)) {
			open := "(*" + e.mirrorOf(base) + ")(" + e.pkg("unsafe") + ".Pointer("
			switch {
			case pointer:
				pre, post = open+pre, post+"))"
			case place:
				pre, post = open+"&"+pre, post+"))"
			default:
				pre, post = open+e.api()+".At("+pre, post+")))"
			}
			place = true
		}
		place = place || pointer
		if i < len(steps)-1 {
			post += "." + e.sayField(f, base)
		}
		t = f.Type()
	}
	e.before(s.X, pre)
	e.atExit(func() {
		e.insert(s.X.End(), post)
		e.replace(s.Sel.Pos(), s.Sel.End(), mirrored(steps[len(steps)-1]))
	})
}

// sayField is the name of a field of base behind a dot.
func (e *emitter) sayField(f *types.Var, base types.Type) string {
	if e.foreign(f, e.nameless(base)) {
		return mirrored(f)
	}
	return f.Name()
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func structOf(t types.Type) *types.Struct {
	return deref(t).Underlying().(*types.Struct)
}

// composite rewrites a literal of a struct type of another unit that says
// small-letter fields, by their names or by their places.
func (e *emitter) composite(lit *ast.CompositeLit) {
	t := e.cell.Info.TypeOf(lit)
	base, elided := t, false
	if p, ok := core(t).Underlying().(*types.Pointer); ok { // &T left out: []*T{{…}}
		base, elided = p.Elem(), true
	}
	st, ok := core(base).Underlying().(*types.Struct)
	if !ok || !e.says(lit, st, e.nameless(base)) {
		e.alone(lit)
		return
	}
	star := "*"
	if elided {
		star = ""
	}
	prefix := "(" + star + "(*" + e.typ(base) + ")(" + e.pkg("unsafe") + ".Pointer(&" + e.mirrorOf(core(base))
	if lit.Type != nil {
		e.replace(lit.Type.Pos(), lit.Type.End(), prefix)
		e.skip[lit.Type] = true
	} else {
		e.insert(lit.Lbrace, prefix)
	}
	e.atExit(func() { e.after(lit, ")))") })
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok || synthetic(kv) {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok {
			if f, ok := e.cell.Info.Uses[id].(*types.Var); ok {
				e.replace(id.Pos(), id.End(), mirrored(f))
			}
		}
	}
}

// alone puts a literal of a struct type without a name in parentheses when the
// type gets one: before a block its brace would begin the block.
func (e *emitter) alone(lit *ast.CompositeLit) {
	if s, ok := lit.Type.(*ast.StructType); ok && !e.keep[s] {
		e.insert(lit.Pos(), "(")
		e.atExit(func() { e.after(lit, ")") })
	}
}

// core is the type whose literals a type parameter has: one of its type set,
// which all have one underlying type there. Any other type is its own.
func core(t types.Type) types.Type {
	if p, ok := t.(*types.TypeParam); ok {
		if of := oneOf(p.Constraint()); of != nil {
			return of
		}
	}
	return t
}

// oneOf is a type that a constraint names, or nil.
func oneOf(t types.Type) types.Type {
	switch u := t.(type) {
	case *types.Union:
		return u.Term(0).Type()
	case *types.Named, *types.Alias, *types.Interface:
		in, ok := u.Underlying().(*types.Interface)
		if !ok {
			return t
		}
		for e := range in.EmbeddedTypes() {
			if of := oneOf(e); of != nil {
				return of
			}
		}
		return nil
	}
	return t
}

// convert rewrites a conversion between struct types, or pointers to them, whose
// small-letter fields are those of two units: one to the checker, two to the
// compiler.
func (e *emitter) convert(c *ast.CallExpr) {
	if tv := e.info.Types[c.Fun]; !tv.IsType() || len(c.Args) != 1 || e.r.Program {
		return
	}
	to, from := e.info.TypeOf(c.Fun), e.info.TypeOf(c.Args[0])
	_, pointers := to.Underlying().(*types.Pointer)
	a, ok := deref(to).Underlying().(*types.Struct)
	b, is := deref(from).Underlying().(*types.Struct)
	if !ok || !is || a.NumFields() != b.NumFields() {
		return
	}
	differ := false
	for i := range a.NumFields() {
		f := a.Field(i)
		differ = differ || !f.Exported() && e.origin(f, deref(to)) != e.origin(b.Field(i), deref(from))
	}
	switch {
	case !differ:
	case pointers:
		e.before(c.Args[0], e.pkg("unsafe")+".Pointer(")
		e.atExit(func() { e.after(c.Args[0], ")") })
	default:
		e.before(c, "(*(*")
		e.atExit(func() {
			e.after(c.Fun, ")("+e.pkg("unsafe")+".Pointer("+e.api()+".At")
			e.after(c, ")))")
		})
	}
}

// origin is the unit that a small-letter field of a struct type belongs to.
func (e *emitter) origin(f *types.Var, of types.Type) any {
	if s := e.nameless(of); s != nil {
		if home, ok := e.structHome(s); ok {
			return home
		}
	}
	return f.Pkg()
}

// says reports whether a literal says a field that its unit cannot.
func (e *emitter) says(lit *ast.CompositeLit, st *types.Struct, inside *types.Struct) bool {
	for i, el := range lit.Elts {
		f := st.Field(i)
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			if f, ok = e.cell.Info.Uses[kv.Key.(*ast.Ident)].(*types.Var); !ok {
				continue
			}
		}
		if e.foreign(f, inside) {
			return true
		}
	}
	return false
}

// synthetic tells the keys that the front gave a literal: they are not in its text.
func synthetic(kv *ast.KeyValueExpr) bool { return kv.Colon == kv.Value.Pos() }

// structKey names a struct type without a name that has small-letter fields of
// cells, by all that its identity hangs on; "" for one that only the piece of
// code where it stands can say, and for others.
func (e *emitter) structKey(t *types.Struct) string {
	small, foreign := false, false
	for f := range t.Fields() {
		s := !f.Exported() && f.Pkg().Path() == homePath
		small, foreign = small || s, foreign || s && f.Pkg() != e.cell.Pkg
	}
	if !small || e.r.Program || open(t, e.cell.Pkg) {
		return ""
	}
	ok := true
	key := types.TypeString(t, func(p *types.Package) string { return p.Path() })
	where := ""
	walkNamed(t, map[types.Type]bool{}, func(n *types.Named) {
		o := n.Obj()
		if o.Pkg() == nil || o.Pkg().Path() != homePath {
			return
		}
		home, has := e.home(o)
		switch {
		case has:
		case o.Pkg() == e.cell.Pkg:
			home = e.r.Path
		default:
			ok = false
		}
		where += " " + o.Name() + "=" + home
	})
	if !foreign { // one that embeds the alias of a function has no text outside of it
		unspelled := e.unspelled
		e.unspelled = false
		e.literal(t, false)
		ok, e.unspelled = ok && !e.unspelled, unspelled
	}
	if !ok {
		return ""
	}
	return key + where
}

func structName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hidden + "S" + hex.EncodeToString(sum[:8])
}

func (e *emitter) structHome(t *types.Struct) (string, bool) {
	if len(e.r.Structs) == 0 {
		return "", false
	}
	key := e.structKey(t)
	if key == "" {
		return "", false
	}
	home, ok := e.r.Structs[key]
	return home, ok
}

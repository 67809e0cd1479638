package native

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// typ is the text of a type in the emitted file. It notes the imports that the
// text needs. A type that has none, an unexported one of a package, makes the
// text empty and is noted as e.unspelled.
func (e *emitter) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return e.typ(types.Unalias(t))
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return e.pkg("unsafe") + ".Pointer"
		}
		return e.universe(types.Default(t).(*types.Basic).Name())
	case *types.Named:
		return e.named(t)
	case *types.TypeParam:
		if name, ok := e.params[t]; ok {
			return name
		}
		return t.Obj().Name()
	case *types.Pointer:
		return "*" + e.typ(t.Elem())
	case *types.Slice:
		return "[]" + e.typ(t.Elem())
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + e.typ(t.Elem())
	case *types.Map:
		return "map[" + e.typ(t.Key()) + "]" + e.typ(t.Elem())
	case *types.Chan:
		return e.channel(t)
	case *types.Signature:
		return "func" + e.signature(t, nil)
	case *types.Struct:
		return e.structure(t)
	case *types.Interface:
		return e.iface(t)
	case *types.Union:
		var terms []string
		for term := range t.Terms() {
			tilde := ""
			if term.Tilde() {
				tilde = "~"
			}
			terms = append(terms, tilde+e.typ(term.Type()))
		}
		return strings.Join(terms, " | ")
	}
	e.unspelled = true
	return ""
}

// spell is typ, with a report whether there is such a text.
func (e *emitter) spell(t types.Type) (text string, ok bool) {
	old := e.unspelled
	e.unspelled = false
	text = e.typ(t)
	ok = !e.unspelled
	e.unspelled = old
	return text, ok
}

// universe is a predeclared type, also where the cell gives its name to
// something else.
func (e *emitter) universe(name string) string {
	if !e.defined[name] {
		return name
	}
	switch name {
	case "byte":
		name = "uint8"
	case "rune":
		name = "int32"
	}
	return e.api() + "." + strings.ToUpper(name[:1]) + name[1:]
}

// named is a declared type: of the universe, a package, the cell, or the unit
// that is its home.
func (e *emitter) named(t *types.Named) string {
	o := t.Obj()
	text := ""
	switch {
	case o.Pkg() == nil:
		return e.universe(o.Name())
	case o.Pkg().Path() != homePath:
		if !o.Exported() || o.Parent() != o.Pkg().Scope() {
			e.unspelled = true
			return ""
		}
		text = e.pkg(o.Pkg().Path()) + "." + o.Name()
	default:
		text = e.cellType(o)
	}
	return text + e.typeArgs(t.TypeArgs())
}

// cellType is the name of a type that a cell declares.
func (e *emitter) cellType(o *types.TypeName) string {
	if home, ok := e.home(o); ok {
		return e.unit(home) + "." + exported(o.Name())
	}
	if o.Pkg() != e.cell.Pkg {
		e.unspelled = true
		return ""
	}
	return o.Name()
}

// exported is the name under which a unit hands out a name of the cell.
func exported(name string) string {
	if ast.IsExported(name) {
		return name
	}
	return hidden + name
}

func (e *emitter) channel(t *types.Chan) string {
	elem := e.typ(t.Elem())
	switch t.Dir() {
	case types.SendOnly:
		return "chan<- " + elem
	case types.RecvOnly:
		return "<-chan " + elem
	}
	if c, ok := types.Unalias(t.Elem()).(*types.Chan); ok && c.Dir() == types.RecvOnly {
		elem = "(" + elem + ")"
	}
	return "chan " + elem
}

// signature is "(a T, b ...U) (V, W)"; names gives the parameters names.
func (e *emitter) signature(t *types.Signature, names func(i int) string) string {
	var in, out []string
	for i := range t.Params().Len() {
		p := t.Params().At(i).Type()
		text := ""
		if s, ok := types.Unalias(p).(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
			text = "..." + e.typ(s.Elem())
		} else if t.Variadic() && i == t.Params().Len()-1 { // append([]byte, string...)
			text = "..." + e.universe("byte")
		} else {
			text = e.typ(p)
		}
		if names != nil {
			text = names(i) + " " + text
		}
		in = append(in, text)
	}
	for r := range t.Results().Variables() {
		out = append(out, e.typ(r.Type()))
	}
	text := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
	case 1:
		text += " " + out[0]
	default:
		text += " (" + strings.Join(out, ", ") + ")"
	}
	return text
}

// structure is a struct type without a name: the literal, or the alias of the
// unit that is the home of its small-letter fields.
func (e *emitter) structure(t *types.Struct) string {
	if home, ok := e.structHome(t); ok {
		return e.unit(home) + "." + structName(e.structKey(t))
	}
	if key := e.structKey(t); e.homeless[key] != nil {
		return e.literal(e.homeless[key], true)
	}
	return e.literal(t, false)
}

// adopt makes this unit the home of the struct types without a name in the type
// of a variable of the session, whose fields have the package of its object: the
// text of a declaration without a value need not hold them.
func (e *emitter) adopt(t types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		if _, ok := e.structHome(t); ok {
			return
		}
		for f := range t.Fields() {
			e.adopt(f.Type())
		}
		if key := e.structKey(t); key != "" && e.homeless[key] == nil {
			e.homeless[key] = t
		}
	case *types.Map:
		e.adopt(t.Key())
		e.adopt(t.Elem())
	case interface{ Elem() types.Type }:
		e.adopt(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			e.adopt(v.Type())
		}
		for v := range t.Results().Variables() {
			e.adopt(v.Type())
		}
	}
}

// literal is the literal of a struct type. Its fields are those of this cell,
// or the unit is home to it, which gives them its package.
func (e *emitter) literal(t *types.Struct, home bool) string {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() && (f.Pkg().Path() != homePath || f.Pkg() != e.cell.Pkg && !home) {
			e.unspelled = true
			return ""
		}
		text := f.Name() + " " + e.typ(f.Type())
		if f.Embedded() {
			text = e.embedded(f)
		}
		if tag := t.Tag(i); tag != "" {
			text += " " + strconv.Quote(tag)
		}
		fields = append(fields, text)
	}
	if len(fields) == 0 {
		return "struct{}"
	}
	return "struct{ " + strings.Join(fields, "; ") + " }"
}

// embedded is the type of an embedded field by such a name that the field gets
// its own.
func (e *emitter) embedded(f *types.Var) string {
	t, star := f.Type(), ""
	if p, ok := t.(*types.Pointer); ok {
		t, star = p.Elem(), "*"
	}
	text := e.typ(t)
	if name := f.Name(); types.Universe.Lookup(name) != nil && e.cell.Pkg.Scope().Lookup(name) == nil &&
		types.Identical(t, types.Universe.Lookup(name).Type()) {
		text = name // also where a field or a local variable has it
	}
	var o *types.TypeName
	var args *types.TypeList
	switch t := t.(type) {
	case *types.Alias:
		o, args = t.Obj(), t.TypeArgs()
	case *types.Named:
		o, args = t.Obj(), t.TypeArgs()
	}
	if o != nil && sessionLevel(o) {
		e.needType(o)
		text = o.Name() + e.typeArgs(args)
	}
	name, _, _ := strings.Cut(text, "[")
	if name[strings.LastIndexByte(name, '.')+1:] != f.Name() {
		e.unspelled = true
	}
	return star + text
}

func (e *emitter) typeArgs(l *types.TypeList) string {
	var args []string
	for a := range l.Types() {
		args = append(args, e.typ(a))
	}
	if len(args) == 0 {
		return ""
	}
	return "[" + strings.Join(args, ", ") + "]"
}

func (e *emitter) iface(t *types.Interface) string {
	if types.Identical(t, types.Universe.Lookup("any").Type()) {
		return e.universe("any")
	}
	var parts []string
	for m := range t.ExplicitMethods() {
		if !m.Exported() && m.Pkg().Path() != homePath {
			e.unspelled = true
			return ""
		}
		parts = append(parts, e.method(m)+e.signature(m.Signature(), nil))
	}
	for em := range t.EmbeddedTypes() {
		parts = append(parts, e.typ(em))
	}
	if t.IsImplicit() && len(parts) == 1 {
		return parts[0]
	}
	return "interface{ " + strings.Join(parts, "; ") + " }"
}

// method is the name of a method: small-letter ones of cells get an exported
// one everywhere, or a type of another unit could never have them.
func (e *emitter) method(m *types.Func) string {
	if e.r.Program || m.Exported() || m.Name() == "_" || m.Pkg() == nil || m.Pkg().Path() != homePath {
		return m.Name()
	}
	return hidden + m.Name()
}

// typeParams is "[P1 C1, P2 C2]" and "[P1, P2]" of a declared generic type or
// function under names of ours, since some may be blank.
func (e *emitter) typeParams(l *types.TypeParamList) (decl, use string) {
	var d, u []string
	for i, p := range pairs(l) {
		name := fmt.Sprintf("%sP%d", hidden, i+1)
		e.params[p] = name
		u = append(u, name)
	}
	for i, p := range pairs(l) {
		d = append(d, u[i]+" "+e.typ(p.Constraint()))
	}
	for _, p := range pairs(l) {
		delete(e.params, p)
	}
	return "[" + strings.Join(d, ", ") + "]", "[" + strings.Join(u, ", ") + "]"
}

func pairs(l *types.TypeParamList) []*types.TypeParam {
	out := make([]*types.TypeParam, 0, l.Len())
	for p := range l.TypeParams() {
		out = append(out, p)
	}
	return out
}

package native

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// needType notes that the text names a type of an earlier cell: the file
// declares an alias of it under that name, so that embedded fields keep theirs.
func (e *emitter) needType(o *types.TypeName) {
	home, ok := e.home(o)
	if !ok && o.Pkg() == e.cell.Pkg || e.needs[o.Name()] != "" {
		return
	}
	params := typeParamsOf(o.Type())
	if params.Len() == 0 {
		e.needs[o.Name()] = "type " + o.Name() + " = " + e.typ(o.Type())
		return
	}
	if !ok {
		e.unspelled = true
		return
	}
	decl, use := e.typeParams(params)
	e.needs[o.Name()] = "type " + o.Name() + decl + " = " + e.unit(home) + "." + exported(o.Name()) + use
}

// needConst declares a constant of an earlier cell again.
func (e *emitter) needConst(o *types.Const) {
	if e.needs[o.Name()] != "" {
		return
	}
	typ := ""
	if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
		typ = " " + e.typ(o.Type())
	}
	e.needs[o.Name()] = "const " + o.Name() + typ + " = " + constText(o.Val(), o.Type())
}

// constText is a constant expression with exactly the value of v.
func constText(v constant.Value, t types.Type) string {
	b, _ := t.Underlying().(*types.Basic)
	switch v.Kind() {
	case constant.Bool:
		if constant.BoolVal(v) {
			return "0 == 0"
		}
		return "0 != 0"
	case constant.String:
		return strconv.Quote(constant.StringVal(v))
	case constant.Complex:
		return "(" + number(constant.Real(v), ".0") + " + " + number(constant.Imag(v), ".0") + "*1i)"
	}
	switch {
	case b != nil && b.Info()&types.IsUntyped == 0 && b.Info()&(types.IsFloat|types.IsComplex) != 0:
		return number(v, ".0")
	case b == nil || b.Info()&types.IsUntyped == 0:
		return number(v, "")
	case b.Kind() == types.UntypedRune:
		return `'\x00' + ` + number(v, "")
	case b.Kind() == types.UntypedFloat:
		return number(v, ".0")
	case b.Kind() == types.UntypedComplex:
		return "0i + " + number(v, ".0")
	}
	return number(v, "")
}

// number is an integer, or an exact quotient of two. What ends it, point, makes
// it a floating-point constant, which may have more bits than an integer.
func number(v constant.Value, point string) string {
	if i := constant.ToInt(v); i.Kind() == constant.Int {
		return "(" + i.ExactString() + point + ")"
	}
	s := v.ExactString()
	if n, d, ok := strings.Cut(s, "/"); ok {
		return "(" + n + ".0 / " + d + ".0)"
	}
	return "(" + s + ")"
}

// pointer is the name of the pointer to the memory of a session variable or
// function.
func (e *emitter) pointer(o types.Object) string {
	name := o.Name()
	if _, ok := e.pointers[name]; !ok {
		text, ok := e.spell(o.Type())
		if !ok {
			e.witness[name] = e.witnessOf(o)
		}
		e.pointers[name] = text
	}
	return pointerName(name)
}

func pointerName(name string) string { return local + "p" + strconv.Itoa(len(name)) + "_" + name }

// writeNeeds writes the names of earlier cells.
func (e *emitter) writeNeeds(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(e.needs)) {
		b.WriteString(e.needs[name] + "\n")
	}
}

// writePointers writes the pointers to the memory of the session, or in a
// program the variables themselves.
func (e *emitter) writePointers(b *strings.Builder) {
	if e.r.Program {
		e.programVars(b)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.pointers)) {
		if w := e.witness[name]; w != "" {
			fmt.Fprintf(b, "var %s = %s\n", pointerName(name), w)
			continue
		}
		fmt.Fprintf(b, "var %s *%s\n", pointerName(name), e.pointers[name])
	}
	if len(e.pointers) == 0 {
		return
	}
	fmt.Fprintf(b, "func %sbind(%sget %s.Lookup) {\n", local, hidden, e.api())
	for _, name := range slices.Sorted(maps.Keys(e.pointers)) {
		fmt.Fprintf(b, "\t%s.Bind(&%s, %sget, %q)\n", e.api(), pointerName(name), hidden, name)
	}
	b.WriteString("}\n")
}

// programVars writes the variables of a program; the body gives them their
// values.
func (e *emitter) programVars(b *strings.Builder) {
	for _, p := range e.cell.Pieces {
		d, ok := p.Node.(*ast.GenDecl)
		if !ok || p.Kind != front.Var {
			continue
		}
		for _, s := range d.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				v, ok := e.info.Defs[id].(*types.Var)
				if !ok || id.Name == "_" {
					continue
				}
				if text, ok := e.spell(v.Type()); ok {
					fmt.Fprintf(b, "var %s %s\n", id.Name, text)
				} else {
					fmt.Fprintf(b, "var %s = %s.Zeroed(%s)\n", id.Name, e.api(), e.witnessOf(v))
				}
			}
		}
	}
}

// writeRegister writes the init function that hands everything out.
func (e *emitter) writeRegister(b *strings.Builder) {
	api := e.api()
	for _, key := range slices.Sorted(maps.Keys(e.r.Types)) {
		e.adopt(e.r.Types[key])
	}
	for key, t := range e.r.Types {
		text, ok := e.spell(t)
		if w := e.witness[strings.TrimPrefix(key, "var ")]; !ok && w != "" {
			e.types[key] = "" // by its pointer, below
			e.inits = append(e.inits, fmt.Sprintf("%stypes[%q] = %s.Elem(%s)", local, key, api,
				pointerName(strings.TrimPrefix(key, "var "))))
			continue
		} else if !ok {
			e.unspelled = true
		}
		e.types[key] = text
	}
	e.structs(b)
	fmt.Fprintf(b, "var %stypes = %s.Types{\n", local, api)
	for _, key := range slices.Sorted(maps.Keys(e.types)) {
		if e.types[key] != "" {
			fmt.Fprintf(b, "\t%q: %s.TypeOf[%s](),\n", key, api, e.types[key])
		}
	}
	b.WriteString("}\n")
	b.WriteString("func init() {\n")
	slices.Sort(e.inits)
	for _, s := range e.inits {
		b.WriteString("\t" + s + "\n")
	}
	fmt.Fprintf(b, "\t%s.Register(%q, %s.Objects{\n\t\tTypes: %stypes,\n", api, e.r.Path, api, local)
	e.writeValues(b, "Funcs", e.funcs)
	e.writeValues(b, "Methods", e.methods)
	if len(e.pointers) > 0 {
		fmt.Fprintf(b, "\t\tVars: %s.Names{", api)
		for _, name := range slices.Sorted(maps.Keys(e.pointers)) {
			fmt.Fprintf(b, "%q, ", name)
		}
		fmt.Fprintf(b, "},\n\t\tBind: %sbind,\n", local)
	}
	if strings.Contains(e.decls.String(), "func "+bodyName+"(") {
		fmt.Fprintf(b, "\t\tBody: %s,\n", bodyName)
	}
	b.WriteString("\t})\n}\n")
	if o, ok := e.cell.Pkg.Scope().Lookup("main").(*types.Func); !ok || o.Pkg() != e.cell.Pkg || !e.compiles("main") {
		b.WriteString("func main() {}\n")
	}
}

func (e *emitter) writeValues(b *strings.Builder, field string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	fmt.Fprintf(b, "\t\t%s: %s.Values{\n", field, e.api())
	for _, key := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(b, "\t\t\t%q: %s.Value(%s),\n", key, e.api(), m[key])
	}
	b.WriteString("\t\t},\n")
}

// structs writes the aliases of the struct types without a name that this unit
// is the first to have.
func (e *emitter) structs(b *strings.Builder) {
	for _, key := range slices.Sorted(maps.Keys(e.homeless)) {
		fmt.Fprintf(b, "type %s = %s\n", structName(key), e.typ(e.homeless[key]))
		e.out.Structs = append(e.out.Structs, key)
	}
}

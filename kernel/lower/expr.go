package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// expr returns text with the value of an expression, of exactly its type.
// Calls, receives and whatever else happens in an order are written before, in
// hidden variables; what is left in the text only reads.
//
// This switch is the list of expressions in the subset. What is not in it is
// refused.
func (f *function) expr(e ast.Expr) string {
	l := f.l
	tv := l.info.Types[e]
	if tv.Value != nil {
		return f.constant(e, tv)
	}
	if t := tv.Type; t != nil && !tv.IsType() && !tv.IsBuiltin() && !tv.IsVoid() && !tv.IsNil() {
		if why := l.banned(t); why != "" {
			return l.refuse(e, "%s", why)
		}
	}
	if inst, generic := l.instance(e); generic {
		return f.generic(e, inst)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.expr(e.X)
	case *ast.Ident:
		return f.ident(e)
	case *ast.BinaryExpr:
		return f.binary(e)
	case *ast.UnaryExpr:
		return f.unary(e)
	case *ast.StarExpr:
		return f.deref(e)
	case *ast.SelectorExpr:
		return f.selector(e)
	case *ast.IndexExpr:
		return f.index(e)
	case *ast.SliceExpr:
		return f.slice(e)
	case *ast.CallExpr:
		return f.call(e)
	case *ast.FuncLit:
		return f.funcLit(e)
	case *ast.CompositeLit:
		return f.composite(e)
	case *ast.TypeAssertExpr:
		return f.assert(e)
	}
	return l.refuse(e, "%s", describe(e))
}

// operand is expr in brackets where the text does not hold together by itself.
func (f *function) operand(e ast.Expr) string { return group(f.expr(e)) }

// group puts text in brackets unless it is a name, a literal or has them: a
// literal in brackets makes Yaegi v0.16.1 take a comparison for a string.
func group(s string) string {
	if s == "" || s[0] == '"' || isNumber(s) || s[0] == '(' && closes(s) {
		return s
	}
	for _, r := range s {
		if !(r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127) {
			return "(" + s + ")"
		}
	}
	return s
}

// bare is text without brackets around all of it: each is a step of its own
// for the interpreter.
func bare(s string) string {
	for s != "" && s[0] == '(' && closes(s) {
		s = s[1 : len(s)-1]
	}
	return s
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// closes reports whether the bracket that s begins with ends it.
func closes(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}

// atom returns the name of a variable that nobody else changes, or a literal.
func (f *function) atom(e ast.Expr) string {
	s := f.expr(e)
	if strings.HasPrefix(s, "_g") && !strings.ContainsAny(s, " .[(") {
		return s
	}
	return f.hoist(s)
}

// to returns the value of an expression as a value of type t, to which it is
// assignable.
func (f *function) to(e ast.Expr, t types.Type) string {
	l := f.l
	if l.info.Types[e].IsNil() {
		if why := l.banned(t); why != "" {
			return l.refuse(e, "%s", why)
		}
		return l.zero(t)
	}
	from := l.info.TypeOf(e)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return f.untyped(e, t)
	}
	return f.convert(e, f.expr(e), from, t)
}

// untyped gives the value of an untyped expression the type t: a constant is
// folded, a comparison is a bool first.
func (f *function) untyped(e ast.Expr, t types.Type) string {
	l := f.l
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	d := types.Default(l.info.TypeOf(e))
	if types.IsInterface(t) {
		return f.convert(e, f.untyped(e, d), d, t)
	}
	if v := l.info.Types[e].Value; v != nil {
		return l.literal(e, v, t)
	}
	s := f.expr(e) // a comparison, or a shift that already has its type
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Kind() == types.Bool || types.Identical(t, l.info.TypeOf(e)) {
		return s
	}
	return f.hoist(l.typ(t) + "(" + s + ")")
}

// convert changes the type of a value between assignable types. Only a change
// to an interface does something; it is made by compiled code.
func (f *function) convert(at ast.Expr, text string, from, to types.Type) string {
	l := f.l
	if types.Identical(from, to) {
		return text
	}
	if why := first(l.banned(from), l.banned(to)); why != "" {
		return l.refuse(at, "%s", why)
	}
	if types.IsInterface(to) {
		f.small(at, from)
	}
	return fmt.Sprintf("%s(%s)", l.symbol(Convert, "", from, to), text)
}

// ident is a name: a local variable, or a variable or function of the session.
func (f *function) ident(e *ast.Ident) string {
	l := f.l
	switch obj := l.info.ObjectOf(e).(type) {
	case *types.Var:
		if !atTop(obj) {
			return f.local(obj)
		}
		return f.global(e, obj)
	case *types.Func:
		return f.global(e, obj)
	case *types.Nil:
		return l.refuse(e, "nil without a type")
	}
	return l.refuse(e, "the name %s", e.Name)
}

// global is a variable or function of the session, or one of a package that a
// dot import brought.
func (f *function) global(e ast.Expr, obj types.Object) string {
	l := f.l
	if why := l.banned(obj.Type()); why != "" {
		return l.refuse(e, "%s", why)
	}
	if obj.Pkg().Path() != "main" {
		return f.imported(e, obj)
	}
	return "*" + l.symbol(Variable, obj.Name(), obj.Type())
}

// imported is a function or variable of a package.
func (f *function) imported(e ast.Expr, obj types.Object) string {
	l := f.l
	path := obj.Pkg().Path()
	if why := closedPackages[path]; why != "" {
		return l.refuse(e, "package %s (%s)", path, why)
	}
	if closedNames[path+"."+obj.Name()] {
		return l.refuse(e, "%s.%s", path, obj.Name())
	}
	if why := l.banned(obj.Type()); why != "" {
		return l.refuse(e, "%s.%s with %s", obj.Pkg().Name(), obj.Name(), why)
	}
	return f.fromPackage(obj)
}

// fromPackage is the text of a function or variable of a package.
func (f *function) fromPackage(obj types.Object) string {
	l := f.l
	path := obj.Pkg().Path()
	if !slices.Contains(l.prog.Names[path], obj.Name()) {
		l.prog.Names[path] = append(l.prog.Names[path], obj.Name())
	}
	text := l.packageName(obj.Pkg()) + "." + obj.Name()
	if _, ok := obj.(*types.Var); ok {
		return "*" + text
	}
	return text
}

// packageName notes the import of a package and returns its name in the file.
func (l *lowerer) packageName(p *types.Package) string {
	if name, ok := l.imports[p.Path()]; ok {
		return name
	}
	name := p.Name()
	for _, taken := range l.imports {
		if taken == name || name == "s" || name == "main" {
			name = fmt.Sprintf("%s_%d", p.Name(), len(l.imports))
		}
	}
	l.imports[p.Path()] = name
	return name
}

// unary is a sign, a complement, a not, an address or a receive.
func (f *function) unary(e *ast.UnaryExpr) string {
	switch e.Op {
	case token.ADD:
		return f.expr(e.X)
	case token.SUB:
		// 0 - x has the wrong zero for floats; -x of an unsigned is not defined by Yaegi.
		if b, ok := under(f.l.info.TypeOf(e)).(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
			return "(" + f.l.literalText("0", f.l.info.TypeOf(e)) + " - " + f.operand(e.X) + ")"
		}
		return "(-" + f.operand(e.X) + ")"
	case token.XOR:
		return f.complement(e)
	case token.NOT:
		return "(!" + f.operand(e.X) + ")"
	case token.AND:
		return f.address(e)
	case token.ARROW:
		return f.receive(e)
	}
	return f.l.refuse(e, "the operator %s", e.Op)
}

// deref is *p. A string is bound: Yaegi reads a text from a nil pointer where
// Go panics.
func (f *function) deref(e *ast.StarExpr) string {
	s := "(*" + f.operand(e.X) + ")"
	if b, ok := f.l.info.TypeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		f.reads(e)
		return f.hoist(s)
	}
	return s
}

// complement is ^x: x ^ -1 for a signed, x ^ max for an unsigned type.
func (f *function) complement(e *ast.UnaryExpr) string {
	t := f.l.info.TypeOf(e)
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return f.l.refuse(e, "a complement of %s", f.l.typeString(t))
	}
	ones := "-1"
	if b.Info()&types.IsUnsigned != 0 {
		ones = fmt.Sprint(^uint64(0) >> (64 - 8*f.l.sizes.Sizeof(b)))
	}
	return "(" + f.operand(e.X) + " ^ " + f.l.literalText(ones, t) + ")"
}

// address is &x: x is a box, a session variable, an element or a literal.
func (f *function) address(e *ast.UnaryExpr) string {
	l := f.l
	switch x := ast.Unparen(e.X).(type) {
	case *ast.CompositeLit:
		t := l.info.TypeOf(x)
		return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Copy, "", t), f.expr(x)))
	case *ast.Ident:
		s := f.expr(x)
		if strings.HasPrefix(s, "*") {
			return s[1:]
		}
	case *ast.SelectorExpr, *ast.IndexExpr:
		at, _ := f.spot(x)
		return f.hoist("&" + at())
	}
	return l.refuse(e, "an address of %s", describe(e.X))
}

// describe names a node in a refusal.
func describe(n ast.Node) string {
	if s, ok := nodeNames[fmt.Sprintf("%T", n)[len("*ast."):]]; ok {
		return s
	}
	return "this form of " + fmt.Sprintf("%T", n)[len("*ast."):]
}

var nodeNames = map[string]string{
	"IndexListExpr": "a generic call", "BranchStmt": "a goto or fallthrough", "LabeledStmt": "a label",
	"SelectStmt": "a select", "TypeSwitchStmt": "a type switch", "StructType": "a struct type",
	"InterfaceType": "an interface type", "CallExpr": "a call", "Ident": "a name", "CompositeLit": "a literal",
	"FuncLit": "a function literal", "DeferStmt": "a defer",
}

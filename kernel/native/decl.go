package native

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// declarations writes the types, constants, functions and methods of the cell
// in the order of its text, each at its place.
func (e *emitter) declarations() {
	for i := range e.cell.Pieces {
		p := &e.cell.Pieces[i]
		switch d := p.Node.(type) {
		case *ast.FuncDecl:
			e.function(p, d)
		case *ast.GenDecl:
			switch {
			case d.Tok == token.TYPE:
				for _, s := range d.Specs {
					e.typeSpec(s.(*ast.TypeSpec))
				}
			case d.Tok == token.CONST:
				e.walk(d)
				e.piece(d.Pos(), e.node(d))
			}
		}
	}
}

// piece writes text that has the place of pos.
func (e *emitter) piece(pos token.Pos, text string) {
	e.decls.WriteString(e.line(pos) + text + "\n\n")
}

// typeSpec writes a type. A small-letter one gets an alias that later units can
// name, a generic one a generic alias.
func (e *emitter) typeSpec(s *ast.TypeSpec) {
	o, ok := e.info.Defs[s.Name].(*types.TypeName)
	if ok {
		if _, elsewhere := e.home(o); elsewhere {
			return
		}
	}
	e.walk(s)
	e.piece(s.Pos(), "type "+e.node(s))
	if !ok || s.Name.Name == "_" || e.r.Program {
		return
	}
	params := typeParamsOf(o.Type())
	if i, ok := o.Type().Underlying().(*types.Interface); params.Len() == 0 && (!ok || i.IsMethodSet()) {
		e.types[s.Name.Name] = s.Name.Name
	}
	if name := exported(s.Name.Name); name != s.Name.Name {
		decl, use := "", ""
		if params.Len() > 0 {
			decl, use = e.typeParams(params)
		}
		fmt.Fprintf(&e.tail, "type %s%s = %s%s\n", name, decl, s.Name.Name, use)
	}
}

func typeParamsOf(t types.Type) *types.TypeParamList {
	switch t := t.(type) {
	case *types.Alias:
		return t.TypeParams()
	case *types.Named:
		return t.TypeParams()
	}
	return nil
}

// function writes a function or a method of the cell.
func (e *emitter) function(p *front.Piece, d *ast.FuncDecl) {
	o, _ := e.info.Defs[d.Name].(*types.Func)
	switch {
	case d.Recv != nil:
		e.methodDecl(p, d, o)
		return
	case d.Name.Name == "init":
		name := local + "init" + strconv.Itoa(e.count("init"))
		e.replace(d.Name.Pos(), d.Name.End(), name)
	case d.Name.Name == "_":
	case o.Signature().TypeParams().Len() > 0:
		if name := exported(o.Name()); !e.r.Program && name != o.Name() {
			e.replace(d.Name.Pos(), d.Name.End(), name)
		}
	case !e.compiles(d.Name.Name):
		return
	case !e.r.Program:
		e.funcs[d.Name.Name] = e.funcName(d.Name.Name)
		if name := e.funcs[d.Name.Name]; name != d.Name.Name {
			e.replace(d.Name.Pos(), d.Name.End(), name)
		}
	}
	e.skip[d.Name] = true
	e.funcDecl(p, d, o)
}

// funcName is the name of a function of the cell in its unit.
func (e *emitter) funcName(name string) string {
	if e.r.Program || !ast.IsExported(name) {
		return name
	}
	return local + "f_" + name
}

func (e *emitter) count(what string) int {
	n := 0
	for name := range e.skip {
		if id, ok := name.(*ast.Ident); ok && id.Name == what {
			n++
		}
	}
	return n + 1
}

// funcDecl writes a declaration with its directives.
func (e *emitter) funcDecl(p *front.Piece, d *ast.FuncDecl, o *types.Func) {
	wanted := true
	if f := e.fns[o]; f != nil {
		wanted = f.poll
	}
	e.poll(d.Body, wanted)
	e.walk(d)
	e.piece2(d.Pos(), directives(p.Doc), e.node(d))
}

// piece2 is piece with lines before it.
func (e *emitter) piece2(pos token.Pos, before, text string) {
	e.decls.WriteString(before)
	e.piece(pos, text)
}

// directives are the lines of a comment that the compiler obeys.
func directives(doc string) (lines string) {
	for l := range strings.Lines(doc) {
		if strings.HasPrefix(l, "//go:") {
			lines += strings.TrimSpace(l) + "\n"
		}
	}
	return lines
}

// methodDecl writes a method. Of a type that is not generic it becomes a
// function and a method that calls it through a variable, so that old values
// can get a new body:
//
//	func (p P) M(a int) int { … }
//	⇒
//	func _g1m1_P_M(p P, a int) int { … }
//	func (XG_r P) M(XG_1 int) int { return _g1v1_P_M(XG_r, XG_1) }
//
// One that calls recover stays as it is: recover sees a panic only in the very
// function that was deferred.
func (e *emitter) methodDecl(p *front.Piece, d *ast.FuncDecl, o *types.Func) {
	named := receiverOf(o)
	key := ""
	if named != nil {
		key = named.Obj().Name() + "." + o.Name()
	}
	if e.r.Program || named == nil || named.TypeParams().Len() > 0 || o.Name() == "_" || recovers(e.info, d.Body) {
		if !e.r.Program && key != "" && o.Name() != "_" {
			e.out.Fixed = append(e.out.Fixed, key)
			if named.TypeParams().Len() == 0 {
				e.funcs[key] = e.methodExpr(o, named)
			}
		}
		e.funcDecl(p, d, o)
		return
	}
	id := fmt.Sprintf("%d_%s_%s", len(named.Obj().Name()), named.Obj().Name(), o.Name())
	body, variable := local+"m"+pointerMark(o)+id, local+"v"+pointerMark(o)+id
	e.toFunction(d, body)
	e.funcDecl(p, d, o)
	e.funcs[key], e.methods[key] = body, "&"+variable
	e.inits = append(e.inits, variable+" = "+body)
	e.stub(o, variable)
}

// pointerMark tells methods with pointer receivers in the names of their bodies.
func pointerMark(o *types.Func) string {
	if _, ok := types.Unalias(o.Signature().Recv().Type()).(*types.Pointer); ok {
		return "p"
	}
	return ""
}

func receiverOf(o *types.Func) *types.Named {
	t := types.Unalias(o.Signature().Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// methodExpr is the method as a function with the receiver first.
func (e *emitter) methodExpr(o *types.Func, n *types.Named) string {
	t := e.typ(n)
	if pointerMark(o) != "" {
		t = "(*" + t + ")"
	}
	return t + "." + e.method(o)
}

// recovers reports whether a body calls recover itself, not in a literal.
func recovers(info *types.Info, body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			b, ok := info.Uses[n].(*types.Builtin)
			found = found || ok && b.Name() == "recover"
		}
		return !found
	})
	return found
}

// toFunction makes a method's declaration that of a function: the receiver
// becomes the first parameter.
func (e *emitter) toFunction(d *ast.FuncDecl, name string) {
	recv := d.Recv.List[0]
	r := "_"
	if len(recv.Names) > 0 {
		r = recv.Names[0].Name
	}
	e.walk(recv.Type)
	e.skip[d.Recv], e.skip[d.Name] = true, true
	lines := strings.Repeat("\n", strings.Count(e.source(d.Recv.Pos(), d.Type.Params.Opening), "\n"))
	first := name + "(" + lines + r + " " + e.node(recv.Type)
	if len(d.Type.Params.List) > 0 {
		first += ", "
	}
	e.replace(d.Recv.Pos(), d.Type.Params.Opening+1, first)
	for _, f := range d.Type.Params.List {
		if len(f.Names) == 0 {
			e.before(f, "_ ")
		}
	}
}

// stub writes the method that calls the variable, and the variable.
func (e *emitter) stub(o *types.Func, variable string) {
	sig := o.Signature()
	recv := e.typ(sig.Recv().Type())
	name := func(i int) string { return hidden + strconv.Itoa(i+1) }
	args := []string{hidden + "r"}
	for i := range sig.Params().Len() {
		args = append(args, name(i))
	}
	call := variable + "(" + strings.Join(args, ", ")
	if sig.Variadic() {
		call += "..."
	}
	call += ")"
	if sig.Results().Len() > 0 {
		call = "return " + call
	}
	fmt.Fprintf(&e.tail, "func (%sr %s) %s%s { %s }\n", hidden, recv, e.method(o), e.signature(sig, name), call)
	params := make([]*types.Var, 0, sig.Params().Len()+1)
	params = append(params, types.NewParam(token.NoPos, nil, "", sig.Recv().Type()))
	params = slices.AppendSeq(params, sig.Params().Variables())
	full := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
	fmt.Fprintf(&e.tail, "var %s %s\n", variable, e.typ(full))
}

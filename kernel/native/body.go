package native

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// body writes the function that runs the variables, the init functions, the
// definitions and the statements of a cell, and counts finished pieces. As in a
// program the init functions follow the variables, those above all statements.
// A cell that declares main and has no statements runs it once.
func (e *emitter) body() {
	b := &bodyWriter{e: e}
	statements := false
	for _, p := range e.cell.Pieces {
		statements = statements || p.Kind == front.Stmts || p.Kind == front.Define
		if d, ok := p.Node.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == "init" {
			b.inits = append(b.inits, fmt.Sprintf("%sinit%d()", local, len(b.inits)+1))
		}
	}
	b.pieces()
	if o, ok := e.cell.Pkg.Scope().Lookup("main").(*types.Func); ok && o.Pkg() == e.cell.Pkg && !statements {
		call := "main"
		if !e.compiles("main") {
			call = "(*" + e.pointer(o) + ")"
		}
		b.made("%s()", call)
	}
	if b.text.Len() == 0 {
		return
	}
	// labels and gotos of the cell are those of this function, so nothing here
	// may declare a variable
	fmt.Fprintf(&e.decls, "//line %s:1:1\nfunc %s(%sfr *%s.Frame) {\n%s}\n\n", madeFile, bodyName, hidden, e.api(),
		b.text.String())
}

// bodyWriter writes the text of the body.
type bodyWriter struct {
	e     *emitter
	text  strings.Builder
	inits []string // calls that are still to be written
}

// made writes a line that has no place in the cell.
func (b *bodyWriter) made(format string, args ...any) {
	fmt.Fprintf(&b.text, format+"\n", args...)
}

// placed writes text at the place of pos.
func (b *bodyWriter) placed(pos token.Pos, text string) {
	b.text.WriteString(b.e.line(pos) + text + "\n")
}

// pieces writes the pieces in the order of the text; variables declared in one
// run of var follow the order in which Go initialises them.
func (b *bodyWriter) pieces() {
	pieces := b.e.cell.Pieces
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		if p.Kind == front.Stmts || p.Kind == front.Define {
			b.initFuncs()
		}
		switch p.Kind {
		case front.Type:
		case front.Var:
			var run []front.Piece
			for j := i; j < len(pieces) && pieces[j].Kind != front.Stmts && pieces[j].Kind != front.Define; j++ {
				if pieces[j].Kind == front.Var {
					run, i = append(run, pieces[j]), j
				}
			}
			b.varRun(run)
		case front.Define:
			b.define(p)
			b.stmts(p)
		case front.Stmts:
			b.stmts(p)
		default:
			continue
		}
		if !b.e.r.Program && b.text.Len() > 0 {
			b.made("%sfr.Reach(%d)", hidden, i+1)
		}
	}
	b.initFuncs()
}

func (b *bodyWriter) initFuncs() {
	for _, call := range b.inits {
		b.made("%s", call)
	}
	b.inits = nil
}

// stmts writes the statements of a piece; the last expression of the cell
// hands out its values.
func (b *bodyWriter) stmts(p front.Piece) {
	e := b.e
	for _, s := range p.Stmts {
		if x, ok := s.(*ast.ExprStmt); ok {
			if x.X == e.cell.Value {
				b.show(x.X)
				continue
			}
			b.expr(x)
			continue
		}
		e.walk(s)
		e.list([]ast.Stmt{s})
		b.placed(s.Pos(), e.node(s))
	}
}

// expr is an expression that stands alone: unlike in a function it need not be
// a call.
func (b *bodyWriter) expr(s *ast.ExprStmt) {
	e := b.e
	x := ast.Unparen(s.X)
	c, call := x.(*ast.CallExpr)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		call = true
	}
	if c != nil {
		tv := e.info.Types[ast.Unparen(c.Fun)]
		call = !tv.IsType() && !(tv.IsBuiltin() && !e.info.Types[x].IsVoid())
		if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok && tv.IsBuiltin() && (id.Name == "copy" || id.Name == "recover") {
			call = true
		}
	}
	tv := e.info.Types[x]
	if !call && (tv.IsNil() || tv.Value != nil) {
		return // nothing happens
	}
	if call {
		e.walk(s)
		e.list([]ast.Stmt{s})
		b.placed(s.Pos(), e.node(s))
		return
	}
	e.walk(s)
	b.placed(s.Pos(), "_ = "+e.node(s))
}

// show hands out the values of the last expression. A constant that no type
// holds is left to the session.
func (b *bodyWriter) show(x ast.Expr) {
	e := b.e
	tv := e.info.Types[x]
	if tv.IsNil() || tv.Value != nil && !fits(tv) {
		return
	}
	e.walk(x)
	text := e.node(x)
	t, many := tv.Type.(*types.Tuple)
	switch {
	case !many:
		st := types.Default(tv.Type)
		e.out.Shown = []types.Type{st}
		b.placed(x.Pos(), fmt.Sprintf("%sfr.Show(%s)", hidden, text))
	case t.Len() > 0:
		var names []string
		for i := range t.Len() {
			names = append(names, fmt.Sprintf("%s%d", hidden, i+1))
			e.out.Shown = append(e.out.Shown, t.At(i).Type())
		}
		l := strings.Join(names, ", ")
		b.placed(x.Pos(), fmt.Sprintf("{ %s := %s; %sfr.Show(%s) }", l, text, hidden, l))
	}
}

// varRun writes the variables declared in one run of var declarations: zeros
// first, then the initial values in Go's order.
func (b *bodyWriter) varRun(run []front.Piece) {
	e := b.e
	specs := map[ast.Expr]*ast.ValueSpec{}
	for _, p := range run {
		for _, s := range p.Node.(*ast.GenDecl).Specs {
			spec := s.(*ast.ValueSpec)
			for _, v := range spec.Values {
				specs[v] = spec
			}
			if len(spec.Values) > 0 {
				continue
			}
			for _, id := range spec.Names {
				if v, ok := e.info.Defs[id].(*types.Var); ok && id.Name != "_" && !e.r.Program {
					b.placed(id.Pos(), fmt.Sprintf("%s.Zero(%s)", e.api(), e.pointer(v)))
				}
			}
		}
	}
	for _, in := range e.info.InitOrder {
		if spec := specs[in.Rhs]; spec != nil {
			b.assign(in.Lhs, nil, spec, in.Rhs)
		}
	}
}

// assign gives variables of the cell the values of some expressions. reused are
// the names that hidden variables of a definition stand for.
func (b *bodyWriter) assign(vars []*types.Var, reused map[string]string, spec *ast.ValueSpec, values ...ast.Expr) {
	e := b.e
	var left []string
	for _, v := range vars {
		left = append(left, e.place(v, reused))
	}
	for _, v := range values {
		open := ""
		if spec.Type != nil {
			open = e.readerOf(v, e.info.TypeOf(spec.Type))
		}
		if open == "" {
			e.walk(v)
			continue
		}
		e.before(v, open)
		e.walk(v)
		e.after(v, ")")
	}
	first, last := values[0], values[len(values)-1]
	text := e.render(first.Pos(), last.End())
	if e.cell.Fset.Position(first.Pos()).Line != e.cell.Fset.Position(spec.Pos()).Line {
		text = "\n" + e.line(first.Pos()) + text
	}
	if len(vars) == 1 && vars[0].Name() == "_" && spec.Type != nil {
		e.walk(spec.Type) // it may be wanted for an untyped value
		b.placed(spec.Pos(), "{ var _ "+e.node(spec.Type)+" = "+text+" }")
		return
	}
	b.placed(spec.Pos(), strings.Join(left, ", ")+" = "+text)
	if e.r.Poll {
		for _, v := range values {
			if e.lasts(v) {
				b.made("%s", e.pollText())
				break
			}
		}
	}
}

// place is a variable on the left side of an assignment.
func (e *emitter) place(v *types.Var, reused map[string]string) string {
	if name, ok := reused[v.Name()]; ok {
		if o, ok := e.cell.Pkg.Scope().Lookup(name).(*types.Var); ok {
			v = o
		}
	}
	switch {
	case v.Name() == "_":
		return "_"
	case e.r.Program:
		return v.Name()
	}
	return "(*" + e.pointer(v) + ")"
}

// define is a := b at the top of a cell.
func (b *bodyWriter) define(p front.Piece) {
	d, ok := p.Node.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		var vars []*types.Var
		for _, id := range spec.Names {
			v, ok := b.e.info.Defs[id].(*types.Var)
			if !ok { // the blank name
				v = types.NewVar(id.Pos(), b.e.cell.Pkg, "_", types.Typ[types.Invalid])
			}
			vars = append(vars, v)
		}
		b.assign(vars, p.Reused, spec, spec.Values...)
	}
}

// fits reports whether the default type of an untyped constant holds it.
func fits(tv types.TypeAndValue) bool {
	b, ok := tv.Type.(*types.Basic)
	if !ok || b.Info()&types.IsUntyped == 0 {
		return true
	}
	finite := func(v constant.Value) bool {
		f, _ := constant.Float64Val(v)
		return !math.IsInf(f, 0)
	}
	switch b.Kind() {
	case types.UntypedInt:
		_, exact := constant.Int64Val(constant.ToInt(tv.Value))
		return exact
	case types.UntypedRune:
		i, exact := constant.Int64Val(constant.ToInt(tv.Value))
		return exact && i == int64(int32(i))
	case types.UntypedFloat:
		return finite(tv.Value)
	case types.UntypedComplex:
		return finite(constant.Real(tv.Value)) && finite(constant.Imag(tv.Value))
	}
	return true
}

package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// bodyDecl writes the function that runs the variables, the init functions, the
// definitions and the statements of a cell, and counts finished pieces. As in a
// program the init functions follow the variables, those above all statements.
// A cell that declares main and has no statements runs it once.
//
// Why: top-level blocks of one Yaegi evaluation share variables, a top-level
// defer runs again in each, and a top-level return panics.
func (l *lowerer) bodyDecl(c *front.Cell, inits []string) string {
	l.display = ""
	l.local++
	name := "cell_" + itoa(int64(l.local))
	f := &function{l: l, indent: 1, slot: "", cell: true}
	if len(c.Pieces) > 0 {
		f.slot = l.slotIn(name, firstNode(c), "cell["+strconv.Itoa(c.Number)+"]")
	}
	statements, work := false, len(inits) > 0
	deferring := false
	for _, p := range c.Pieces {
		if p.Kind == front.Stmts || p.Kind == front.Define {
			statements = true
		}
		work = work || p.Kind == front.Stmts || p.Kind == front.Define || p.Kind == front.Var
		deferring = deferring || hasDefer(&ast.BlockStmt{List: p.Stmts})
	}
	if deferring {
		f.defers = l.fresh()
	}
	f.pieces(c, inits)
	if main, ok := l.prog.Funcs["main"]; ok && !statements {
		f.line("%s()", main)
		work = true
	}
	if !work {
		return ""
	}
	lines := strings.Join(f.lines, "\n")
	if !deferring {
		l.prog.Body = name
		return "func " + name + "() {\n" + lines + "\n}\n"
	}
	l.prog.Body = name + "_d"
	inner := "func " + name + "(" + f.defers + " " + l.typ(defersType) + ") " + l.typ(funcType) +
		" {\n\treturn func() {\n" + lines + "\n\t}\n}\n"
	return inner + "\nfunc " + l.prog.Body + "() {\n\t_g := " + l.symbol(NewDefers, "") + "()\n\t_f := " + name +
		"(_g)\n\t" +
		l.symbol(RunDefers, "") + "(_g, _f)\n}\n"
}

func firstNode(c *front.Cell) ast.Node {
	for _, p := range c.Pieces {
		if p.Node != nil {
			return p.Node
		}
		for _, s := range p.Stmts {
			return s
		}
	}
	return &ast.BadExpr{}
}

// pieces writes the pieces in the order of the text; variables declared in one
// run of var follow the order in which Go initialises them.
func (f *function) pieces(c *front.Cell, inits []string) {
	l := f.l
	shown := false
	for i := 0; i < len(c.Pieces); i++ {
		p := c.Pieces[i]
		f.last = 0
		if p.Kind == front.Stmts || p.Kind == front.Define {
			f.initFuncs(&inits)
		}
		switch p.Kind {
		case front.Type:
			l.refuseTypes(p.Node, false)
		case front.Var:
			var run []front.Piece
			j := i
			for ; j < len(c.Pieces) && c.Pieces[j].Kind != front.Stmts && c.Pieces[j].Kind != front.Define; j++ {
				if c.Pieces[j].Kind == front.Var {
					run, i = append(run, c.Pieces[j]), j
				}
				if c.Pieces[j].Kind == front.Type {
					l.refuseTypes(c.Pieces[j].Node, false)
				}
			}
			f.varRun(c, run)
		case front.Define:
			f.defineTop(c, p)
			for _, s := range p.Stmts { // literals given to names that the cell has
				f.topStmt(s)
			}
		case front.Stmts:
			for _, s := range p.Stmts {
				if x, ok := s.(*ast.ExprStmt); ok && x.X == c.Value {
					f.show(c.Value)
					shown = true
					continue
				}
				f.topStmt(s)
			}
		default:
			continue
		}
		f.line("*%s = %d", l.symbol(Finished, ""), i+1)
	}
	f.initFuncs(&inits)
	if c.Value != nil && !shown {
		f.show(c.Value)
	}
}

// initFuncs writes the calls of the init functions, once.
func (f *function) initFuncs(calls *[]string) {
	for _, call := range *calls {
		f.line("%s", call)
	}
	*calls = nil
}

// topStmt is a statement of a cell; unlike in a function an expression may
// stand alone: it is evaluated and not shown.
func (f *function) topStmt(s ast.Stmt) {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		f.stmt(s, "")
		return
	}
	f.at(x)
	f.early = false
	switch e := ast.Unparen(x.X).(type) {
	case *ast.CallExpr:
		if tv := f.l.info.Types[ast.Unparen(e.Fun)]; tv.IsType() || tv.IsBuiltin() {
			f.discard(e)
		} else {
			f.exprStmt(e)
		}
	default:
		f.discard(e)
	}
	f.settle()
}

// refuseTypes refuses the types that a declaration makes; another name of an
// allowed type makes none.
func (l *lowerer) refuseTypes(n ast.Node, local bool) {
	d, ok := n.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range d.Specs {
		t, ok := s.(*ast.TypeSpec)
		switch {
		case !ok:
		case t.Assign.IsValid() && t.TypeParams == nil:
			if why := l.banned(l.info.Defs[t.Name].Type()); why != "" {
				l.refuse(t, "%s", why)
			}
		case local:
			l.refuse(t, "a type declared in a function")
		default:
			l.refuse(t, "the declaration of type %s", t.Name.Name)
		}
	}
}

// varRun writes the variables declared in one run of var declarations.
func (f *function) varRun(c *front.Cell, run []front.Piece) {
	l := f.l
	values := map[ast.Expr]bool{}
	for _, p := range run {
		for _, spec := range p.Node.(*ast.GenDecl).Specs {
			spec := spec.(*ast.ValueSpec)
			for _, v := range spec.Values {
				values[v] = true
			}
			if len(spec.Values) == 0 {
				for _, id := range spec.Names {
					if v, ok := l.info.Defs[id].(*types.Var); ok && id.Name != "_" {
						f.setTop(id, v, l.checked(id, v.Type()), v.Type(), nil)
					}
				}
			}
		}
	}
	for _, in := range l.info.InitOrder {
		if values[in.Rhs] {
			f.initialize(in, nil)
		}
	}
}

// checked is the zero value of an allowed type.
func (l *lowerer) checked(at ast.Node, t types.Type) string {
	if why := l.banned(t); why != "" {
		return l.refuse(at, "%s", why)
	}
	return l.zero(t)
}

// initialize writes one initializer: its variables, the reused names after it.
func (f *function) initialize(in *types.Initializer, reused map[string]string) {
	f.at(in.Rhs)
	f.early = false
	want := func(i int) types.Type {
		if in.Lhs[i].Name() == "_" {
			return nil
		}
		return in.Lhs[i].Type()
	}
	for i := range in.Lhs {
		if t := want(i); t != nil {
			if why := f.l.banned(t); why != "" {
				f.l.refuse(in.Rhs, "%s", why)
				return
			}
		}
	}
	values := f.values([]ast.Expr{in.Rhs}, len(in.Lhs), want)
	for i, v := range in.Lhs {
		if v.Name() == "_" {
			f.line("_ = %s", values[i])
			continue
		}
		f.setTop(in.Rhs, v, values[i], v.Type(), reused)
	}
	f.settle()
}

// setTop assigns a variable of the session, or the one that a hidden variable
// of a definition stands for.
func (f *function) setTop(at ast.Node, v *types.Var, text string, t types.Type, reused map[string]string) {
	l := f.l
	target := v
	if name, ok := reused[v.Name()]; ok {
		target, ok = l.pkg.Scope().Lookup(name).(*types.Var)
		if !ok {
			l.refuse(at, "a definition of %s", name)
			return
		}
		if !types.Identical(t, target.Type()) {
			text = f.hoist(l.symbol(Convert, "", t, target.Type()) + "(" + text + ")")
		}
	}
	if why := l.banned(target.Type()); why != "" {
		l.refuse(at, "%s", why)
		return
	}
	f.line("*%s = %s", l.symbol(Variable, target.Name(), target.Type()), text)
}

// defineTop is a := b at the top of a cell. All values come before all places.
func (f *function) defineTop(c *front.Cell, p front.Piece) {
	d, ok := p.Node.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		f.l.refuse(firstNode(c), "this definition")
		return
	}
	inits := map[ast.Expr]*types.Initializer{}
	for _, in := range f.l.info.InitOrder {
		inits[in.Rhs] = in
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) == 1 {
			f.initialize(inits[spec.Values[0]], p.Reused)
			continue
		}
		f.defineMany(spec, inits, p.Reused)
	}
}

func (f *function) defineMany(spec *ast.ValueSpec, inits map[ast.Expr]*types.Initializer, reused map[string]string) {
	f.at(spec)
	f.early = false
	var vars []*types.Var
	for _, v := range spec.Values {
		vars = append(vars, inits[v].Lhs[0])
	}
	values := f.values(spec.Values, len(vars), func(i int) types.Type {
		if vars[i].Name() == "_" {
			return nil
		}
		return vars[i].Type()
	})
	for i, v := range vars {
		if v.Name() != "_" {
			f.setTop(spec, v, values[i], v.Type(), reused)
		}
	}
	f.settle()
}

// show hands out the values of the last expression with their static types. A
// constant is folded; one that no type holds is left to the session.
func (f *function) show(e ast.Expr) {
	l := f.l
	f.last, f.early = 0, false
	f.at(e)
	tv := l.info.Types[e]
	if tv.IsNil() {
		return
	}
	if tv.Value != nil {
		t := types.Default(tv.Type)
		if !representable(tv.Value, t) {
			return
		}
		if why := l.banned(t); why != "" {
			l.refuse(e, "%s", why)
			return
		}
		l.prog.Shown = []types.Type{t}
		f.line("%s(%s)", l.symbol(Value, "", t), f.hoist(l.literal(e, tv.Value, t)))
		return
	}
	var names []string
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if t, ok := tv.Type.(*types.Tuple); ok {
			names = f.calls(c)
			for v := range t.Variables() {
				l.prog.Shown = append(l.prog.Shown, v.Type())
			}
		}
	}
	if names == nil {
		t := types.Default(tv.Type)
		if _, ok := t.(*types.Tuple); ok {
			return
		}
		names = []string{f.hoist(f.to(e, t))}
		l.prog.Shown = []types.Type{t}
	}
	f.settle()
	f.line("%s(%s)", l.symbol(Value, "", l.prog.Shown...), strings.Join(names, ", "))
}

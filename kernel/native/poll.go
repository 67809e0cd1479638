package native

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Polls stand at the entry of functions that may be part of an endless
// recursion, at the head of loops, and behind statements with calls that may
// block or last: a goroutine that was left behind in a sleep never runs another
// statement. A function without such calls has none and can be inlined.

// facts are what the polls hang on of a function or a literal.
type facts struct {
	calls   []types.Object // functions of the cell that it calls by name
	unknown bool           // it calls what may call it
	blocks  bool           // it may wait or last
	poll    bool           // it wants a poll at its entry
}

// harmless are packages whose functions neither wait nor last long.
var harmless = map[string]bool{
	"math": true, "math/bits": true, "math/cmplx": true, "strings": true, "bytes": true, "strconv": true,
	"unicode": true, "unicode/utf8": true, "unicode/utf16": true, "cmp": true, "unsafe": true, "errors": true,
	"slices": true, "maps": true, "sync/atomic": true, "math/big": true, "math/rand": true, "math/rand/v2": true,
}

// analyse finds the facts of all functions, and the unused variables.
func (e *emitter) analyse() {
	var roots []ast.Node
	for _, d := range e.cell.File.Decls {
		roots = append(roots, d)
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if o := e.info.Defs[f.Name]; o != nil {
			e.fns[o] = e.findFacts(f.Body)
		}
	}
	for _, d := range e.cell.File.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				e.lits[lit] = e.findFacts(lit.Body)
				e.lits[lit].poll = e.lits[lit].unknown
			}
			return true
		})
	}
	if !e.r.Program {
		e.findUnused(roots)
	}
	for changed := true; changed; {
		changed = false
		for _, f := range e.fns {
			for _, o := range f.calls {
				if g := e.fns[o]; g != nil && g.blocks && !f.blocks {
					f.blocks, changed = true, true
				}
			}
		}
	}
	for o, f := range e.fns {
		f.poll = f.unknown || e.reaches(f, o, map[*facts]bool{})
	}
}

func (e *emitter) reaches(f *facts, goal types.Object, seen map[*facts]bool) bool {
	if f == nil || seen[f] {
		return false
	}
	seen[f] = true
	for _, o := range f.calls {
		if o == goal || e.reaches(e.fns[o], goal, seen) {
			return true
		}
	}
	return false
}

func (e *emitter) facts(lit *ast.FuncLit) *facts {
	if f := e.lits[lit]; f != nil {
		return f
	}
	return &facts{poll: true}
}

// findFacts looks at the body of a function, its literals too.
func (e *emitter) findFacts(body ast.Node) *facts {
	f := &facts{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch o, known := e.callee(n); {
			case o != nil:
				f.calls = append(f.calls, o)
			case !known:
				f.unknown, f.blocks = true, true
			}
		case *ast.SelectStmt, *ast.SendStmt:
			f.blocks = true
		case *ast.UnaryExpr:
			f.blocks = f.blocks || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch e.info.TypeOf(n.X).Underlying().(type) {
			case *types.Chan:
				f.blocks = true
			case *types.Signature:
				f.unknown, f.blocks = true, true
			}
		}
		return true
	})
	return f
}

// callee returns the function of the cell that a call names; known without one
// is a call that neither waits nor calls back.
func (e *emitter) callee(c *ast.CallExpr) (o types.Object, known bool) {
	fun := ast.Unparen(c.Fun)
	if tv := e.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return nil, true
	}
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = ast.Unparen(x.X)
	} else if x, ok := fun.(*ast.IndexListExpr); ok {
		fun = ast.Unparen(x.X)
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil, false
	}
	fn, ok := e.info.Uses[id].(*types.Func)
	if !ok {
		return nil, false
	}
	fn = fn.Origin()
	if e.fns[fn] != nil || fn.Pkg() == e.cell.Pkg && e.declares(fn) {
		return fn, true
	}
	if fn.Pkg() == nil || !harmless[fn.Pkg().Path()] {
		return nil, false
	}
	sig, ok := e.info.TypeOf(c.Fun).(*types.Signature)
	if !ok {
		return nil, false
	}
	for p := range sig.Params().Variables() {
		switch p.Type().Underlying().(type) {
		case *types.Signature, *types.Interface:
			return nil, false
		}
	}
	return nil, true
}

// declares reports whether the cell has the body of a function or method that
// is compiled.
func (e *emitter) declares(fn *types.Func) bool {
	if recv := fn.Signature().Recv(); recv != nil {
		_, iface := recv.Type().Underlying().(*types.Interface)
		return !iface
	}
	return e.compiles(fn.Name())
}

func (e *emitter) pollText() string { return " " + e.api() + ".Poll();" }

// poll writes a poll at the head of a block.
func (e *emitter) poll(b *ast.BlockStmt, wanted bool) {
	if e.r.Poll && wanted && b != nil {
		e.insert(b.Lbrace+1, e.pollText())
	}
}

// lasts reports whether running a node may wait or last, or enters a function
// of the cell that may.
func (e *emitter) lasts(n ast.Node) bool {
	if n == nil {
		return false
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SendStmt:
			found = true
		case *ast.CallExpr:
			o, known := e.callee(n)
			found = found || !known || o != nil && e.fns[o] != nil && e.fns[o].blocks
		}
		return !found
	})
	return found
}

// pollsAfter reports whether a poll has to stand behind a statement.
func (e *emitter) pollsAfter(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if c, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
				if b, ok := e.info.Uses[id].(*types.Builtin); ok && b.Name() == "panic" {
					return false // it ends a function
				}
			}
		}
	case *ast.AssignStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.DeclStmt:
	default:
		return false
	}
	return e.lasts(s)
}

// headPoll writes the poll behind what the head of an if calls.
func (e *emitter) headPoll(s *ast.IfStmt) {
	if !e.r.Poll || !e.lastsStmt(s.Init) && !e.lasts(s.Cond) {
		return
	}
	e.poll(s.Body, true)
	if b, ok := s.Else.(*ast.BlockStmt); ok {
		e.poll(b, true)
	}
}

func (e *emitter) lastsStmt(s ast.Stmt) bool { return s != nil && e.lasts(s) }

// clausePolls writes the poll behind what the head of a switch calls.
func (e *emitter) clausePolls(body *ast.BlockStmt, init ast.Stmt, head ast.Node) {
	if !e.r.Poll || !e.lastsStmt(init) && (isNil(head) || !e.lasts(head)) {
		return
	}
	for _, c := range body.List {
		e.insert(c.(*ast.CaseClause).Colon+1, e.pollText())
	}
}

func isNil(n ast.Node) bool {
	x, ok := n.(ast.Expr)
	return n == nil || ok && x == nil
}

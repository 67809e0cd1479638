package lower

import (
	"go/ast"
	"go/types"
	"sort"
	"strings"
)

// funcLit turns a function literal into a call of a function of its own, which
// takes what the literal captures and returns the literal:
//
//	func(a int) int { n += a; return n + k }
//	⇒ func _l1(n_1 *int, k_2 int) s.T3 { return func(a_4 int) int { *n_1 = … } }   and   _g5 := _l1(n_1, k_2)
//
// Variables that somebody changes are pointers, the others values (local.go).
//
// Why: literals of Yaegi v0.16.1 share the variables of the frame that made
// them. In a loop all turns see the last values when the literal is an
// argument of compiled code, and a literal that ends in another goroutine
// writes into the frame that is making the next one. A frame for each literal
// makes both impossible.
func (f *function) funcLit(e *ast.FuncLit) string {
	l := f.l
	sig := types.Unalias(l.info.TypeOf(e)).(*types.Signature)
	name := l.freshLiteral()
	g := &function{l: l, indent: 1, slot: l.slot(name, e)}
	var caps, args []string
	for _, v := range l.captures(e) {
		n := l.declare(v)
		t := l.typ(v.Type())
		if l.use(v).boxed() {
			t = "*" + t
		}
		caps = append(caps, n+" "+t)
		args = append(args, n)
	}
	head, boxes := g.signature(nil, e.Type.Params, sig)
	g.indent = 2
	boxes()
	g.body(e, sig, e.Body)
	text := "func " + name + "(" + strings.Join(caps, ", ") + ") " + l.typ(plain(sig)) +
		" {\n\treturn func" + head + " {\n" +
		strings.Join(g.lines, "\n") + "\n\t}\n}\n"
	l.literals = append(l.literals, text)
	made := f.hoist(name + "(" + strings.Join(args, ", ") + ")")
	if sig.Variadic() {
		made = f.hoist(l.symbol(Variadic, "", sig) + "(" + made + ")")
	}
	if l.callsAlike(e.Body, l.info.TypeOf(e)) {
		made = f.hoist(l.symbol(Guard, "", sig) + "(" + made + ")")
	}
	return made
}

// plain is a function type with a slice where it was variadic. Yaegi runs only
// such functions; compiled code makes variadic ones of them.
func plain(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), false)
}

// captures returns the variables from outside that a literal uses, in the
// order of their names in the lowered file.
func (l *lowerer) captures(home ast.Node) []*types.Var {
	var out []*types.Var
	for v := range l.uses.free[home] {
		out = append(out, v)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Pos() < out[j].Pos() })
	return out
}

// deferring writes the body of a function with deferred calls as a literal
// that RunDefers runs; the results are read when all has run.
//
//	_g1 := s.Defers(); _g2 := _l3(_g1, …); s.RunDefers(_g1, _g2); return *r_4
//
// Why: arguments of Yaegi's own defer are read late, in a loop all calls see
// the last values, and a deferred call of a local function hangs.
func (f *function) deferring(block *ast.BlockStmt) {
	l := f.l
	name := l.freshLiteral()
	list := l.fresh()
	f.line("%s := %s()", list, l.symbol(NewDefers, ""))
	g := &function{l: l, indent: 2, slot: f.slot, results: f.results, outer: true, defers: list, cell: f.cell}
	caps := []string{list + " " + l.typ(defersType)}
	args := []string{list}
	for _, v := range l.captures(block) {
		n := l.declare(v)
		t := l.typ(v.Type())
		if l.use(v).boxed() {
			t = "*" + t
		}
		caps = append(caps, n+" "+t)
		args = append(args, n)
	}
	for i, place := range f.slots {
		v := f.results.At(i)
		g.slots = append(g.slots, place)
		if v.Name() == "" || v.Name() == "_" || !l.captured(block, v) {
			n := strings.TrimPrefix(place, "*")
			t := l.typ(v.Type())
			if strings.HasPrefix(place, "*") {
				t = "*" + t
			}
			caps = append(caps, n+" "+t)
			args = append(args, n)
		}
	}
	g.stmts(block.List)
	text := "func " + name + "(" + strings.Join(caps, ", ") + ") " + l.typ(funcType) + " {\n\treturn func() {\n" +
		strings.Join(g.lines, "\n") + "\n\t}\n}\n"
	l.literals = append(l.literals, text)
	body := f.hoist(name + "(" + strings.Join(args, ", ") + ")")
	f.line("%s(%s, %s)", l.symbol(RunDefers, ""), list, body)
	f.poll()
	if len(f.slots) > 0 {
		f.line("return %s", strings.Join(f.slots, ", "))
	}
}

func (l *lowerer) captured(home ast.Node, v *types.Var) bool { return l.uses.free[home][v] }

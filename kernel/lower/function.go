package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// function is one function of the lowered file while it is written.
type function struct {
	l       *lowerer
	lines   []string
	indent  int
	slot    string       // *s.Line of the function, or of a name for it in a loop
	stop    string       // a name for s.Stop in a loop, "" outside
	last    int          // the line that the slot was last set to in straight code; 0 not known
	results *types.Tuple // nil in the body of a cell
	slots   []string     // places of the results where they have one: named, or in a function with defer
	outer   bool         // the results are returned by the function around (defer): return only sets the places
	defers  string       // the list of deferred calls, "" without
	cell    bool         // the body of a cell
	early   bool         // an operand of the statement was bound that a call may change
	called  bool         // the statement so far called compiled code: a poll must follow
	loops   []loop
	binding *[]binding // where operands are kept while a call is put off
}

func (f *function) line(format string, args ...any) {
	f.lines = append(f.lines, strings.Repeat("\t", f.indent)+fmt.Sprintf(format, args...))
}

// open and close write a block around what is written between them.
func (f *function) open(format string, args ...any) {
	f.line(format+" {", args...)
	f.indent++
	f.last = 0
}

func (f *function) close() {
	f.indent--
	f.line("}")
	f.last = 0
}

// aside runs write and returns the lines it wrote, taken out of the function.
func (f *function) aside(write func()) []string {
	from := len(f.lines)
	write()
	out := append([]string(nil), f.lines[from:]...)
	f.lines = f.lines[:from]
	return out
}

// hoist writes a hidden variable with the value of text and returns its name.
func (f *function) hoist(text string) string {
	name := f.l.fresh()
	f.line("%s := %s", name, bare(text))
	return name
}

// fresh returns a hidden name.
func (l *lowerer) fresh() string {
	l.hidden++
	return fmt.Sprintf("_g%d", l.hidden)
}

// declare gives a local variable its name in the lowered file: its own with a
// number, so that no two are the same and no block hides another's.
func (l *lowerer) declare(v *types.Var) string {
	if s, ok := l.names[v]; ok {
		return s
	}
	l.local++
	s := fmt.Sprintf("%s_%d", v.Name(), l.local)
	l.names[v] = s
	return s
}

// define writes the declaration of a local variable with an initial value.
func (f *function) define(v *types.Var, text string) {
	if v.Name() == "_" {
		f.line("_ = %s", text)
		return
	}
	name := f.l.declare(v)
	if f.l.use(v).boxed() {
		f.line("%s := new(%s)", name, f.l.typ(v.Type()))
		f.line("*%s = %s", name, text)
		return
	}
	f.line("%s := %s", name, bare(text))
}

func (l *lowerer) use(v *types.Var) *use {
	if u := l.uses.vars[v]; u != nil {
		return u
	}
	return &use{}
}

// local returns the text of a local variable's value or place.
func (f *function) local(v *types.Var) string {
	name := f.l.declare(v)
	if f.l.use(v).boxed() {
		return "*" + name
	}
	return name
}

// signature writes "(a_1 int, b_2 s.T3) (int, s.T4)" and, as the first lines
// of the body, boxes of the parameters that need one. extra comes first.
func (f *function) signature(extra []string, params *ast.FieldList, sig *types.Signature) (head string, boxes func()) {
	var in, out []string
	in = append(in, extra...)
	var boxed []*types.Var
	for v := range sig.Params().Variables() {
		t := f.l.typ(v.Type()) // of a variadic function: already the slice
		switch {
		case v.Name() == "" || v.Name() == "_":
			in = append(in, f.l.fresh()+" "+t)
		case f.l.use(v).boxed():
			in = append(in, "_p"+f.l.declare(v)+" "+t)
			boxed = append(boxed, v)
		default:
			in = append(in, f.l.declare(v)+" "+t)
		}
	}
	for v := range sig.Results().Variables() {
		out = append(out, f.l.typ(v.Type()))
	}
	head = "(" + strings.Join(in, ", ") + ")"
	if len(out) > 0 {
		head += " (" + strings.Join(out, ", ") + ")"
	}
	return head, func() {
		for _, v := range boxed {
			f.define(v, "_p"+f.l.declare(v))
		}
	}
}

// body writes the statements of a function: poll, places of results, and,
// where it defers calls, the inner function that runs under RunDefers.
func (f *function) body(home ast.Node, sig *types.Signature, block *ast.BlockStmt) {
	f.results = sig.Results()
	f.poll()
	deferring := hasDefer(block)
	for v := range sig.Results().Variables() {
		switch {
		case v.Name() != "" && v.Name() != "_":
			f.define(v, f.l.zero(v.Type()))
			f.slots = append(f.slots, f.local(v))
		case deferring:
			name := f.l.fresh()
			f.line("%s := new(%s)", name, f.l.typ(v.Type()))
			f.slots = append(f.slots, "*"+name)
		case v.Name() == "_":
			f.slots = append(f.slots, f.hoist(f.l.zero(v.Type())))
		}
	}
	if deferring {
		f.deferring(block)
		return
	}
	f.stmts(block.List)
	n := len(f.lines)
	returns := n > 0 && strings.HasPrefix(strings.TrimSpace(f.lines[n-1]), "return ")
	if sig.Results().Len() > 0 && !returns {
		f.line(`panic("unreachable")`) // the checker saw that nothing comes here
	}
}

// at writes the line of a statement into the function's slot.
func (f *function) at(n ast.Node) {
	line := f.l.fset.Position(n.Pos()).Line
	if !f.l.risky(n) || line == f.last {
		return
	}
	f.last = line
	f.line("%s = %d", f.slot, line)
}

// poll writes the question whether the cell is to stop.
func (f *function) poll() {
	f.called = false
	stop := f.stop
	if stop == "" {
		stop = f.l.symbol(Poll, "")
	}
	f.line("if *%s { %s() }", stop, f.l.symbol(End, ""))
}

// looping gives the places that a loop reads in each turn, of the stop and of
// the line, names of the function; what it returns ends that and takes out a
// name that was not used.
//
// Why: every name of the table is a step of its own for the interpreter.
func (f *function) looping() (done func()) {
	if f.stop != "" {
		return func() {}
	}
	slot := f.slot
	f.l.loops++
	f.stop = fmt.Sprintf("_stop%d", f.l.loops)
	f.line("%s := %s", f.stop, f.l.symbol(Poll, ""))
	at, line := len(f.lines), fmt.Sprintf("_line%d", f.l.loops)
	f.line("%s := %s", line, strings.TrimPrefix(slot, "*"))
	f.slot = "*" + line
	return func() {
		f.stop, f.slot = "", slot
		if !slices.ContainsFunc(f.lines[at+1:], func(s string) bool { return strings.Contains(s, "*"+line+" = ") }) {
			f.lines = slices.Delete(f.lines, at, at+1)
		}
	}
}

// settle writes a poll if the statement just written called compiled code.
func (f *function) settle() {
	if f.called {
		f.poll()
	}
}

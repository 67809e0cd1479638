package native

import (
	"go/ast"
	"go/token"
	"go/types"
)

// walk notes the edits of a tree that goes into the file. Each node is visited
// once: what the body and the declarations render are different nodes.
func (e *emitter) walk(root ast.Node) {
	var exits [][]func()
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			last := len(exits) - 1
			for i := len(exits[last]) - 1; i >= 0; i-- {
				exits[last][i]()
			}
			exits = exits[:last]
			return false
		}
		if e.skip[n] {
			return false
		}
		e.exits = nil
		e.enter(n)
		exits = append(exits, e.exits)
		return true
	})
}

// atExit calls f when the node that is being entered has been walked.
func (e *emitter) atExit(f func()) { e.exits = append(e.exits, f) }

func (e *emitter) enter(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		e.ident(n)
	case *ast.SelectorExpr:
		e.selector(n)
	case *ast.CompositeLit:
		e.composite(n)
	case *ast.CallExpr:
		e.convert(n)
		e.reads(n)
	case *ast.TypeAssertExpr:
		e.assertion(n)
	case *ast.BinaryExpr:
		e.comparison(n)
	case *ast.AssignStmt:
		e.readers(n)
		for _, l := range n.Lhs {
			e.written[ast.Unparen(l)] = true
		}
	case *ast.UnaryExpr:
		e.written[ast.Unparen(n.X)] = n.Op == token.AND
	case *ast.KeyValueExpr:
		e.key(n)
	case *ast.ValueSpec:
		for _, v := range n.Values {
			e.reader(v, e.info.TypeOf(n.Type))
		}
	case *ast.TypeSpec:
		e.structSpec(n)
	case *ast.StructType:
		e.structType(n)
	case *ast.GoStmt:
		e.goStmt(n)
	case *ast.FuncLit:
		e.poll(n.Body, e.facts(n).poll)
	case *ast.BlockStmt:
		e.atExit(func() { e.list(n.List) })
	case *ast.CaseClause:
		e.atExit(func() { e.list(n.Body) })
	case *ast.CommClause:
		e.atExit(func() { e.list(n.Body) })
		e.use(e.vars(n.Comm), n.Colon+1)
		if e.r.Poll {
			e.insert(n.Colon+1, e.pollText())
		}
	case *ast.IfStmt:
		e.use(e.vars(n.Init), n.Body.Lbrace+1)
		e.headPoll(n)
	case *ast.ForStmt:
		e.use(e.vars(n.Init), n.Body.Lbrace+1)
		e.poll(n.Body, true)
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			e.use(e.defs(n.Key, n.Value), n.Body.Lbrace+1)
		}
		e.poll(n.Body, true)
	case *ast.SwitchStmt:
		e.switchInit(n.Init, n.Body)
		e.asAny(n.Tag)
		e.clausePolls(n.Body, n.Init, n.Tag)
	case *ast.TypeSwitchStmt:
		e.switchInit(n.Init, n.Body)
		e.typeSwitch(n)
		e.typeCases(n)
		e.clausePolls(n.Body, n.Init, n.Assign)
	}
}

// key leaves names of fields alone: they are no uses of variables.
func (e *emitter) key(kv *ast.KeyValueExpr) {
	id, ok := kv.Key.(*ast.Ident)
	if !ok {
		return
	}
	if v, ok := e.info.Uses[id].(*types.Var); ok && v.IsField() {
		e.skip[id] = true
	}
}

// structSpec keeps the literal of a struct type that is declared, at the top or
// in a function, and notes that this unit is the first to have the type. One that
// an earlier unit has without a name is replaced: values of both are assignable
// to each other.
func (e *emitter) structSpec(s *ast.TypeSpec) {
	st, ok := ast.Unparen(s.Type).(*ast.StructType)
	if !ok || s.Assign.IsValid() {
		return
	}
	t, ok := e.info.TypeOf(st).(*types.Struct)
	if ok {
		if _, elsewhere := e.structHome(t); elsewhere {
			return
		}
		if key := e.structKey(t); key != "" && sessionLevel(e.info.Defs[s.Name]) {
			e.homeless[key] = t
		}
	}
	e.keep[st] = true
}

// structType replaces a struct type without a name that another unit has.
func (e *emitter) structType(s *ast.StructType) {
	if e.keep[s] {
		return // of a type declaration: it has a name
	}
	t, ok := e.info.TypeOf(s).(*types.Struct)
	if !ok {
		return
	}
	if home, ok := e.structHome(t); ok {
		e.replace(s.Pos(), s.End(), e.unit(home)+"."+structName(e.structKey(t)))
		e.skip[s.Fields] = true
		return
	}
	if key := e.structKey(t); key != "" {
		e.homeless[key] = t
	}
}

// ident rewrites a name that means something of the session.
func (e *emitter) ident(id *ast.Ident) {
	o := e.info.Uses[id]
	if o == nil {
		if d, ok := e.info.Defs[id].(*types.Func); ok && d.Signature().Recv() != nil {
			e.rename(id, d)
		}
		return
	}
	switch o := o.(type) {
	case *types.PkgName:
		e.imports[o.Name()] = o.Imported().Path()
		return
	case *types.Func:
		if o.Signature().Recv() != nil {
			e.rename(id, o)
			return
		}
	}
	if o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return
	}
	if o.Pkg().Path() != homePath { // by a dot import
		if with := e.replaced(o); with != "" {
			e.replace(id.Pos(), id.End(), with)
			return
		}
		e.before(id, e.pkg(o.Pkg().Path())+".")
		return
	}
	e.session(id, o)
}

func (e *emitter) rename(id *ast.Ident, m *types.Func) {
	if name := e.method(m); name != m.Name() {
		e.replace(id.Pos(), id.End(), name)
	}
}

// sessionLevel tells the names at the top of cells.
func sessionLevel(o types.Object) bool {
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == homePath && o.Parent() == o.Pkg().Scope()
}

// session rewrites a name at the top of the session.
func (e *emitter) session(id *ast.Ident, o types.Object) {
	own := o.Pkg() == e.cell.Pkg
	switch o := o.(type) {
	case *types.Var:
		if !e.r.Program {
			e.through(id, o)
		}
	case *types.Func:
		generic := o.Signature().TypeParams().Len() > 0
		switch {
		case e.r.Program:
		case generic && own:
			e.replace(id.Pos(), id.End(), exported(o.Name()))
		case generic:
			home, ok := e.home(o)
			if !ok {
				e.refuse(id, "the generic function "+o.Name(), "is in no unit")
			}
			e.replace(id.Pos(), id.End(), e.unit(home)+"."+exported(o.Name()))
		default: // its own ones too: a new body reaches all callers, and what runs
			e.through(id, o)
		}
	case *types.TypeName:
		e.needType(o)
	case *types.Const:
		if !own {
			e.needConst(o)
		}
	}
}

// through reaches a variable or a function of the session by its pointer.
func (e *emitter) through(id *ast.Ident, o types.Object) {
	e.replace(id.Pos(), id.End(), "(*"+e.pointer(o)+")")
}

// selector rewrites small-letter fields and methods, and functions of packages
// that would end the process.
func (e *emitter) selector(s *ast.SelectorExpr) {
	if sel := e.info.Selections[s]; sel != nil {
		e.skip[s.Sel] = true
		switch o := sel.Obj().(type) {
		case *types.Func:
			e.rename(s.Sel, o)
			if with := replacedMethods[o.FullName()]; with != "" && sel.Kind() == types.MethodVal {
				e.standIn(s, sel, with)
			}
			if o.FullName() == "(*runtime.Func).Name" && sel.Kind() == types.MethodVal {
				e.wrap(s, e.api()+".FuncName(", s.X.End())
			}
		case *types.Var:
			if o.Name() == "Function" && o.Pkg().Path() == "runtime" && !e.written[s] {
				e.wrap(s, e.api()+".InMain(", s.End())
			}
			if e.lastForeign(sel) {
				e.field(s, sel)
			}
		}
		return
	}
	o := e.info.Uses[s.Sel]
	e.skip[s.Sel] = true
	if with := e.replaced(o); with != "" {
		e.replace(s.Pos(), s.End(), with)
		e.skip[s.X] = true
	}
}

// wrap puts a call around a selector; what stands behind end goes.
func (e *emitter) wrap(s *ast.SelectorExpr, call string, end token.Pos) {
	e.before(s, call)
	e.atExit(func() { e.replace(end, s.End(), ")") })
}

// lastForeign reports whether the field that a selection ends at can be said in
// another unit only.
func (e *emitter) lastForeign(sel *types.Selection) bool {
	t := sel.Recv()
	idx := sel.Index()
	for _, i := range idx[:len(idx)-1] {
		t = structOf(t).Field(i).Type()
	}
	return e.foreign(structOf(t).Field(idx[len(idx)-1]), e.nameless(deref(t)))
}

// replaced is what stands for a function that would end the process or its
// goroutine, that reads the standard input, or that tells of units.
func (e *emitter) replaced(o types.Object) string {
	if o == nil || o.Pkg() == nil {
		return ""
	}
	name, ok := replacedNames[o.Pkg().Path()+"."+o.Name()]
	if !ok || o.Parent() != o.Pkg().Scope() {
		return ""
	}
	return e.api() + "." + name
}

var replacedNames = map[string]string{
	"fmt.Scan": "Scan", "fmt.Scanf": "Scanf", "fmt.Scanln": "Scanln",
	"os.Exit": "Exit", "log.Fatal": "Fatal", "log.Fatalf": "Fatalf", "log.Fatalln": "Fatalln", "runtime.Goexit": "Goexit",
	"time.AfterFunc": "AfterFunc", "context.AfterFunc": "ContextAfterFunc",
	"runtime.Stack": "Stack",
}

// replacedMethods are likewise the methods that would end the process, and those
// whose goroutines would: functions of the receiver that give the method.
var replacedMethods = map[string]string{
	"(*log.Logger).Fatal": "LoggerFatal", "(*log.Logger).Fatalf": "LoggerFatalf", "(*log.Logger).Fatalln": "LoggerFatalln",
	"(*sync.WaitGroup).Go": "WaitGroupGo",
}

// standIn puts a function of ours in the place of a method x.M of a package. On
// the way there fields of embedded structs are written out; one that has no
// name here leaves the method as it is.
func (e *emitter) standIn(s *ast.SelectorExpr, sel *types.Selection, with string) {
	t, path := sel.Recv(), ""
	idx := sel.Index()
	for _, i := range idx[:len(idx)-1] {
		f := structOf(t).Field(i)
		if e.foreign(f, e.nameless(deref(t))) {
			return
		}
		t, path = f.Type(), path+"."+f.Name()
	}
	open := e.api() + "." + with + "("
	if _, pointer := t.Underlying().(*types.Pointer); !pointer {
		open += "&"
	}
	e.before(s, open)
	e.atExit(func() { e.replace(s.X.End(), s.End(), path+")") })
}

// compiles reports whether a function of the cell is compiled here.
func (e *emitter) compiles(name string) bool {
	return e.r.Funcs == nil || e.r.Funcs(name)
}

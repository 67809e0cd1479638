package fuzzgo

import (
	"fmt"
	"strings"
)

// stmt writes one statement, or a few that belong together.
func (g *gen) stmt(depth int) {
	switch g.r.IntN(22) {
	case 0, 1, 2:
		v := variable{g.fresh(), g.pick(all), false}
		g.line("var %s %s = %s", v.name, v.typ, g.expr(v.typ, 3))
		g.scope = append(g.scope, v)
	case 3, 4:
		t := g.pick(basics)
		v := variable{g.fresh(), t, false}
		g.line("%s := %s", v.name, g.typed(t, 3))
		g.scope = append(g.scope, v)
	case 5, 6, 7:
		t := g.pick(all)
		if v := g.find(t, true); v != "" {
			g.line("%s = %s", v, g.expr(t, 3))
		}
	case 8:
		t := g.pick(basics)
		if v := g.find(t, true); v != "" && (isInt(t) || isFloat(t)) {
			g.line("%s %s= %s", v, g.pick([]string{"+", "-", "*"}), g.expr(t, 2))
			g.line("%s%s", v, g.pick([]string{"++", "--"}))
		}
	case 9:
		g.element()
	case 10, 11:
		if depth > 0 {
			g.line("if %s {", g.expr("bool", 3))
			g.nested(depth)
			if g.one(2) {
				g.line("} else if %s {", g.expr("bool", 2))
				g.nested(depth)
			}
			g.line("}")
		}
	case 12, 13:
		if depth > 0 && g.loops < 2 {
			g.loop(depth)
		}
	case 14:
		if depth > 0 {
			g.switchStmt(depth)
		}
	case 15:
		g.call()
	case 16:
		a, b := g.find("int", true), g.find("int", true)
		if a != "" && a != b {
			g.line("%s, %s = %s, %s", a, b, g.expr("int", 2), g.expr("int", 2))
		}
	case 17:
		if v := g.find("any", false); v != "" {
			g.typeSwitch(v)
		}
	case 18:
		t := g.pick(all)
		if v := g.find(t, false); v != "" {
			g.print(v, t)
		}
	case 19:
		if depth > 0 && g.inLit == 0 {
			g.closures()
		}
	case 20:
		if g.loops > 0 {
			g.line("if %s { %s }", g.expr("bool", 2), g.pick([]string{"break", "continue"}))
		}
	case 21:
		if v := g.find("map[string]int", false); v != "" {
			n, ok := g.fresh(), g.fresh()
			g.line("%s, %s := %s[%q]", n, ok, v, g.pick(keys))
			g.scope = append(g.scope, variable{n, "int", false}, variable{ok, "bool", false})
		}
	}
}

func (g *gen) nested(depth int) {
	g.indent++
	g.block(1+g.r.IntN(4), depth-1)
	g.indent--
}

// element changes an element of a map, slice, array or a field.
func (g *gen) element() {
	if v := g.find("map[string]int", true); v != "" && g.one(2) {
		g.line("if %s != nil { %s[%q] %s= %s }", v, v, g.pick(keys), g.pick([]string{"", "+"}), g.expr("int", 2))
	}
	if v := g.find("[]int", true); v != "" {
		i := g.fresh()
		g.line("if %s := %s; len(%s) > 0 { %s[uint(%s)%%uint(len(%s))] %s= %s }", i, g.expr("int", 1), v, v, i, v,
			g.pick([]string{"", "+", "-"}), g.expr("int", 2))
	}
	if v := g.find("[3]int", true); v != "" {
		g.line("%s[%d] = %s", v, g.r.IntN(3), g.expr("int", 2))
	}
	if v := g.find("[2][2]int", true); v != "" {
		g.line("%s[%d][1]++", v, g.r.IntN(2))
	}
	if v := g.find("struct{ A int; B string }", true); v != "" {
		g.line("%s.%s", v, g.pick([]string{"A++", `B += "!"`, "A, " + v + ".B = 4, \"w\""}))
	}
	if v := g.find("[]struct{ A int; B string }", true); v != "" {
		g.line("for i := range %s { %s[i].A += i }", v, v)
		g.line("for _, x := range %s { x.A = 99 }", v)
	}
	if v := g.find("*int", true); v != "" {
		g.line("if %s != nil { *%s += %s }", v, v, g.expr("int", 1))
	}
	if v := g.find("map[string][]int", true); v != "" {
		g.line("if %s != nil { %s[\"b\"] = append(%s[\"a\"], %s) }", v, v, v, g.expr("int", 1))
	}
	if v := g.find("*struct{ A int; B string }", true); v != "" {
		g.line("if %s != nil { %s.A, %s.B = len(%s.B), \"p\" }", v, v, v, v)
	}
}

func (g *gen) loop(depth int) {
	g.loops++
	mark := len(g.scope)
	i := g.fresh()
	switch g.r.IntN(6) {
	case 0:
		g.line("for %s := 0; %s < %d; %s++ {", i, i, 1+g.r.IntN(5), i)
		g.scope = append(g.scope, variable{i, "int", true})
	case 1:
		t := g.pick([]string{"int", "int8", "uint16", "int64"})
		g.line("for %s := range %s(%d) {", i, t, g.r.IntN(5))
		g.scope = append(g.scope, variable{i, t, true})
	case 2:
		v := g.fresh()
		g.line("for %s, %s := range %s {", i, v, g.expr("[]int", 2))
		g.line("\t_ = %s", v)
		g.scope = append(g.scope, variable{i, "int", true}, variable{v, "int", false})
	case 3:
		v := g.fresh()
		g.line("for %s, %s := range %s {", i, v, g.expr("string", 2))
		g.line("\t_ = %s", v)
		g.scope = append(g.scope, variable{i, "int", true}, variable{v, "int32", false})
	case 4:
		v := g.fresh()
		g.line("for %s, %s := range %s {", i, v, g.expr("[3]int", 2))
		g.line("\t_ = %s", v)
		g.scope = append(g.scope, variable{i, "int", true}, variable{v, "int", false})
	case 5:
		g.line("for %s, n := 0, %s; %s < 4 && n != 77; %s, n = %s+1, n*2 {", i, g.typed("int", 1), i, i, i)
		g.scope = append(g.scope, variable{i, "int", true})
	}
	g.line("\t_ = %s", i)
	g.nested(depth)
	g.scope = g.scope[:mark]
	g.line("}")
	g.loops--
}

func (g *gen) switchStmt(depth int) {
	loops := g.loops
	g.loops = 0 // a break here would mean the switch
	if g.one(2) {
		g.line("switch %s {", g.typed("int", 2))
		g.line("case %d, %d:", g.r.IntN(3), 10+g.r.IntN(3))
		g.nested(depth)
		g.line("case 5:")
	} else {
		v := g.fresh()
		g.line("switch %s := %s; {", v, g.typed("string", 2))
		g.line("case %s > \"h\" && %s:", v, g.expr("bool", 1))
		g.nested(depth)
		g.line("case len(%s) == %d:", v, g.r.IntN(4))
	}
	g.nested(depth)
	g.line("default:")
	g.nested(depth)
	g.line("}")
	g.loops = loops
}

func (g *gen) typeSwitch(v string) {
	x := g.fresh()
	g.line("switch %s := %s.(type) {", x, v)
	g.line("case []int: _ = %s", x)
	g.line("case int: fmt.Println(\"int\", %s+1)", x)
	g.line("case string, bool: fmt.Println(\"sb\", %s)", x)
	g.line("case nil: fmt.Println(\"nil\", %s == nil)", x)
	g.line("case error: fmt.Println(%s.Error())", x)
	g.line("case float64: fmt.Println(%s*2)", x)
	g.line("default: fmt.Printf(\"%%T %%v\\n\", %s, %s)", x, x)
	g.line("}")
}

// call calls a function of the program and keeps its results.
func (g *gen) call() {
	if len(g.funcs) == 0 || g.inLit > 0 || g.loops > 1 {
		return
	}
	f := g.funcs[g.r.IntN(len(g.funcs))]
	var args, names []string
	for _, p := range f.params {
		args = append(args, g.expr(p, 2))
	}
	var vars []variable
	for _, t := range f.results {
		v := variable{g.fresh(), t, false}
		vars, names = append(vars, v), append(names, v.name)
	}
	call := fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	if len(names) == 0 {
		g.line("%s", call)
		return
	}
	g.line("%s := %s", strings.Join(names, ", "), call)
	g.scope = append(g.scope, vars...)
}

// closures makes literals in a loop and calls them after it.
func (g *gen) closures() {
	fs, i := g.fresh(), g.fresh()
	g.line("var %s []func(int) int", fs)
	g.line("for %s := range 3 {", i)
	g.indent++
	g.scope = append(g.scope, variable{i, "int", false})
	mark := len(g.scope)
	g.line("%s = append(%s, %s)", fs, fs, g.function1(2))
	local := g.fresh()
	g.line("%s := %s * 2", local, i)
	g.scope = append(g.scope, variable{local, "int", false})
	g.line("%s = append(%s, %s)", fs, fs, g.function1(2))
	g.line("%s++", local)
	g.scope = g.scope[:mark-1]
	g.indent--
	g.line("}")
	f := g.fresh()
	g.line("for _, %s := range %s { fmt.Print(%s(1), \" \", %s(2), \" \") }", f, fs, f, f)
	g.line("fmt.Println()")
}

// deferStmt defers a print of what it sees now, and one of what is there at
// the end.
func (g *gen) deferStmt() {
	for _, v := range g.scope {
		if v.typ == "int" || v.typ == "string" {
			g.line("defer fmt.Println(\"deferred\", %s)", v.name)
			g.line("defer func() { fmt.Println(\"at end\", %s) }()", v.name)
			return
		}
	}
	g.line("for i := range 2 { defer fmt.Println(\"defer\", i) }")
}

// Package fuzzgo writes random Go programs inside the interpreted subset, for
// tests that run each twice: by the Go compiler and as a lowered cell.
package fuzzgo

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Program returns the declarations of a random program: functions whose names
// begin with prefix, the last of them prefix+"main" without parameters, which
// prints what it computes. The imports it needs are fmt and sort. The same
// seed gives the same program.
func Program(seed uint64, prefix string) string {
	g := &gen{r: rand.New(rand.NewPCG(seed, 7)), prefix: prefix, made: map[string]bool{}}
	g.values()
	for i := range 2 + g.r.IntN(3) {
		g.function(fmt.Sprintf("%sf%d", prefix, i))
	}
	g.globals()
	g.indent = 0
	g.line("func %smain() {", prefix)
	g.indent = 1
	g.scope = nil
	g.results = nil
	g.block(10+g.r.IntN(10), 3)
	g.printAll()
	g.indent = 0
	g.line("}")
	return g.b.String()
}

// variable is one that the program may use at some place.
type variable struct {
	name, typ string
	fixed     bool // a loop variable: never assigned, or the loop may not end
}

// signature is a function that later ones may call.
type signature struct {
	name    string
	params  []string
	results []string
}

type gen struct {
	r       *rand.Rand
	b       strings.Builder
	prefix  string
	indent  int
	n       int // names so far
	scope   []variable
	global  []variable
	funcs   []signature
	made    map[string]bool
	results []string // of the function being written
	loops   int
	inLit   int
}

var basics = []string{"int", "int", "int", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
	"uint", "float64", "float64", "float32", "string", "string", "bool"}

var all = append([]string{
	"[]int", "[]int", "[]string", "[3]int", "[2][2]int", "map[string]int", "map[int]string", "map[string][]int", "*int",
	"struct{ A int; B string }", "[]struct{ A int; B string }", "func(int) int", "any", "error", "[]float64", "[]any",
	"*struct{ A int; B string }", "map[[2]int]bool", "[][]int", "map[string]any",
}, basics...)

func (g *gen) pick(list []string) string { return list[g.r.IntN(len(list))] }

func (g *gen) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *gen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *gen) fresh() string {
	g.n++
	return fmt.Sprintf("v%d", g.n)
}

// values are variables of each basic type, which expressions use in place of
// literals: the compiler refuses constant arithmetic that overflows.
func (g *gen) values() {
	for _, t := range basics {
		if g.made[t] || t == "bool" || t == "string" {
			continue
		}
		g.made[t] = true
		if isFloat(t) {
			g.line("var %s%sa, %s%sb %s = 0.5, -3", g.prefix, t, g.prefix, t, t)
			continue
		}
		g.line("var %s%sa, %s%sb %s = %d, %d", g.prefix, t, g.prefix, t, t, g.r.IntN(10), 100+g.r.IntN(28))
	}
}

// globals are variables of the session; functions written before do not see
// them, main does.
func (g *gen) globals() {
	g.scope, g.indent = nil, 0
	for range 3 {
		t := g.pick(all)
		name := fmt.Sprintf("%sg%d", g.prefix, g.n)
		g.n++
		g.line("var %s %s = %s", name, t, g.literal(t, 2))
		g.global = append(g.global, variable{name, t, false})
	}
}

func (g *gen) function(name string) {
	s := signature{name: name}
	g.scope, g.results = nil, nil
	var params []string
	for range g.r.IntN(4) {
		v := variable{g.fresh(), g.pick(all), false}
		params = append(params, v.name+" "+v.typ)
		s.params = append(s.params, v.typ)
		g.scope = append(g.scope, v)
	}
	var results []string
	named := g.one(3)
	for range g.r.IntN(3) {
		t := g.pick(all)
		s.results = append(s.results, t)
		if named {
			v := variable{g.fresh(), t, false}
			g.scope = append(g.scope, v)
			t = v.name + " " + t
		}
		results = append(results, t)
	}
	g.results = s.results
	g.indent = 0
	g.line("func %s(%s) (%s) {", name, strings.Join(params, ", "), strings.Join(results, ", "))
	g.indent = 1
	if g.one(2) {
		g.deferStmt()
	}
	g.block(3+g.r.IntN(6), 3)
	g.returnStmt()
	g.indent = 0
	g.line("}")
	g.funcs = append(g.funcs, s)
}

func (g *gen) returnStmt() {
	var out []string
	for _, t := range g.results {
		out = append(out, g.expr(t, 2))
	}
	g.line("return %s", strings.Join(out, ", "))
}

// block writes statements; what they declare is forgotten after them.
func (g *gen) block(n, depth int) {
	mark := len(g.scope)
	for range n {
		g.stmt(depth)
	}
	for _, v := range g.scope[mark:] {
		g.line("_ = %s", v.name)
	}
	g.scope = g.scope[:mark]
}

// printAll prints the variables of main and of the session.
func (g *gen) printAll() {
	for _, v := range append(append([]variable(nil), g.scope...), g.global...) {
		g.print(v.name, v.typ)
	}
}

// print prints a value; of pointers what they point to, of functions a call.
func (g *gen) print(e, t string) {
	switch {
	case strings.HasPrefix(t, "*"):
		g.line("if %s != nil { fmt.Printf(\"%%T %%v\\n\", *%s, *%s) }", e, e, e)
	case strings.HasPrefix(t, "func"):
		g.line("if %s != nil { fmt.Println(%s(%d)) }", e, e, g.r.IntN(9))
	default:
		g.line("fmt.Printf(\"%%T %%v\\n\", %s, %s)", e, e)
	}
}

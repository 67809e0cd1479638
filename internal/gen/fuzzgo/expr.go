package fuzzgo

import (
	"fmt"
	"strings"
)

func isInt(t string) bool {
	return strings.HasPrefix(t, "int") || strings.HasPrefix(t, "uint")
}

func isFloat(t string) bool { return strings.HasPrefix(t, "float") }

// find returns a variable of a type, or "".
func (g *gen) find(t string, settable bool) string {
	var names []string
	for _, v := range append(append([]variable(nil), g.scope...), g.global...) {
		if v.typ == t && (!settable || !v.fixed) {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[g.r.IntN(len(names))]
}

// expr is an expression of type t without a call of the program's own.
func (g *gen) expr(t string, depth int) string {
	if depth <= 0 || g.one(5) {
		if v := g.find(t, false); v != "" {
			return v
		}
		return g.literal(t, 1)
	}
	switch {
	case t == "bool":
		return g.boolean(depth)
	case isInt(t):
		return g.integer(t, depth)
	case isFloat(t):
		switch g.r.IntN(4) {
		case 0:
			return fmt.Sprintf("%s(%s)", t, g.expr(g.pick([]string{"int", "float64", "float32", "int16", "uint64", "int64"}),
				depth-1))
		default:
			return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), g.pick([]string{"+", "-", "*"}), g.expr(t, depth-1))
		}
	case t == "string":
		return g.text(depth)
	case t == "any":
		u := g.pick(basics)
		return fmt.Sprintf("any(%s)", g.typed(u, depth-1))
	case t == "*int":
		if v := g.find("int", true); v != "" {
			return "&" + v
		}
	case t == "[]int":
		if v := g.find("[]int", false); v != "" {
			switch g.r.IntN(3) {
			case 0:
				return fmt.Sprintf("append(%s, %s)", v, g.expr("int", depth-1))
			case 1:
				return fmt.Sprintf("%s[len(%s)/2:]", v, v)
			}
			return fmt.Sprintf("append([]int{%s}, %s...)", g.expr("int", depth-1), v)
		}
	case t == "func(int) int":
		return g.function1(depth)
	}
	return g.literal(t, depth)
}

// typed is an expression that has type t by itself.
func (g *gen) typed(t string, depth int) string { return fmt.Sprintf("%s(%s)", t, g.expr(t, depth)) }

func (g *gen) integer(t string, depth int) string {
	x := func() string { return g.expr(t, depth-1) }
	switch g.r.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s / (%s | 1))", x(), x())
	case 1:
		return fmt.Sprintf("(%s %% (%s | 1))", x(), x())
	case 2:
		return fmt.Sprintf("(%s %s (%s & 7))", x(), g.pick([]string{"<<", ">>"}),
			g.expr(g.pick([]string{"uint8", "uint", "uint32"}), depth-1))
	case 3:
		return fmt.Sprintf("(%s%s)", g.pick([]string{"-", "^", "+"}), x())
	case 4:
		return fmt.Sprintf("%s(%s)", t, g.expr(g.pick([]string{"int", "int8", "uint16", "uint64", "int64", "uint8", "float64",
			"float32"}), depth-1))
	case 5:
		if t == "int" {
			if v := g.find("[]int", false); v != "" {
				return fmt.Sprintf("len(%s)", v)
			}
			if v := g.find("map[string]int", false); v != "" {
				return fmt.Sprintf("%s[%q]", v, g.pick(keys))
			}
		}
	case 6:
		if t == "int" {
			if v := g.find("struct{ A int; B string }", false); v != "" {
				return v + ".A"
			}
			if v := g.find("[3]int", false); v != "" {
				return fmt.Sprintf("%s[uint(%s)%%3]", v, g.expr("int", depth-1))
			}
		}
	case 7:
		if t == "int" {
			if v := g.find("func(int) int", false); v != "" && g.inLit == 0 {
				return fmt.Sprintf("%s(%s)", v, x())
			}
		}
	case 9:
		return fmt.Sprintf("(%s %s %d)", x(), g.pick([]string{"+", "-", "*", "&", "|", "^", "/", "%"}), 1+g.r.IntN(100))
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.pick([]string{"min", "max"}), g.typed(t, depth-1), x())
	}
	return fmt.Sprintf("(%s %s %s)", x(), g.pick([]string{"+", "-", "*", "&", "|", "^", "&^"}), x())
}

func (g *gen) boolean(depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.expr("bool", depth-1), g.pick([]string{"&&", "||"}), g.expr("bool", depth-1))
	case 1:
		return "!" + g.expr("bool", depth-1)
	case 2:
		if v := g.find("any", false); v != "" {
			return fmt.Sprintf("(%s == any(%s))", v, g.typed(g.pick(basics), depth-1))
		}
	case 3:
		for _, t := range []string{"error", "*int", "[]int", "map[string]int", "func(int) int"} {
			if v := g.find(t, false); v != "" && g.one(2) {
				return fmt.Sprintf("(%s %s nil)", v, g.pick([]string{"==", "!="}))
			}
		}
	case 4:
		if v := g.find("[3]int", false); v != "" {
			return fmt.Sprintf("(%s == [3]int{%s, 2, 3})", v, g.expr("int", depth-1))
		}
	}
	t := g.pick(basics[:17])
	return fmt.Sprintf("(%s %s %s)", g.typed(t, depth-1), g.pick([]string{"==", "!=", "<", "<=", ">", ">="}),
		g.expr(t, depth-1))
}

func (g *gen) text(depth int) string {
	switch g.r.IntN(5) {
	case 0:
		if v := g.find("string", false); v != "" {
			return fmt.Sprintf("%s[len(%s)/2:]", v, v)
		}
	case 1:
		return fmt.Sprintf("fmt.Sprint(%s)", g.expr(g.pick(basics), depth-1))
	case 2:
		return fmt.Sprintf("string(rune('a' + %s%%20))", g.typed("uint8", depth-1))
	}
	return fmt.Sprintf("(%s + %s)", g.expr("string", depth-1), g.expr("string", depth-1))
}

// function1 is a literal of type func(int) int; it may change what it captures.
func (g *gen) function1(depth int) string {
	if g.inLit > 0 {
		return "nil"
	}
	p := g.fresh()
	g.inLit++
	mark := len(g.scope)
	g.scope = append(g.scope, variable{p, "int", false})
	body := ""
	if v := g.find("int", true); v != "" && g.one(2) {
		body = fmt.Sprintf("%s += %s; ", v, g.expr("int", depth-1))
	}
	s := fmt.Sprintf("func(%s int) int { %sreturn %s }", p, body, g.expr("int", depth-1))
	g.scope = g.scope[:mark]
	g.inLit--
	return s
}

var keys = []string{"a", "b", "c"}

// literal is a value of type t written out.
func (g *gen) literal(t string, depth int) string {
	e := func(t string) string { return g.expr(t, depth-1) }
	switch t {
	case "bool":
		return g.pick([]string{"true", "false"})
	case "string":
		return g.pick([]string{`"x"`, `"héé"`, `""`, `"go\xff1"`, `"abc"`})
	case "[]int":
		return g.pick([]string{"[]int(nil)", "[]int{1, 2, 3}", "[]int{" + e("int") + ", " + e("int") + "}",
			"make([]int, 3, 5)"})
	case "[]float64":
		return "[]float64{1.5, " + e("float64") + "}"
	case "[]string":
		return "[]string{" + e("string") + ", \"k\"}"
	case "[]any":
		return "[]any{1, nil, " + e("string") + ", " + e("bool") + "}"
	case "[][]int":
		return "[][]int{{1}, " + e("[]int") + ", nil}"
	case "[3]int":
		return "[3]int{" + e("int") + ", 5}"
	case "[2][2]int":
		return "[2][2]int{{" + e("int") + ", 1}}"
	case "map[string]int":
		return `map[string]int{"a": ` + e("int") + `, "z": 2}`
	case "map[int]string":
		return `map[int]string{1: ` + e("string") + `}`
	case "map[string][]int":
		return `map[string][]int{"a": ` + e("[]int") + `}`
	case "map[[2]int]bool":
		return `map[[2]int]bool{{1, 2}: true}`
	case "map[string]any":
		return `map[string]any{"a": ` + e("any") + `, "n": nil}`
	case "*int":
		return "new(int)"
	case "struct{ A int; B string }":
		return t + "{" + e("int") + ", " + e("string") + "}"
	case "[]struct{ A int; B string }":
		return t + "{{" + e("int") + ", \"q\"}, {B: " + e("string") + "}}"
	case "*struct{ A int; B string }":
		return "&struct{ A int; B string }{B: " + e("string") + "}"
	case "func(int) int":
		return "func(i int) int { return i + " + fmt.Sprint(g.r.IntN(5)) + " }"
	case "any":
		return g.pick([]string{"any(nil)", "any(3)", `any("s")`, "any(2.5)", "any([]int{1})", "any(uint8(7))"})
	case "error":
		return g.pick([]string{"error(nil)", `fmt.Errorf("e%d", 1)`, `fmt.Errorf("wrap: %w", fmt.Errorf("in"))`})
	}
	return g.prefix + t + g.pick([]string{"a", "b"})
}

package losstest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
)

// formulaOf reads a formula in i (or j): numbers, + − * / mod, brackets, and
// sqrt, exp, sin, cos.
func formulaOf(text string) (func(i float64) float64, error) {
	e, err := parser.ParseExpr(strings.ReplaceAll(text, " mod ", " % "))
	if err != nil {
		return nil, err
	}
	return compile(e)
}

func compile(e ast.Expr) (func(i float64) float64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return compile(e.X)
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(e.Value, 64)
		return func(float64) float64 { return v }, err
	case *ast.Ident:
		if e.Name == "i" || e.Name == "j" {
			return func(i float64) float64 { return i }, nil
		}
	case *ast.UnaryExpr:
		if f, err := compile(e.X); err != nil || e.Op == token.SUB {
			return func(i float64) float64 { return -f(i) }, err
		}
	case *ast.CallExpr:
		name, _ := e.Fun.(*ast.Ident)
		if name == nil || len(e.Args) != 1 {
			break
		}
		g := map[string]func(float64) float64{"sqrt": math.Sqrt, "exp": math.Exp, "sin": math.Sin, "cos": math.Cos}[name.Name]
		if g != nil {
			f, err := compile(e.Args[0])
			return func(i float64) float64 { return g(f(i)) }, err
		}
	case *ast.BinaryExpr:
		return compileTwo(e)
	}
	return nil, fmt.Errorf("%T is not understood", e)
}

func compileTwo(e *ast.BinaryExpr) (func(i float64) float64, error) {
	a, err := compile(e.X)
	if err != nil {
		return nil, err
	}
	b, err := compile(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case token.ADD:
		return func(i float64) float64 { return a(i) + b(i) }, nil
	case token.SUB:
		return func(i float64) float64 { return a(i) - b(i) }, nil
	case token.MUL:
		return func(i float64) float64 { return a(i) * b(i) }, nil
	case token.QUO:
		return func(i float64) float64 { return a(i) / b(i) }, nil
	case token.REM:
		return func(i float64) float64 { return math.Mod(a(i), b(i)) }, nil
	}
	return nil, fmt.Errorf("%s is not understood", e.Op)
}

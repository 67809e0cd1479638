package session

import (
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// What print and println write is the runtime's own text: the same program by
// the compiler wrote this.
func TestBuiltinPrint(t *testing.T) {
	const program = `package main

import (
	"fmt"
	"time"
)

var n = 3

func next() int { n++; fmt.Print("next "); return n }

func main() {
	println()
	print()
	println("a", 1, -2, true, false, 'x', 2.5, float32(0.1), 1e300, 1<<40)
	print("b", 2, 3.25, "\n")
	var u8 uint8 = 200
	var u uint64 = 1<<64 - 1
	zero := 0.0
	println(u8, int8(-100), u, time.Duration(1500), 1/zero, zero/zero, -zero)
	println(n, next(), n, next())
	for i := range 2 {
		defer println("deferred", i, n)
		defer print(i, "\n")
	}
	n = 100
	println([]int{1, 2}[1], len("é"))
}
`
	a := execute(t, newTestSession(t), engine.Cell{ID: 1, Number: 1, Code: program, Program: true})
	const want = "\na 1 -2 true false 120 2.5 0.1 1e+300 1099511627776\nb23.25\n200 -100 18446744073709551615 1500 +Inf NaN -0\n" +
		"5 4 5 5\n2 2\n1\ndeferred 1 5\n0\ndeferred 0 5\n"
	if a.out.Err != nil || a.stdout != "next next " || a.stderr != want {
		t.Errorf("stdout %q, stderr %q, error %q; want stderr %q", a.stdout, a.stderr, a.failure(), want)
	}
}

// Package expect holds the checks of the notebooks' cells: each prints one line
// that is compared with the committed output, and panics on a miss, so that
// the cell fails.
package expect

import (
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
)

// Output is where the lines go. A test may set it; cells leave it alone.
var Output io.Writer = os.Stdout

// Near checks that got is want within relTol relative (absolute where want is
// zero).
func Near(name string, got, want, relTol float64) {
	scale := math.Abs(want)
	if scale == 0 {
		scale = 1
	}
	report(math.Abs(got-want) <= relTol*scale, name, number(got), number(want))
}

// Within checks lo <= got <= hi. The line shows the bounds and not the value,
// so that it is the same in every run.
func Within(name string, got, lo, hi float64) {
	ok := got >= lo && got <= hi // NaN fails
	shown := "inside"
	if !ok {
		shown = number(got)
	}
	report(ok, name, shown, number(lo)+" to "+number(hi))
}

// Less checks a < b. The line shows neither, so that it is the same in every
// run.
func Less(name string, a, b float64) {
	if a < b {
		report(true, name, "less", "less")
		return
	}
	report(false, name, number(a), "below "+number(b))
}

// Increasing checks that each value is above the one before it.
func Increasing(name string, xs []float64) {
	for i := 1; i < len(xs); i++ {
		if !(xs[i] > xs[i-1]) {
			report(false, name, number(xs[i]), fmt.Sprintf("above %s (place %d)", number(xs[i-1]), i))
		}
	}
	report(true, name, "increasing", fmt.Sprintf("%d values", len(xs)))
}

// Same checks that a and b are deeply equal.
func Same(name string, a, b any) {
	if reflect.DeepEqual(a, b) {
		report(true, name, "same", "same")
		return
	}
	report(false, name, short(a), short(b))
}

// short is the value in at most 200 bytes, enough to see what differs.
func short(v any) string {
	s := fmt.Sprintf("%v", v)
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}

func number(x float64) string { return fmt.Sprintf("%.9g", x) }

func report(ok bool, name, got, want string) {
	if ok {
		fmt.Fprintf(Output, "ok   %s  %s  %s\n", name, got, want)
		return
	}
	line := fmt.Sprintf("FAIL %s  got %s  want %s", name, got, want)
	fmt.Fprintln(Output, line)
	panic(line)
}

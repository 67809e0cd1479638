package yaegi

import (
	"testing"

	"github.com/gondola-lab/gondola/kernel/lower"
)

// BenchmarkCell measures one small cell that uses three packages: lowering,
// a fresh interpreter, compiling and running.
func BenchmarkCell(b *testing.B) {
	k := newBook()
	k.run("x := 2.5")
	c, e := k.k.Check(2, "y := math.Sqrt(x) + float64(len(strings.ToUpper(\"abc\")))\n_ = fmt.Sprint(y)", k.sc)
	if e != nil {
		b.Fatal(e)
	}
	for b.Loop() {
		p, r := lower.Lower(c)
		if r != nil {
			b.Fatal(r)
		}
		u, err := k.r.Compile(p, 2, k.memory)
		if err != nil {
			b.Fatal(err)
		}
		if f := u.Run(); f != nil {
			b.Fatal(f.Text)
		}
	}
}

// BenchmarkLoop measures one turn of a sum loop with its poll.
func BenchmarkLoop(b *testing.B) {
	k := newBook()
	o := k.compile("func sum(n int) int {\n\tt := 0\n\tfor i := 0; i < n; i++ {\n\t\tt += i\n\t}\n\treturn t\n}")
	if o.unit == nil {
		b.Fatal(o)
	}
	f := o.unit.Funcs["sum"].Interface().(func(int) int)
	for b.Loop() {
		f(1000)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/turn")
}

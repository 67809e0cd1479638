package front

import (
	"fmt"
	"strings"
	"testing"
)

// manyNames fills a scope with n variables.
func manyNames(b *testing.B, k *Checker, n int) *Scope {
	var src strings.Builder
	for i := range n {
		fmt.Fprintf(&src, "v%d := %d.5\n", i, i)
	}
	c, e := k.Check(1, src.String(), NewScope())
	if e != nil {
		b.Fatal(e)
	}
	sc := NewScope()
	for _, d := range c.Decls {
		sc.Names[d.Name] = Name{Obj: d.Obj, Cell: 1}
	}
	return sc
}

func BenchmarkCheck(b *testing.B) {
	k := New(index())
	sc := manyNames(b, k, 600)
	line := "fmt.Println(strings.Repeat(\"a\", 3), math.Sqrt(v7)+v%d)\n"
	long := ""
	for i := range 30 {
		long += fmt.Sprintf(line, i)
	}
	for _, src := range []string{"v7 + 1\n", long} {
		lines := strings.Count(src, "\n")
		b.Run(fmt.Sprintf("op=check/names=600/lines=%d", lines), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, e := k.Check(2, src, sc); e != nil {
					b.Fatal(e)
				}
			}
			b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
	b.Run("op=complete/names=600", func(b *testing.B) {
		for b.Loop() {
			if c := k.Complete(long+"v1", len(long)+2, sc); len(c.Items) == 0 {
				b.Fatal("no names")
			}
		}
	})
	b.Run("op=firstimport/path=net,http", func(b *testing.B) {
		for b.Loop() {
			if _, e := New(index()).Check(2, "http.Get(\"\")", NewScope()); e != nil {
				b.Fatal(e)
			}
		}
	})
}

package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/ratio"
	"github.com/gondola-lab/gondola/internal/spatial"
	"github.com/gondola-lab/gondola/internal/vec"
)

// bruteTwo finds the two nearest of all points of s by looking at every point of o,
// eight at a time, with no walk and no box.
func bruteTwo(s, o *side, sets []leafSet, take func(i int, first int32, a, b float64)) {
	t, x := o.tree, o.tree.X[:cap(o.tree.X)]
	var found []int32
	h := &herd{other: t}
	for i := range s.n {
		q := (*[3]float32)(s.tree.X[3*i:])
		first, second := float32(math.Inf(1)), float32(math.Inf(1))
		for k := range sets {
			a, b := vec.Least(q, x, &sets[k].spans, math.MaxUint64>>(vec.Boxes-sets[k].n))
			second = min(second, max(first, a), b)
			first = min(first, a)
		}
		found = found[:0]
		bound := spatial.Widen(float64(second))
		for k := range sets {
			n := len(found)
			room := n + vec.MostPoints*sets[k].n + 8
			if cap(found) < room {
				found = append(make([]int32, 0, 2*room), found...)
			}
			found = found[:n+vec.Within(q, x, &sets[k].spans, math.MaxUint64>>(vec.Boxes-sets[k].n), bound, found[n:room])]
		}
		at, a, b := int32(0), math.Inf(1), math.Inf(1)
		for _, place := range found {
			switch d := h.square(q, place); {
			case d < a:
				at, a, b = place, d, a
			case d < b:
				b = d
			}
		}
		take(i, at, a, b)
	}
}

// allSets are all leaves of o.
func allSets(o *side) (sets []leafSet) {
	for l := range o.tree.Leaves() {
		if l%vec.Boxes == 0 {
			sets = append(sets, leafSet{})
		}
		set := &sets[len(sets)-1]
		lo, hi := o.tree.Leaf(l)
		set.spans[set.n] = [2]int32{int32(lo), int32(hi)}
		set.n++
	}
	return sets
}

// BenchmarkNear2 compares the search of the two nearest by groups of leaves with that
// of all points, in one run.
func BenchmarkNear2(b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 1024, 2048, 4096} {
		rnd := rand.New(rand.NewPCG(8, uint64(n)))
		p := open(b, cloud.Cube(rnd, n), cloud.Cube(rnd, n), backend.Resources{})
		w, sets := newCrew(context.Background(), 1), allSets(p.y)
		nearest := make([]float64, n)
		groups := func() {
			h := &half{s: p.x, o: p.y}
			h.nearestTwo(newHerd(h.s, h.o), 0, n, w, func(i int, _ int32, a, b float64) { nearest[i] = a + b })
		}
		brute := func() {
			bruteTwo(p.x, p.y, sets, func(i int, _ int32, a, b float64) {
				if nearest[i] != 0 && nearest[i] != a+b {
					panic("cpu: other neighbours by brute force")
				}
			})
		}
		b.Run(fmt.Sprintf("op=near2/backend=cpu/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				groups()
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpoints/s")
			b.ReportMetric(ratio.Of(max(9, 1<<15/n), brute, groups), "x-brute-time")
		})
	}
}

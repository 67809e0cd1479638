package spatial

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// clouds are points on which a tree can go wrong: even, flat, far from the
// origin, on a grid, and equal.
func clouds(n int) map[string][]float32 {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	make3 := func(f func(i, k int) float32) []float32 {
		x := make([]float32, 3*n)
		for i := range x {
			x[i] = f(i/3, i%3)
		}
		return x
	}
	return map[string][]float32{
		"cube":   make3(func(int, int) float32 { return rnd.Float32() }),
		"flat":   make3(func(_, k int) float32 { return rnd.Float32() * float32(k) }),
		"far":    make3(func(int, int) float32 { return 1e6 + rnd.Float32() }),
		"grid":   make3(func(int, int) float32 { return float32(rnd.IntN(6)) }),
		"equal":  make3(func(int, int) float32 { return 2 }),
		"tiny":   make3(func(int, int) float32 { return rnd.Float32() * 1e-22 }),
		"blob":   make3(func(int, int) float32 { return float32(math.Pow(rnd.Float64(), 20)) }),
		"signed": make3(func(int, int) float32 { return float32(rnd.NormFloat64()) }),
	}
}

func TestTreeAgainstBrute(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 33, 700} {
		for name, x := range clouds(n) {
			tree, queries := Build(x, 1, nil), clouds(60)[name]
			brute := &Brute{X: tree.X, D: 3}
			for q := 0; q < len(queries); q += 3 {
				checkQuery(t, name, tree, brute, x, queries[q:q+3])
			}
			for q := 0; q < min(len(x), 90); q += 3 { // its own points: distance 0
				checkQuery(t, name, tree, brute, x, x[q:q+3])
			}
		}
	}
}

func checkQuery(t *testing.T, name string, tree *Tree, brute *Brute, x, q []float32) {
	t.Helper()
	n := len(tree.ID)
	first, d1, d2 := tree.Two(q)
	_, w1, w2 := brute.Two(q)
	if d1 != w1 || d2 != w2 || SquaredDistance(tree.X[3*first:3*first+3], q) != d1 {
		t.Fatalf("%s, n = %d: two nearest at %v and %v, brute force %v and %v", name, n, d1, d2, w1, w2)
	}
	low, want := (&Brute{X: x, D: 3}).Nearest(q, -1)
	for _, guess := range []int32{-1, 0, int32(n / 2), first} {
		if at, d := tree.Nearest(q, guess); d != want || tree.ID[at] != low {
			t.Fatalf("%s, n = %d: nearest is %d at %v, brute force %d at %v", name, n, tree.ID[at], d, low, want)
		}
	}
	for _, r2 := range []float64{0, d1, d2, 4 * d1, math.Inf(1)} {
		if math.IsInf(r2, 1) && n > 33 {
			continue
		}
		got := tree.Ball(q, r2, []int32{-7})
		if got[0] != -7 || !slices.IsSorted(got[1:]) {
			t.Fatalf("%s, n = %d: ball %v does not append, or does not ascend", name, n, got)
		}
		for i := range n {
			s := SquaredDistance(tree.X[3*i:3*i+3], q)
			_, found := slices.BinarySearch(got[1:], int32(i))
			if s <= r2 && !found {
				t.Fatalf("%s, n = %d: the ball of %v lacks a point at %v", name, n, r2, s)
			}
			if found && s > r2*(1+3e-6)+1e-41 {
				t.Fatalf("%s, n = %d: the ball of %v has a point at %v", name, n, r2, s)
			}
		}
	}
}

func TestTreeIsTheSameForAnyThreads(t *testing.T) {
	x := clouds(20_000)["blob"]
	want := Build(x, 1, nil)
	for _, threads := range []int{2, 3, 8} {
		got := Build(x, threads, nil)
		if !slices.Equal(got.ID, want.ID) || !slices.Equal(got.X, want.X) || !slices.Equal(got.split, want.split) ||
			!slices.Equal(got.box, want.box) {
			t.Errorf("the tree of %d threads differs from that of one", threads)
		}
	}
	seen := make([]bool, len(want.ID))
	for k, i := range want.ID {
		if seen[i] || !slices.Equal(want.X[3*k:3*k+3], x[3*i:3*i+3]) {
			t.Fatalf("place %d of the leaf order is not point %d", k, i)
		}
		seen[i] = true
	}
}

func TestHalt(t *testing.T) {
	x, asked := clouds(40_000)["cube"], 0
	yes := func() bool { asked++; return true }
	Build(x, 1, yes)
	if asked != 1 {
		t.Errorf("the build asked %d times after a yes", asked)
	}
	if g := Dedup(x, 3, nil, nil, yes); len(g.First) != 0 {
		t.Errorf("Dedup went on for %d points", len(g.First))
	}
}

func TestBytes(t *testing.T) {
	for _, n := range []int{1, 16, 17, 5000} {
		tree := Build(make([]float32, 3*n), 1, nil)
		held := int64(4*(len(tree.X)+len(tree.ID)+len(tree.split)+len(tree.start)+len(tree.box)) + len(tree.axis))
		if got := Bytes(n); got < held-8 || got > held+8 {
			t.Errorf("%d points: Bytes is %d, the tree holds %d", n, got, held)
		}
	}
}

func TestBruteInFiveDimensions(t *testing.T) {
	b := &Brute{X: []float32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, D: 5}
	q := []float32{1, 1, 1, 1, 2}
	if first, d1, d2 := b.Two(q); first != 1 || d1 != 1 || d2 != 4 { // 1; four of 1 and 0
		t.Errorf("two nearest: %d at %v, then %v; want 1 at 1, then 4", first, d1, d2)
	}
	if got := b.Ball(q, 4, nil); !slices.Equal(got, []int32{1, 2}) {
		t.Errorf("ball: %v, want 1 and 2", got)
	}
}

func TestDedup(t *testing.T) {
	x := []float32{1, 2, 3, 0, 0, 0, 1, 2, 3, 5, 5, 5, 1, 2, 3, 0, 0, 0}
	for _, tt := range []struct {
		name              string
		w                 []float64
		keep              []int32
		first, mult, next []int32
	}{
		{"all", nil, nil, []int32{0, 1, 3}, []int32{3, 2, 1}, []int32{2, 5, 4, -1, -1, -1}},
		{"kept", nil, []int32{1, 3, 4}, []int32{1, 3, 4}, nil, nil},
		{"weights part equals", []float64{1, 1, 2, 1, 1, 1}, nil, []int32{0, 1, 2, 3}, []int32{2, 2, 1, 1},
			[]int32{4, 5, -1, -1, -1, -1}},
	} {
		g := Dedup(x, 3, tt.w, tt.keep, nil)
		if !slices.Equal(g.First, tt.first) || !slices.Equal(g.Mult, tt.mult) || !slices.Equal(g.Next, tt.next) {
			t.Errorf("%s: %v, want %v, %v, %v", tt.name, g, tt.first, tt.mult, tt.next)
		}
	}
	if g := Dedup(make([]float32, 3000), 3, nil, nil, nil); len(g.First) != 1 || g.Mult[0] != 1000 {
		t.Errorf("a thousand equal points are %d classes", len(g.First))
	}
}

func BenchmarkTree(b *testing.B) {
	const n = 16384
	x := clouds(n)["cube"]
	tree := Build(x, 1, nil)
	b.Run("op=build/n=16384", func(b *testing.B) {
		for b.Loop() {
			Build(x, 1, nil)
		}
	})
	b.Run("op=two/n=16384", func(b *testing.B) {
		for b.Loop() {
			for i := 0; i < len(tree.X); i += 3 {
				tree.Two(tree.X[i : i+3])
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mqueries/s")
	})
}

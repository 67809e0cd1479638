package losstest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runBatches checks that a batch is its items: to the bit, for any number of
// threads, in any company, and with padding that never enters.
func runBatches(t *testing.T, backend string) {
	families := Families(90, 17)
	for _, l := range losses(backend) {
		t.Run(l.name, func(t *testing.T) {
			t.Run("is its items", func(t *testing.T) { batchIsItems(t, l, families) })
			t.Run("padding", func(t *testing.T) { padding(t, l) })
			t.Run("bad item", func(t *testing.T) { badItems(t, l) })
			t.Run("bad batch", func(t *testing.T) { badBatches(t, l) })
			t.Run("canceled", func(t *testing.T) { canceledBatch(t, l, families) })
		})
	}
	t.Run("apml/reduction of the variants", func(t *testing.T) { reductions(t, backend) })
	t.Run("apml/not converged", func(t *testing.T) { lateItems(t, backend) })
	t.Run("apml/trace", func(t *testing.T) { tracedBatch(t, backend) })
}

// joinedBatch is the families as two batches.
func joinedBatch(t *testing.T, families []Family) (xs, ys cloud.Batch) {
	t.Helper()
	var x, y []cloud.Cloud
	for _, f := range families {
		x, y = append(x, f.X), append(y, f.Y)
	}
	for k, b := range []*cloud.Batch{&xs, &ys} {
		var err error
		if *b, err = cloud.Join([][]cloud.Cloud{x, y}[k]...); err != nil {
			t.Fatal(err)
		}
	}
	return xs, ys
}

func batchIsItems(t *testing.T, l loss, families []Family) {
	var single []apmlgpu.Result
	sum := 0.0
	for _, f := range families {
		single = append(single, l.must(t, f.X, f.Y))
		sum += single[len(single)-1].Value
	}
	xs, ys := joinedBatch(t, families)
	back := slices.Clone(families)
	slices.Reverse(back)
	bx, by := joinedBatch(t, back)
	last := len(families) - 1
	for _, c := range []call{
		{threads: 1}, {threads: 2}, {threads: 3}, {threads: 7}, {threads: 2, maxBytes: 4 << 20},
	} {
		c.reduce = apmlgpu.Sum
		r, err := l.batch(xs, ys, c)
		if err != nil {
			t.Fatal(err)
		}
		turned, err := l.batch(bx, by, c)
		if err != nil {
			t.Fatal(err)
		}
		for b, f := range families {
			want := single[b]
			for _, got := range []struct {
				r      apmlgpu.BatchResult
				item   int
				xs, ys cloud.Batch
			}{{r, b, xs, ys}, {turned, last - b, bx, by}} {
				gx, gy := got.r.GradX64, got.r.GradY64
				if !l.metric {
					gx = gx[3*got.xs.Off[got.item] : 3*got.xs.Off[got.item+1]]
					gy = gy[3*got.ys.Off[got.item] : 3*got.ys.Off[got.item+1]]
				}
				if got.r.Values[got.item] != want.Value || !sameBits(gx, want.GradX64) || !sameBits(gy, want.GradY64) {
					t.Errorf("%s, %+v: item %d has value %v, alone %v", f.Name, c, got.item, got.r.Values[got.item],
						want.Value)
				}
				if s := got.r.Stats[got.item]; s.N != want.Stats.N || s.NNZ != want.Stats.NNZ || s.Method != want.Stats.Method {
					t.Errorf("%s: stats of item %d are those of another pair: %+v", f.Name, got.item, s)
				}
			}
		}
		if r.Value != sum {
			t.Errorf("sum is %v, want %v", r.Value, sum)
		}
	}
	mean, err := l.batch(xs, ys, call{threads: 2, reduce: apmlgpu.Mean})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(families))
	if mean.Value != sum/n {
		t.Errorf("mean is %v, want %v", mean.Value, sum/n)
	}
	if l.metric {
		return
	}
	if mean.GradX64[0] != single[0].GradX64[0]/n ||
		math.Abs(float64(mean.GradY[1])-single[0].GradY64[1]/n) > float32Gradient*math.Abs(single[0].GradY64[1]) {
		t.Errorf("mean is %v, want %v; gradient %v, want %v", mean.Value, sum/n, mean.GradX64[0], single[0].GradX64[0]/n)
	}
}

// padding fills the rest of a dense tensor with what must never be read.
func padding(t *testing.T, l loss) {
	const b, n, d = 3, 40, 3
	lengths := []int{40, 17, 1}
	base := Families(b*n, 18)[0]
	var tensors [2][]float32
	var batches [2]cloud.Batch
	for k, c := range []cloud.Cloud{base.X, base.Y} {
		x := slices.Clone(c.X)
		for i, m := range lengths {
			for at := (i*n + m) * d; at < (i+1)*n*d; at++ {
				x[at] = float32(math.NaN())
			}
		}
		var err error
		if batches[k], err = cloud.BatchOf(x, b, n, d, lengths); err != nil {
			t.Fatal(err)
		}
		tensors[k] = x
	}
	r, err := l.batch(batches[0], batches[1], call{threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range lengths {
		cut := func(x []float32) cloud.Cloud {
			return cloud.Cloud{N: m, D: d, X: x[i*n*d : (i*n+m)*d]}
		}
		if want := l.must(t, cut(tensors[0]), cut(tensors[1])); r.Values[i] != want.Value {
			t.Errorf("item %d with padding is %v, without %v", i, r.Values[i], want.Value)
		}
	}
}

// badItems puts every row of hostile input between good pairs.
func badItems(t *testing.T, l loss) {
	good := hostileCloud()
	for _, row := range hostileRows() {
		if row.x.D != row.y.D || row.x.D != 3 || row.x.N < 0 || len(row.x.X) != 3*row.x.N || len(row.y.X) != 3*row.y.N ||
			row.x.W != nil && len(row.x.W) != row.x.N || row.y.W != nil && len(row.y.W) != row.y.N {
			continue // cannot be an item: see badBatches
		}
		xs, ys := looseBatch(good, row.x, good, row.x), looseBatch(good, row.y, good, row.y)
		r, err := l.batch(xs, ys, call{threads: 2})
		var e *apmlgpu.Error
		if !errors.Is(err, row.want) || !errors.As(err, &e) || !strings.Contains(err.Error(), "Batch: item 1: ") ||
			!strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: error is %v, want %v of item 1 with %q", row.name, err, row.want, row.text)
		}
		if r.Value != 0 || r.Values != nil || r.GradX != nil {
			t.Errorf("%s: a refused batch has given %v", row.name, r.Values)
		}
	}
}

// looseBatch joins clouds that no check has seen; some of which may be empty.
func looseBatch(clouds ...cloud.Cloud) cloud.Batch {
	b := cloud.Batch{D: 3, Off: []int{0}}
	weighted := slices.ContainsFunc(clouds, func(c cloud.Cloud) bool { return c.W != nil })
	for k, c := range clouds {
		b.X, b.Off = append(b.X, c.X...), append(b.Off, b.Off[k]+c.N)
		for i := 0; weighted && i < c.N; i++ {
			if c.W == nil {
				b.W = append(b.W, 1/float64(c.N))
			} else {
				b.W = append(b.W, c.W[i])
			}
		}
	}
	return b
}

func badBatches(t *testing.T, l loss) {
	good := looseBatch(hostileCloud(), hostileCloud())
	with := func(change func(b *cloud.Batch)) cloud.Batch {
		b := cloud.Batch{D: good.D, Off: slices.Clone(good.Off), X: slices.Clone(good.X)}
		change(&b)
		return b
	}
	for _, row := range []struct {
		name   string
		xs, ys cloud.Batch
		want   error
		text   string
	}{
		{"nothing", cloud.Batch{}, cloud.Batch{}, apmlgpu.ErrEmpty, "xs"},
		{"no clouds", good, with(func(b *cloud.Batch) { b.Off, b.X = []int{0}, nil }), apmlgpu.ErrEmpty, "ys"},
		{"fewer", good, looseBatch(hostileCloud()), apmlgpu.ErrShape, "2 items, ys has 1"},
		{"no dimension", with(func(b *cloud.Batch) { b.D = 0 }), good, apmlgpu.ErrShape, "xs"},
		{"dimensions differ", good, with(func(b *cloud.Batch) { b.D, b.X = 1, b.X[:6] }), apmlgpu.ErrShape, "3"},
		{"late start", with(func(b *cloud.Batch) { b.Off[0] = 1 }), good, apmlgpu.ErrShape, "offsets 1 to 6"},
		{"falling", good, with(func(b *cloud.Batch) { b.Off[1] = 7 }), apmlgpu.ErrShape, "ys"},
		{"negative", good, with(func(b *cloud.Batch) { b.Off[1] = -1 }), apmlgpu.ErrShape, "ys"},
		{"short", with(func(b *cloud.Batch) { b.X = b.X[:17] }), good, apmlgpu.ErrShape, "17 numbers"},
		{"weights", good, with(func(b *cloud.Batch) { b.W = []float64{1} }), apmlgpu.ErrShape, "1 weights"},
		{"huge", with(func(b *cloud.Batch) { b.Off[2] = math.MaxInt }), good, apmlgpu.ErrShape, "xs"},
	} {
		r, err := l.batch(row.xs, row.ys, call{threads: 2})
		if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) || r.Values != nil {
			t.Errorf("%s: %v, error is %v, want %v with %q", row.name, r.Values, err, row.want, row.text)
		}
	}
	if _, err := l.batch(good, good, call{reduce: "max"}); !errors.Is(err, apmlgpu.ErrOption) ||
		strings.Contains(err.Error(), "item") {
		t.Errorf("Reduce max: %v", err)
	}
	if _, err := l.batch(good, good, call{threads: 1, maxBytes: 10}); !errors.Is(err, apmlgpu.ErrMemory) ||
		!strings.Contains(err.Error(), "item 0") {
		t.Errorf("10 bytes: %v", err)
	}
}

func canceledBatch(t *testing.T, l loss, families []Family) {
	xs, ys := joinedBatch(t, families)
	for _, threads := range []int{1, 3} {
		done := false
		for after := int64(0); after < 1<<30 && !done; after = 4*after + 1 {
			ctx, cancel := context.WithCancel(t.Context())
			r, err := l.batch(xs, ys, call{threads: threads, context: &countedContext{Context: ctx, cancel: cancel,
				left: after}})
			cancel()
			done = err == nil
			if !done && (!errors.Is(err, apmlgpu.ErrCanceled) || r.Values != nil || strings.Contains(err.Error(), "item")) {
				t.Errorf("canceled after %d questions: %v, %v", after, r.Values, err)
			}
		}
		if !done {
			t.Error("the batch is never done")
		}
	}
}

// reductions are the variants' own where none is given.
func reductions(t *testing.T, backend string) {
	xs, ys := joinedBatch(t, Families(30, 19)[:4])
	for _, v := range []apmlgpu.Variant{"", apmlgpu.Faithful, apmlgpu.Reference} {
		r, err := apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{Backend: backend, Variant: v})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, one := range r.Values {
			want += one
		}
		if v != apmlgpu.Reference {
			want /= 4
		}
		if r.Value != want {
			t.Errorf("variant %q: value %v of %v", v, r.Value, r.Values)
		}
		p, err := r.Plan(2)
		if n, m := p.Dims(); err != nil || n != xs.At(2).N || m != ys.At(2).N {
			t.Errorf("plan of item 2 is %d×%d, %v", n, m, err)
		}
	}
}

// lateItems do not converge: the result comes with the error.
func lateItems(t *testing.T, backend string) {
	point := cloud.FromRows([][]float32{{0, 0, 0}})
	f := Families(100, 20)[:3]
	xs, ys := joinedBatch(t, []Family{{"points", point, point}, f[0], f[1], f[2]})
	r, err := apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{Backend: backend, Tol: 1e-7, MaxIter: 2, Threads: 2})
	if !errors.Is(err, apmlgpu.ErrNotConverged) || !strings.Contains(err.Error(), "item 1: ") ||
		!strings.Contains(err.Error(), "2 more") || len(r.Values) != 4 || !r.Stats[0].Converged || r.Stats[3].Converged {
		t.Errorf("values %v, error %v: want a usable result and item 1 with 2 more", r.Values, err)
	}
}

// tracedBatch is told of one item after the other.
func tracedBatch(t *testing.T, backend string) {
	xs, ys := joinedBatch(t, Families(30, 21)[:3])
	var told []string
	var inside atomic.Int32
	_, err := apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{Backend: backend, Iterations: 2, Threads: 7,
		Trace: func(s apmlgpu.Step) {
			if inside.Add(1) > 1 {
				t.Error("two items are traced side by side")
			}
			told = append(told, fmt.Sprint(s.Item, s.Iteration))
			inside.Add(-1)
		}})
	if want := []string{"0 1", "0 2", "1 1", "1 2", "2 1", "2 2"}; err != nil || !slices.Equal(told, want) {
		t.Errorf("told %v, want %v: %v", told, want, err)
	}
	ys.X[len(ys.X)-1] = float32(math.NaN())
	_, err = apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{Backend: backend,
		Trace: func(s apmlgpu.Step) { t.Errorf("item %d was computed beside a bad one", s.Item) }})
	if !errors.Is(err, apmlgpu.ErrNotFinite) || !strings.Contains(err.Error(), "item 2: ") {
		t.Errorf("a bad last item: %v", err)
	}
}

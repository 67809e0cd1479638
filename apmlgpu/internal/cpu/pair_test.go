package cpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// faithful is the default call.
func faithful() backend.APML {
	return backend.APML{
		Method: backend.Auto, MinProb: 0.8, Margin: 1e-8, Iterations: 20, LogInverse: -math.Log(1e-20),
		Automatic: true, UniformRow: true, Grad64: true,
	}
}

func open(t testing.TB, x, y cloud.Cloud, r backend.Resources) *pair {
	t.Helper()
	if r.Context == nil {
		r.Context = context.Background()
	}
	r.Threads = max(r.Threads, 1)
	if r.MaxBytes == 0 {
		r.MaxBytes = 1 << 32
	}
	p, err := Backend{}.Open(x, y, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p.(*pair)
}

func spheres(n int) (x, y cloud.Cloud) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	return cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)
}

// Values are kept as float32 where entries are many; here they are made to be.
func TestNarrowValues(t *testing.T) {
	x, y := spheres(3000)
	results := map[bool]*backend.APMLResult{}
	for _, narrow := range []bool{false, true} {
		a := &apml{pair: open(t, x, y, backend.Resources{}), q: faithful(),
			out: &backend.APMLResult{N: 3000, M: 3000}}
		if err := a.near2(); err != nil {
			t.Fatal(err)
		}
		l := a.first(46)
		a.x.threshold(l)
		a.y.threshold(l)
		m := &merger{x: a.x, y: a.y, balls: newBalls(a.y), mayNarrow: narrow, narrowAt: 4000, most: math.MaxInt64,
			crew: a.crew, ledger: a.ledger}
		csr, ok, err := m.run()
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		p := &sparse{x: a.x, y: a.y, csr: csr, csc: csr.flip(y.N, narrow, a.crew), crew: a.crew}
		b := newBalance(a.pair.x, a.pair.y)
		if err := b.run(p, a.q, a.ledger, a.crew); err != nil {
			t.Fatal(err)
		}
		if err := a.finish(p, b); err != nil {
			t.Fatal(err)
		}
		results[narrow] = a.out
	}
	wide, small := results[false], results[true]
	if wide.Value == small.Value {
		t.Error("float32 and float64 values give the same bits: one of them was not used")
	}
	if d := math.Abs(small.Value/wide.Value - 1); !(d <= 1e-8) {
		t.Errorf("float32 values move the loss by %g", d)
	}
	for k, g := range wide.GradX64 {
		if !(math.Abs(small.GradX64[k]-g) <= 1e-6) {
			t.Fatalf("GradX[%d] is %v with float32 values, %v with float64", k, small.GradX64[k], g)
		}
	}
}

// The ledger must tell what the heap does: what is alive at the end of the
// balancing, within a fifth.
func TestLedgerAgainstHeap(t *testing.T) {
	const n = 60_000
	x, y := spheres(n)
	before := alive()
	p := open(t, x, y, backend.Resources{})
	var heap, told int64
	q := faithful()
	q.Trace = func(iteration int, _ float64) {
		if iteration == 10 {
			heap, told = alive()-before, p.ledger.alive
		}
	}
	if _, err := p.APML(q); err != nil {
		t.Fatal(err)
	}
	if off := math.Abs(float64(told)/float64(heap) - 1); !(off <= 0.2) {
		t.Errorf("the ledger says %d bytes are alive, the heap has risen by %d", told, heap)
	}
	if s := p.Spent(); s.PeakBytes < told || s.PeakBytes > int64(100*2*n)+24*40*n {
		t.Errorf("peak is %d bytes, alive in the middle were %d", s.PeakBytes, told)
	}
	if left := p.ledger.alive - p.x.bytes() - p.y.bytes(); left != 0 {
		t.Errorf("after the call the ledger still counts %d bytes", left)
	}
}

func TestMemoryChoosesTheWay(t *testing.T) {
	x, y := spheres(600)
	shell := cloud.Sphere(rand.New(rand.NewPCG(1, 2)), 600)
	for i := range shell.X { // all but the first have about the same distance from the origin
		if i > 2 {
			shell.X[i] *= 1.01 + 0.01*float32(i/3)/600
		}
	}
	tiny := cloud.Sphere(rand.New(rand.NewPCG(1, 3)), 600)
	for i := range tiny.X {
		tiny.X[i] *= 1e-6
	}
	for _, tt := range []struct {
		name   string
		x, y   cloud.Cloud
		method string
		bytes  int64
		want   string // "" for a MemoryError
	}{
		{"small support", x, y, backend.Auto, 1 << 30, backend.Sparse},
		{"full support", tiny, shell, backend.Auto, 1 << 30, backend.Dense},
		{"full support, little memory", tiny, shell, backend.Auto, 1 << 20, backend.Streaming},
		{"small support, little memory", x, y, backend.Auto, 400_000, backend.Streaming},
		{"dense does not fit", x, y, backend.Dense, 1 << 20, ""},
		{"sparse does not fit", tiny, shell, backend.Sparse, 1 << 20, ""},
		{"nothing fits", x, y, backend.Streaming, 60_000, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := open(t, tt.x, tt.y, backend.Resources{MaxBytes: tt.bytes})
			q := faithful()
			q.Method, q.Iterations = tt.method, 2
			out, err := p.APML(q)
			var m *backend.MemoryError
			switch {
			case tt.want == "" && (!errors.As(err, &m) || m.Need <= m.Limits):
				t.Errorf("error is %v, want what is needed and allowed", err)
			case tt.want != "" && (err != nil || out.Method != tt.want):
				t.Errorf("method %s, error %v, want %s", out.Method, err, tt.want)
			}
			if left := p.ledger.alive - p.x.bytes() - p.y.bytes(); left != 0 {
				t.Errorf("after the call the ledger still counts %d bytes", left)
			}
			if s := p.Spent(); s.PeakBytes > tt.bytes {
				t.Errorf("peak is %d bytes, allowed were %d", s.PeakBytes, tt.bytes)
			}
		})
	}
}

func TestStopEndsTheCall(t *testing.T) {
	x, y := spheres(2000)
	p := open(t, x, y, backend.Resources{Threads: 3})
	q := faithful()
	q.Trace = func(int, float64) { stop.Set() }
	defer stop.Clear()
	if _, err := p.APML(q); !errors.Is(err, stop.ErrStopped) {
		t.Errorf("error is %v, want the stop", err)
	}
	if left := p.ledger.alive - p.x.bytes() - p.y.bytes(); left != 0 {
		t.Errorf("after a stop the ledger still counts %d bytes", left)
	}
}

// Equal points, points of weight zero and −0 become what they are.
func TestSide(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	c := cloud.Cloud{N: 5, D: 2, X: []float32{0, 1, 3, 3, negative, 1, 9, 9, 0, 1}, W: []float64{1, 2, 1, 0, 2}}
	s := newSide(c, 0, false, 1, newCrew(context.Background(), 1))
	if s.total != 4 || s.n != 3 || s.dim != 3 { // (0,1) of weight 1 twice, (3,3), (0,1) of weight 2
		t.Fatalf("%d points count, %d differ, dimension %d; want 4, 3, 3", s.total, s.n, s.dim)
	}
	seen := map[int]float64{}
	for i := range s.n {
		s.copies(i, func(original int) { seen[original] = s.weight(i) })
	}
	for i, want := range map[int]float64{0: 4. / 6, 1: 8. / 6, 2: 4. / 6, 4: 8. / 6} { // total × share
		if got := seen[i]; math.Abs(got-want) > 1e-15 {
			t.Errorf("share of point %d is %v, want %v", i, got, want)
		}
	}
	if len(seen) != 4 {
		t.Errorf("points %v are held, want all but number 3", seen)
	}
}

func TestExponent(t *testing.T) {
	w := newCrew(context.Background(), 1)
	at := func(v float32) cloud.Cloud { return cloud.Cloud{N: 2, D: 1, X: []float32{v, 2 * v}} }
	for v, want := range map[float32]int{1: 0, 1e-9: 0, 1e9: 0, 0x1p-60: 59, 0x1p100: -101} {
		if got := exponent(at(v), at(v), w); got != want {
			t.Errorf("a box of %g is scaled by 2^%d, want 2^%d", v, got, want)
		}
	}
	wild := cloud.Cloud{N: 2, D: 1, X: []float32{1e38, 1e-38}}
	if _, _, exact := gather(wild, exponent(wild, wild, w), w); exact {
		t.Error("1e-38 was scaled beside 1e38 without loss")
	}
	p := open(t, wild, wild, backend.Resources{})
	near, err := p.Nearest(false)
	if err != nil || !slices.Equal(near.Index, []int32{0, 1}) {
		t.Errorf("nearest of itself: %v, %v", near.Index, err)
	}
}

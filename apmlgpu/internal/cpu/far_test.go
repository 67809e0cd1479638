package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/vec"
)

// terms are rank-one terms of which a share of the points has any, each its own.
func terms(rnd *rand.Rand, n int, share float64) (u []float64) {
	for i := range n {
		if rnd.Float64() < share {
			if u == nil {
				u = make([]float64, n)
			}
			u[i] = rnd.Float64() / float64(n)
		}
	}
	return u
}

// The far sums are those of the definition, pair by pair, for every kind of
// terms, with duplicates, weights and scalings of far apart sizes.
func TestFarAgainstDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const n, m = 517, 403
	x, y := cloud.Sphere(rnd, n), cloud.Cube(rnd, m)
	copy(x.X[3*500:], x.X[:51])
	copy(y.X, x.X[300:330]) // distances of zero
	for k, tt := range []struct {
		alpha, beta, floor float64
		even               bool // every tied column has the same term
	}{
		{0.3, 0, 0, false}, {0, 0.2, 0, false}, {0.5, 0.4, 0, false}, {1, 1, 0, false}, {0.005, 0.005, 0, false},
		{0.4, 0.3, 0.7, false}, {0, 0.2, 0, true}, {0.5, 0.4, 0, true}, {1, 1, 0, true}, {0.4, 0.3, 0.7, true},
	} {
		for _, byCount := range []bool{false, true} {
			p := open(t, x, y, backend.Resources{})
			ties := uniforms{alpha: terms(rnd, p.x.n, tt.alpha), beta: terms(rnd, p.y.n, tt.beta), byCount: byCount}
			for j, b := range ties.beta {
				if tt.even && b != 0 {
					ties.beta[j] = 0.25
				}
			}
			g := &gradient{a: p.x, b: p.y, floor: tt.floor}
			for range p.x.n {
				g.u = append(g.u, math.Ldexp(rnd.Float64(), rnd.IntN(40)))
			}
			for range p.y.n {
				g.w = append(g.w, math.Ldexp(rnd.Float64(), -rnd.IntN(40)))
			}
			var first *far
			for _, threads := range []int{1, 2, 3, 7} {
				p := newPuller(g, ties, newCrew(context.Background(), threads))
				if err := p.direct(); err != nil {
					t.Fatal(err)
				}
				got := p.out
				if byForce := p.size > 0; byForce != (tt.floor == 0) {
					t.Errorf("case %d: by forces alone: %v", k, byForce)
				}
				if first == nil {
					first = got
					checkFar(t, fmt.Sprintf("case %d, by count %v", k, byCount), g, ties, got)
				} else if got.cost != first.cost || !slices.Equal(got.x, first.x) || !slices.Equal(got.y, first.y) {
					t.Errorf("case %d: %d threads give other bits than 1", k, threads)
				}
			}
		}
	}
}

// Where float32 gradients are all that is asked for, tied lines are taken in float32, if
// numbers fit: every force is within 4e-7 of the sizes that it adds up, the cost within
// 1e-7, and the bits do not depend on the threads.
func TestFarShort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 8))
	x, y := cloud.Sphere(rnd, 517), cloud.Cube(rnd, 403)
	copy(y.X, x.X[300:330]) // distances of zero
	for k, tt := range []struct {
		alpha, beta float64
		wide        int     // powers of two between scalings
		small       float32 // a coordinate
		short       bool
	}{
		{0.3, 0, 10, 1, true}, {0, 0.2, 10, 1, true}, {0.5, 0.4, 0, 1, true}, {1, 1, 10, 0, true},
		{1, 1, 65, 1, false}, {1, 1, 0, 0x1p-38, false},
	} {
		x.X[0] = tt.small
		p := open(t, x, y, backend.Resources{})
		ties := uniforms{alpha: terms(rnd, p.x.n, tt.alpha), beta: terms(rnd, p.y.n, tt.beta)}
		for j, b := range ties.beta {
			if b != 0 {
				ties.beta[j] = 0.25
			}
		}
		g := &gradient{a: p.x, b: p.y, g32: []float32{}}
		for i := range p.x.n {
			g.u = append(g.u, math.Ldexp(1, i%2*tt.wide)*(1+rnd.Float64()))
		}
		for range p.y.n {
			g.w = append(g.w, 1+rnd.Float64())
		}
		var first *far
		for _, threads := range []int{1, 2, 3, 7} {
			p := newPuller(g, ties, newCrew(context.Background(), threads))
			if err := p.direct(); err != nil {
				t.Fatal(err)
			}
			if p.short.on != (tt.short && vec.Fast32()) {
				t.Errorf("case %d: float32: %v", k, p.short.on)
			}
			if first == nil {
				first = p.out
				near := 2e-13
				if p.short.on {
					near = 4e-7
				}
				checkFarWithin(t, fmt.Sprintf("case %d", k), g, ties, p.out, near/4, near)
			} else if p.out.cost != first.cost || !slices.Equal(p.out.x, first.x) || !slices.Equal(p.out.y, first.y) {
				t.Errorf("case %d: %d threads give other bits than 1", k, threads)
			}
		}
	}
}

// checkFar compares with the definition; errors count against the sum of the
// sizes of what is added.
func checkFar(t *testing.T, name string, g *gradient, ties uniforms, got *far) {
	t.Helper()
	checkFarWithin(t, name, g, ties, got, 2e-13, 2e-13)
}

// checkFarWithin is checkFar with the errors that cost and forces may have.
func checkFarWithin(t *testing.T, name string, g *gradient, ties uniforms, got *far, near, nearForce float64) {
	t.Helper()
	cost, x, y := 0.0, make([]float64, len(got.x)), make([]float64, len(got.y))
	sizeX, sizeY := make([]float64, g.a.n), make([]float64, g.b.n)
	term := func(u []float64, i int) float64 {
		if u == nil {
			return 0
		}
		return u[i]
	}
	for i := range g.a.n {
		line := 0.0 // a short sum, for its rounding
		for j := range g.b.n {
			c := ties.both(term(ties.alpha, i), term(ties.beta, j)) * g.u[i] * g.a.times(i) * g.w[j]
			d := distance(g.a, g.b, i, j)
			line += c * d
			sizeX[i], sizeY[j] = sizeX[i]+c, sizeY[j]+c
			if d > 0 {
				for k := range 3 {
					f := c * float64(float64(g.a.row(i)[k])-float64(g.b.row(j)[k])) / max(d, g.floor)
					x[3*i+k] += f
					y[3*j+k] -= f
				}
			}
		}
		cost += line
	}
	if off := math.Abs(got.cost - cost); !(off <= near*cost) {
		t.Errorf("%s: cost is %.17g, want %.17g", name, got.cost, cost)
	}
	for k, v := range got.x {
		if !(math.Abs(v-x[k]) <= nearForce*sizeX[k/3]) {
			t.Fatalf("%s: force %d of x is %.17g, want %.17g", name, k, v, x[k])
		}
	}
	for k, v := range got.y {
		if !(math.Abs(v-y[k]) <= nearForce*sizeY[k/3]) {
			t.Fatalf("%s: force %d of y is %.17g, want %.17g", name, k, v, y[k])
		}
	}
}

// A tile as wide as the world whose weight is all in pairs close together: their
// costs are added up one by one.
func TestFarOfClosePairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	x, y := cloud.Cube(rnd, 100), cloud.Cube(rnd, 100)
	for k := range 3 * 50 { // half of both lie together, a hundred thousand edges away
		x.X[k], y.X[k] = x.X[k]+1e5, y.X[k]+1e5
	}
	p := open(t, x, y, backend.Resources{})
	g := &gradient{a: p.x, b: p.y}
	ties := uniforms{alpha: terms(rnd, p.x.n, 1)}
	for i := range p.x.n {
		ties.alpha[i] = 1
		g.u = append(g.u, map[bool]float64{true: 1, false: 1e-20}[p.x.row(i)[0] > 1e4])
	}
	for j := range p.y.n {
		g.w = append(g.w, map[bool]float64{true: 1, false: 1e-20}[p.y.row(j)[0] > 1e4])
	}
	f := newPuller(g, ties, newCrew(context.Background(), 1))
	if err := f.direct(); err != nil {
		t.Fatal(err)
	}
	if f.size > 0 {
		t.Error("the cost was taken from forces, which have lost its digits")
	}
	checkFar(t, "close pairs", g, ties, f.out)
}

// The far sums count in the ledger, and are refused before they are made.
func TestFarMemory(t *testing.T) {
	x := cloud.Grid(8, 0)
	y := cloud.Grid(8, 0)
	for k := range y.X {
		y.X[k] += 0.5
	}
	p := open(t, x, y, backend.Resources{})
	q := faithful()
	if _, err := p.APML(q); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Spent().Stages, func(s backend.Stage) bool { return s.Name == "gradient" })
	if got := p.Spent().Stages[at].Bytes; got < farBytes(x.N, y.N) {
		t.Errorf("the gradient of tied grids tells of %d bytes, its far sums alone take %d", got, farBytes(x.N, y.N))
	}
}

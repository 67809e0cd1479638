package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// Groups of neighbours whose marginals are met together: so few that a pass over their
// plan is much less work than one over all factors.
const (
	groupPoints = 8   // of a group, at least
	mostGroups  = 512 // of a side
	meetShare   = 0.03
	meetRounds  = 64
	meetPlain   = 12 // rounds before those that go further
	meetRate    = 5  // rounds of which the rate says how far
)

// groups is the plan between groups of neighbouring points, and what its rounds need.
type groups struct {
	rows, cols int // points of a group
	n, m       int
	plan       []float64 // n×m
	a, b       []float64 // masses
	u, v, col  []float64
}

// newGroups are groups for n and m points.
func newGroups(n, m int) *groups {
	g := &groups{rows: max(groupPoints, chunksOf(n, mostGroups)), cols: max(groupPoints, chunksOf(m, mostGroups))}
	g.n, g.m = chunksOf(n, g.rows), chunksOf(m, g.cols)
	return g
}

func (g *groups) bytes() int64 {
	if g == nil {
		return 0
	}
	return 8 * (int64(g.n)*int64(g.m) + 2*int64(g.n) + 3*int64(g.m))
}

// Meet scales groups of neighbours as a whole until they have their masses: what rounds,
// whose every step carries mass no further than about √ε, find slowly. The dual value
// only rises.
func (h *gibbs) Meet(q backend.Meet) (bool, error) {
	if h.x.tree == nil || h.y.tree == nil || h.x == h.y || h.list == nil && h.near == nil && h.wide == nil {
		return false, nil
	}
	if h.groups == nil {
		g := newGroups(h.x.n, h.y.n)
		if h.pair.ledger.take("the groups", g.bytes()) != nil {
			return false, nil
		}
		g.plan, g.a, g.b = make([]float64, g.n*g.m), make([]float64, g.n), make([]float64, g.m)
		g.u, g.v, g.col = make([]float64, g.n), make([]float64, g.m), make([]float64, g.m)
		sumUp(g.a, q.A, g.rows)
		sumUp(g.b, q.B, g.cols)
		h.groups = g
	}
	g := h.groups
	err := h.pair.crew.each(h.x.n, g.rows, func(k, lo, hi int) { h.gather(g.plan[k*g.m:(k+1)*g.m], lo, hi, q.Z, q.W, g.cols) })
	if err != nil || !g.meet(h.pair.crew) {
		return false, h.pair.crew.err()
	}
	for i := range q.U {
		q.U[i] = g.u[i/g.rows]
	}
	for j := range q.V {
		q.V[j] = g.v[j/g.cols]
	}
	return true, nil
}

// sumUp sets dst to the sums of so many numbers in a row.
func sumUp(dst, v []float64, many int) {
	clear(dst)
	for i, a := range v {
		dst[i/many] += a
	}
}

// gather sets dst to the sums of the plan z_i K_ij w_j of rows lo to hi, by groups of
// columns.
func (h *gibbs) gather(dst []float64, lo, hi int, z, w []float64, cols int) {
	m := h.y.n
	if h.list != nil {
		clear(dst)
		for i := lo; i < hi && !h.pair.crew.halt(); i++ {
			idx, val := h.list.rows.entriesOf(i)
			for k, j := range idx {
				dst[int(j)/cols] += z[i] * float64(val[k]) * w[j]
			}
		}
		return
	}
	sums := make([]float64, m)
	for i := lo; i < hi && !h.pair.crew.halt(); i += 4 {
		var by [4]float64
		end := min(i+4, hi)
		copy(by[:], z[i:end])
		if h.near != nil {
			vec.Adds(sums, h.near[i*m:end*m], m, &by)
		} else {
			vec.Adds(sums, h.wide[i*m:end*m], m, &by)
		}
	}
	for c := range dst {
		from, to, sum := c*cols, min((c+1)*cols, m), 0.0
		for j, s := range sums[from:to] {
			sum += s * w[from+j]
		}
		dst[c] = sum
	}
}

// meet finds u and v with which the plan has its masses, to a share of what it was off
// by; it says false where there is nothing to do, or no number for it.
func (g *groups) meet(c *crew) bool {
	for _, s := range [][]float64{g.u, g.v} {
		for k := range s {
			s[k] = 1
		}
	}
	var errs [meetPlain]float64
	omega := 1.0
	for k := range meetRounds {
		off := g.round(omega)
		if c.halt() || off-off != 0 {
			return false
		}
		if k < meetPlain {
			errs[k] = off
		}
		switch {
		case off <= meetShare*errs[0]:
			return off > 0
		case k == meetPlain-1:
			if rate := math.Pow(off/errs[k-meetRate], 1.0/meetRate); rate < 1 {
				omega = min(2/(1+math.Sqrt(1-rate)), 1.9)
			}
		}
	}
	return true
}

// round scales rows, then columns, and returns the mass that rows were off by.
func (g *groups) round(omega float64) (off float64) {
	clear(g.col)
	for i := 0; i < g.n; i += 4 {
		end := min(i+4, g.n)
		var z [4]float64
		vec.Dots(&z, g.plan[i*g.m:end*g.m], g.m, g.v)
		for k := i; k < end; k++ {
			have := g.u[k] * z[k-i]
			off += math.Abs(have - g.a[k])
			g.u[k] *= step(have/g.a[k], omega)
			z[k-i] = g.u[k]
		}
		vec.Adds(g.col, g.plan[i*g.m:end*g.m], g.m, &z)
	}
	for j, s := range g.col {
		g.v[j] *= step(g.v[j]*s/g.b[j], omega)
	}
	return off
}

func step(ratio, omega float64) float64 {
	if omega == 1 {
		return 1 / ratio
	}
	return math.Pow(ratio, -omega)
}

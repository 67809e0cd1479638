package cpu

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// gapMost is the promised duality gap, as a share of the value.
const gapMost = 1e-9

// certify proves the plan by potentials: u_i becomes the least C_ij − v_j of all
// pairs, so that none is violated, and the gap is what the plan pays above them.
func (t *transport) certify() error {
	tight := make([]float64, t.x.n)
	if t.priced == nil {
		t.crew.each(t.x.n, fewRows(t.y.n), func(_, lo, hi int) {
			for i := lo; i < hi && !t.crew.halt(); i++ {
				_, tight[i] = t.best(int32(i), t.v)
			}
		})
	} else {
		for i := 0; i < t.x.n && !t.crew.halt(); i++ {
			tight[i] = t.priced.best(&t.turned[i], 1, math.Inf(1))[0].r
		}
	}
	if err := t.crew.err(); err != nil {
		return err
	}
	t.u = tight
	o := t.out
	o.Slack = 16 * 0x1p-53 * t.scale
	gap, primal := 0.0, 0.0
	per := 1 / float64(t.total)
	for _, a := range t.flow {
		c := t.cost(a.i, a.j)
		primal += float64(a.m) * per * c
		gap += float64(a.m) * per * math.Max(0, c-t.v[a.j]-t.u[a.i])
	}
	o.Gap = gap
	t.original()
	if err := t.spread(); err != nil {
		return err
	}
	o.Dual = o.Primal - o.Gap
	// Only the primal of the costs that were solved says how many digits there are.
	o.Converged = !t.late && gap <= gapMost*max(primal, o.Primal)+o.Slack
	return nil
}

// original writes the potentials of the caller's points, for the costs without
// the means taken away: |p − q + s|² = |p − q|² + 2 s·(p − q) + |s|².
func (t *transport) original() {
	shift := 0.0
	for _, v := range t.moved {
		shift += v * v
	}
	one := func(h *heap, pot []float64, sign, more float64) []float64 {
		out := make([]float64, h.c.N)
		for k, v := range pot {
			for e, s := range t.moved {
				v += sign * 2 * s * h.at[k*t.d+e]
			}
			h.copies(k, func(i int32) { out[i] = v + more })
		}
		return out
	}
	t.out.F, t.out.G = one(&t.x, t.u, 1, shift), one(&t.y, t.v, -1, 0)
}

// spread gives the plan between different points to the caller's: copies of a
// point take its mass in turn. It also adds up what that costs.
func (t *transport) spread() error {
	sortUntil(t.flow, t.crew.halt, func(a, b arc) int {
		if a.i != b.i {
			return int(a.i - b.i)
		}
		return int(a.j - b.j)
	})
	rows, cols := newTakers(&t.x), newTakers(&t.y)
	per := 1 / float64(t.total)
	arcs := make([]backend.Arc, 0, len(t.flow))
	if err := t.crew.err(); err != nil { // half sorted
		return err
	}
	for _, a := range t.flow {
		for m := a.m; m > 0; {
			i, have := rows.now(a.i)
			j, want := cols.now(a.j)
			move := min(m, have, want)
			rows.take(a.i, move)
			cols.take(a.j, move)
			m -= move
			arcs = append(arcs, backend.Arc{I: i, J: j, Mass: float64(move) * per})
		}
	}
	sortUntil(arcs, t.crew.halt, func(a, b backend.Arc) int {
		if a.I != b.I {
			return int(a.I - b.I)
		}
		return int(a.J - b.J)
	})
	t.out.Arcs = arcs
	for k, a := range arcs {
		if k%4096 == 0 && t.crew.halt() {
			return t.crew.err()
		}
		t.out.Primal += a.Mass * t.caller(a.I, a.J)
	}
	return nil
}

// caller is the cost between two of the caller's points.
func (t *transport) caller(i, j int32) float64 {
	x, y := t.x.c, t.y.c
	p, q := x.X[int(i)*x.D:(int(i)+1)*x.D], y.X[int(j)*x.D:(int(j)+1)*x.D]
	s := 0.0
	for e, v := range p {
		w := float64(v) - float64(q[e])
		s += w * w
	}
	if t.q.Squared {
		return s
	}
	return math.Sqrt(s)
}

// takers hands out the mass of the copies of different points, in turn.
type takers struct {
	h    *heap
	copy []int32 // whose turn it is
	left []int64 // of that one
}

func newTakers(h *heap) *takers {
	k := &takers{h: h, copy: slices.Clone(h.of.First), left: make([]int64, h.n)}
	for c, i := range k.copy {
		k.left[c] = h.unit[i]
	}
	return k
}

func (k *takers) now(c int32) (i int32, left int64) { return k.copy[c], k.left[c] }

func (k *takers) take(c int32, m int64) {
	if k.left[c] -= m; k.left[c] > 0 || k.h.of.Next == nil {
		return
	}
	if i := k.h.of.Next[k.copy[c]]; i >= 0 {
		k.copy[c], k.left[c] = i, k.h.unit[i]
	}
}

package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/vec"
)

// Where gradients are asked for in float32 alone, the pairs of tied lines are taken in
// float32 too: a force has an error of 3e-7 of itself, of one sign as often as of the
// other, and sums are kept in float64 beyond a batch of rows. That takes half the time.
const (
	shortRows  = 64      // of a batch
	shortLeast = 0x1p-36 // of a coordinate that is not zero: two of them differ by 2^-60 at least
	shortRange = 0x1p60  // between the factors of points, at most: their products stay normal numbers
	shortSlack = 4       // how much less than mostCancelled is left to the value by such forces
)

// short is what brings the largest factor of either side to 1, so that where all are
// equal none is rounded; off where they or the coordinates do not fit.
type short struct {
	on         bool
	rows, cols float64
}

// fits finds out whether all pairs may be taken in float32.
func (p *puller) fits(exact bool) (s short) {
	if exact || !vec.Fast32() || p.floor != 0 {
		return s
	}
	for _, side := range []*side{p.x, p.y} {
		for _, v := range side.x {
			if v := math.Abs(float64(v)) * p.scale; v != 0 && v < shortLeast {
				return s
			}
		}
	}
	rows, cols := extent{low: math.Inf(1)}, extent{low: math.Inf(1)}
	for _, i := range p.rows {
		a := p.evenly
		if p.ties.alpha != nil {
			a = max(a, p.ties.alpha[i])
		}
		rows.add(a * p.u[i] * p.x.times(int(i)))
	}
	for _, w := range p.w {
		cols.add(w)
	}
	s.on = rows.within() && cols.within()
	s.rows, s.cols = 1/rows.high, 1/cols.high
	return s
}

// within says that the numbers are in the range of factors.
func (e extent) within() bool { return e.high > 0 && e.high/e.low <= shortRange }

// drawShort is the middle of draw in float32: even pairs, whose columns' forces in the
// strip are zero.
func (p *puller) drawShort(v *virial, rows []int32, strip []float64, factor, even float64) {
	var to [stripGroups / 2 * vec.GroupLen32]float32
	const n, wide = vec.Group, vec.Group32
	groups := len(strip) / vec.GroupLen
	at := func(g int) []float32 { return to[g/2*vec.GroupLen32+g%2*n:] }
	for g := range groups {
		c, short := (*[vec.GroupLen]float64)(strip[g*vec.GroupLen:]), at(g)
		for k := range n {
			short[k], short[wide+k], short[2*wide+k] = float32(c[k]), float32(c[n+k]), float32(c[2*n+k])
			short[3*wide+k] = float32(c[3*n+k] * p.short.cols)
		}
	}
	cols := to[:(groups+1)/2*vec.GroupLen32]
	back := 1 / p.short.rows / p.short.cols
	var r vec.Row
	for len(rows) > 0 {
		batch := rows[:min(shortRows, len(rows))]
		rows = rows[len(batch):]
		if p.crew.halt() {
			return
		}
		for _, i := range batch {
			p.set(&r, i, factor)
			q := vec.Row32{X: float32(r.X), Y: float32(r.Y), Z: float32(r.Z), A: float32((r.A + r.U*even) * p.short.rows)}
			q.Draw(cols)
			fx, fy, fz := float64(q.FX)*back, float64(q.FY)*back, float64(q.FZ)*back
			v.add(r.X, r.Y, r.Z, fx, fy, fz)
			f := p.out.x[3*i : 3*i+3 : 3*i+3]
			f[0], f[1], f[2] = f[0]+fx, f[1]+fy, f[2]+fz
		}
		for g := range groups {
			force, short := strip[g*vec.GroupLen+5*n:(g+1)*vec.GroupLen], at(g)
			for k := range 3 * n {
				f := &short[4*wide+k/n*wide+k%n]
				force[k] += float64(*f) * back
				*f = 0
			}
		}
	}
}

package cpu

import "math"

// tileColumns is how many points of the other side a tied line meets at a time:
// 64 KiB of numbers, which stay in the cache while all tied lines of a block
// pass over them.
const tileColumns = 2048

// tile is some points of the other side as float64, by coordinate, and what a
// tied line gives to each, times its scaling.
type tile struct {
	x, y, z, v []float64
	alpha      float64 // of the line that v was filled for
	mass       float64 // Σ v
	sums       []farSum
}

// farSum is what all points of the other side give to one tied line.
type farSum struct{ mass, cost, x, y, z float64 }

// far sums up the rank-one terms of the tied lines lo to hi over all points of
// the other side: the only work that takes N steps a line.
func (t *tile) far(g *gradient, u uniforms, lo, hi int, c *crew) []farSum {
	if t.x == nil {
		n := min(tileColumns, g.b.n)
		t.x, t.y, t.z, t.v = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	}
	t.sums = append(t.sums[:0], make([]farSum, hi-lo)...)
	for from := 0; from < g.b.n; from += tileColumns {
		n := min(tileColumns, g.b.n-from)
		for k := range n {
			q := g.b.row(from + k)
			t.x[k], t.y[k], t.z[k] = float64(q[0]), float64(q[1]), float64(q[2])
		}
		t.alpha = 0
		for i := lo; i < hi && !c.halt(); i++ {
			if a := u.alpha[i]; a != 0 {
				if a != t.alpha {
					t.fill(g, u, a, from, n)
				}
				t.add(g, i, n, &t.sums[i-lo])
			}
		}
	}
	return t.sums
}

// fill makes v for the lines that have this alpha.
func (t *tile) fill(g *gradient, u uniforms, alpha float64, from, n int) {
	t.alpha, t.mass = alpha, 0
	for k, w := range g.w[from : from+n] {
		a := alpha
		if u.beta != nil {
			a = u.both(alpha, u.beta[from+k])
		}
		t.v[k] = a * w
		t.mass += t.v[k]
	}
}

// add adds the tile to the sums of line i. Distances here decide nothing, so
// that their last bit is free.
func (t *tile) add(g *gradient, i, n int, sum *farSum) {
	p := g.a.row(i)
	px, py, pz := float64(p[0]), float64(p[1]), float64(p[2])
	floor := g.floor / g.a.unit
	near := floor * floor
	var cost, fx, fy, fz float64
	xs, ys, zs, vs := t.x[:n], t.y[:n], t.z[:n], t.v[:n]
	for k, v := range vs {
		x, y, z := px-xs[k], py-ys[k], pz-zs[k]
		s := float64(x*x) + float64(y*y) + float64(z*z)
		if s > near {
			v /= math.Sqrt(s)
			cost += float64(v * s)
		} else if s > 0 { // below the floor of the divisor
			cost += float64(v * math.Sqrt(s))
			v /= floor
		} else {
			continue
		}
		fx += float64(v * x)
		fy += float64(v * y)
		fz += float64(v * z)
	}
	sum.mass += t.mass
	sum.cost += cost
	sum.x += fx
	sum.y += fy
	sum.z += fz
}

package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/vec"
)

// gradient is one pass over the lines of the balanced plan of side a: it sums
// up the value and the marginal, and writes the gradient of a's points.
type gradient struct {
	a, b      *side
	u         []float64 // scalings of a
	w         []float64 // scalings of b times multiplicity
	per       float64   // target of a line is per × its share
	floor     float64   // least distance that a direction is divided by; 0: none
	g32       []float32 // by caller's index; nil: not wanted
	g64       []float64 // by caller's index; nil: not wanted
	part      []totals  // by block
	far       []float64 // forces by rank-one terms, times scaling and multiplicity; nil: none
	farCost   float64   // value by rank-one terms, in the unit of a
	transpose bool      // lines are columns of the plan
}

// totals are sums over lines, with multiplicity.
type totals struct{ value, mass, off, offMax float64 }

func (t totals) plus(s totals) totals {
	return totals{t.value + s.value, t.mass + s.mass, t.off + s.off, max(t.offMax, s.offMax)}
}

func (g *gradient) total() (t totals) {
	for _, p := range g.part {
		t = t.plus(p)
	}
	t.value += g.farCost * g.a.unit
	return t
}

// line sums up one line of the plan; it is fed by add.
type line struct {
	g     *gradient
	i     int
	mass  float64   // Σ P w
	cost  float64   // Σ P w d
	force []float64 // Σ P w (x_i − y_j)/d
}

func (g *gradient) line() *line { return &line{g: g, force: make([]float64, g.a.dim)} }

func (l *line) start(i int) {
	l.i, l.mass, l.cost = i, 0, 0
	clear(l.force)
}

// add adds the entries val at idx, times factor; a nil idx means all points of
// b in turn.
func add[V float32 | float64](l *line, idx []int32, val []V, factor float64) {
	a, b, w := l.g.a, l.g.b, l.g.w
	if a.dim != 3 {
		addWide(l, idx, val, factor)
		return
	}
	p, floor := (*[3]float32)(a.row(l.i)), l.g.floor/a.unit
	var f vec.Force
	if idx != nil {
		f = vec.Forces(p, b.x, idx, val, w, floor)
	} else {
		f = forceOfAll(p, b.x, val, w, floor)
	}
	l.take(f, factor)
}

func (l *line) take(f vec.Force, factor float64) {
	l.mass += f.Mass * factor
	l.cost += f.Cost * factor
	l.force[0] += f.X * factor
	l.force[1] += f.Y * factor
	l.force[2] += f.Z * factor
}

// forceOfAll is [vec.Forces] of entries at the points 0, 1, 2 and so on.
func forceOfAll[V float32 | float64](p *[3]float32, x []float32, val []V, w []float64, floor float64) (f vec.Force) {
	px, py, pz := float64(p[0]), float64(p[1]), float64(p[2])
	for j := range val {
		q := x[3*j : 3*j+3 : 3*j+3]
		v := float64(val[j]) * w[j]
		x, y, z := px-float64(q[0]), py-float64(q[1]), pz-float64(q[2])
		d := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
		f.Mass += v
		f.Cost += v * d
		if d < floor {
			d = floor
		}
		if d > 0 {
			v /= d
			f.X += v * x
			f.Y += v * y
			f.Z += v * z
		}
	}
	return f
}

// addAll adds what a tied line has from all points of b.
func (l *line) addAll(ties uniforms) {
	all := make([]float64, l.g.b.n)
	for j := range all {
		all[j] = ties.alpha[l.i]
		if ties.beta != nil {
			all[j] = ties.both(all[j], ties.beta[j])
		}
	}
	add(l, nil, all, 1)
}

// addWide is add for any number of coordinates.
func addWide[V float32 | float64](l *line, idx []int32, val []V, factor float64) {
	a, b, w := l.g.a, l.g.b, l.g.w
	p := a.row(l.i)
	floor := l.g.floor / a.unit
	for k := range val {
		j := k
		if idx != nil {
			j = int(idx[k])
		}
		v := float64(val[k]) * factor * w[j]
		d := distance(a, b, l.i, j) / a.unit
		l.mass += v
		l.cost += v * d
		if d = max(d, floor); d > 0 {
			q := b.row(j)
			for c := range p {
				l.force[c] += v / d * (float64(p[c]) - float64(q[c]))
			}
		}
	}
}

// end writes the gradient of the line's point and adds to t.
func (l *line) end(t *totals) {
	g, u, m := l.g, l.g.u[l.i], l.g.a.times(l.i)
	sum, target := u*l.mass, g.per*g.a.weight(l.i)
	t.value += m * u * l.cost * g.a.unit
	t.mass += m * sum
	t.off += m * math.Abs(sum-target)
	t.offMax = max(t.offMax, math.Abs(sum-target)/target)
	if g.g32 == nil {
		return
	}
	g.a.copies(l.i, func(original int) {
		for c := range g.a.given {
			v := u * l.force[c]
			if g.far != nil {
				v += g.far[3*l.i+c] / m
			}
			g.g32[original*g.a.given+c] = float32(v)
			if g.g64 != nil {
				g.g64[original*g.a.given+c] = v
			}
		}
	})
}

package apmlgpu

import (
	"errors"
	"math"
	"slices"

	"github.com/gondola-lab/gondola/cloud"
)

// slicer is one call of Sliced.
type slicer struct {
	common
	opt    SlicedOptions // resolved
	set    []float64     // L×D unit vectors
	corner []float64     // projections are taken from there, so that the order of far clouds is right
	x, y   projected
	stats  Stats
	work   work
}

// projected is a cloud to be projected.
type projected struct {
	cloud.Cloud
	n    int       // points that count
	keep []int32   // their indices; nil: all
	mass []float64 // theirs, Σ 1; nil: uniform
}

func newProjected(c cloud.Cloud) projected {
	p := projected{Cloud: c, n: countPositive(c)}
	if c.W == nil {
		return p
	}
	largest, total := 0.0, 0.0
	for _, w := range c.W {
		largest = max(largest, w)
	}
	for _, w := range c.W { // divided first: the sum of large weights may overflow
		total += w / largest
	}
	p.keep, p.mass = make([]int32, 0, p.n), make([]float64, 0, p.n)
	for i, w := range c.W {
		if w > 0 {
			p.keep, p.mass = append(p.keep, int32(i)), append(p.mass, w/largest/total)
		}
	}
	return p
}

// index is that of the k-th point that counts.
func (p projected) index(k int) int {
	if p.keep == nil {
		return k
	}
	return int(p.keep[k])
}

// cornerOf is the point of the joint box, of the points that count, that is
// nearest to the origin: coordinates are never larger seen from there.
func cornerOf(x, y projected) []float64 {
	first := x.X[x.index(0)*x.D : (x.index(0)+1)*x.D]
	low, high := slices.Clone(first), slices.Clone(first)
	for _, p := range []projected{x, y} {
		for k := range p.n {
			i := p.index(k)
			for c, v := range p.X[i*p.D : (i+1)*p.D] {
				low[c], high[c] = min(low[c], v), max(high[c], v)
			}
		}
	}
	corner := make([]float64, x.D)
	for k := range corner {
		corner[k] = float64(max(low[k], min(high[k], 0)))
	}
	return corner
}

// between is the distance along t of the k-th point of x that counts from the
// l-th of y, differences first.
func (s *slicer) between(t []float64, k, l int32) float64 {
	d := s.x.D
	i, j := s.x.index(int(k))*d, s.y.index(int(l))*d
	p, q := s.x.X[i:i+d], s.y.X[j:j+d]
	sum := 0.0
	for c, v := range t {
		sum += (float64(p[c]) - float64(q[c])) * v
	}
	return sum
}

// project writes the projections on direction t to at.
func (s *slicer) project(p projected, t, at []float64, halt func() bool) {
	for k := range at {
		if k%chunkPoints == 0 && halt() {
			return
		}
		i, sum := p.index(k), 0.0
		for c, v := range p.X[i*p.D : (i+1)*p.D] {
			sum += (float64(v) - s.corner[c]) * t[c]
		}
		at[k] = sum
	}
}

// bench is what one direction needs at a time.
type bench struct {
	line   line
	gx, gy []float64 // derivatives by projection; nil: not wanted
}

// benches makes as many as threads and memory allow; no result depends on it.
func (s *slicer) benches(want int, grad bool) ([]*bench, int64, error) {
	points := int64(s.x.n) + int64(s.y.n)
	each := points * lineBytes
	if grad {
		each += 8 * points
	}
	room := (s.work.limit - s.work.alive) / each
	if room < 1 {
		return nil, 0, memoryError(s.work.op, "one direction", s.work.alive+each, s.work.limit)
	}
	count := min(s.threads, want, int(min(room, math.MaxInt32)))
	all := make([]*bench, count)
	for k := range all {
		b := &bench{line: line{cost: s.opt.Cost, px: newSorted(s.x.n, s.x.mass), py: newSorted(s.y.n, s.y.mass),
			halt: func() bool { return s.goOn() != nil }}}
		if grad {
			b.gx, b.gy = make([]float64, s.x.n), make([]float64, s.y.n)
		}
		all[k] = b
	}
	return all, each * int64(count), nil
}

// along is the cost along direction l.
func (s *slicer) along(b *bench, l int) float64 {
	t := s.set[l*s.x.D : (l+1)*s.x.D]
	clear(b.gx)
	clear(b.gy)
	s.project(s.x, t, b.line.px.at, b.line.halt)
	s.project(s.y, t, b.line.py.at, b.line.halt)
	return b.line.solve(b.gx, b.gy, func(i, j int32) float64 { return s.between(t, i, j) })
}

// solve is the whole call after the checks.
func (s *slicer) solve() (Result, error) {
	r := Result{loss: "Sliced"}
	held := 8 * int64(len(s.set)+s.opt.L)
	for _, p := range []projected{s.x, s.y} {
		if p.keep != nil {
			held += 12 * int64(p.n)
		}
	}
	if err := s.work.take("the directions", held); err != nil {
		return Result{}, err
	}
	costs := make([]float64, s.opt.L)
	if s.opt.NoGrad || s.opt.Max {
		if err := s.pass("costs", costs, 0, nil, nil); err != nil {
			return Result{}, err
		}
	}
	best := 0
	for l, v := range costs {
		if v > costs[best] {
			best = l
		}
	}
	if s.opt.Max {
		s.stats.Direction = append([]float64(nil), s.set[best*s.x.D:(best+1)*s.x.D]...)
	}
	if !s.opt.NoGrad {
		if err := s.gradients(&r, costs, best); err != nil {
			return Result{}, err
		}
	}
	if s.opt.Max {
		r.Value = costs[best]
	} else {
		r.Value, s.stats.StdErr = meanOf(costs)
	}
	if r.Value-r.Value != 0 {
		return Result{}, beyondError(s.work.op)
	}
	return r, nil
}

// meanOf is the mean of numbers and its standard error, 0 for one number.
func meanOf(v []float64) (mean, stdErr float64) {
	for _, a := range v {
		mean += a
	}
	n := float64(len(v))
	mean /= n
	if len(v) < 2 {
		return mean, 0
	}
	sum := 0.0
	for _, a := range v {
		sum += (a - mean) * (a - mean)
	}
	return mean, math.Sqrt(sum / (n - 1) / n)
}

// gradients fills in both, and the costs of all directions, or of the best one
// alone for Max.
func (s *slicer) gradients(r *Result, costs []float64, best int) error {
	if !s.opt.Grad64 { // else they are what the call gives
		if err := s.work.take("the gradients", 8*int64(len(s.x.X)+len(s.y.X))); err != nil {
			return err
		}
	}
	gx, gy := make([]float64, len(s.x.X)), make([]float64, len(s.y.X))
	first := 0
	if s.opt.Max {
		costs, first = costs[best:best+1], best
	}
	if err := s.pass("gradient", costs, first, gx, gy); err != nil {
		return err
	}
	if !finite(gx) || !finite(gy) {
		return beyondError(s.work.op)
	}
	beyond := 0
	rounded := func(v []float64) []float32 {
		out := make([]float32, len(v))
		for k := range v {
			fits := false
			if out[k], fits = narrow(v[k]); !fits {
				beyond++
			}
		}
		return out
	}
	r.GradX, r.GradY = rounded(gx), rounded(gy)
	noteBeyond(&s.stats, beyond)
	if s.opt.Grad64 {
		r.GradX64, r.GradY64 = gx, gy
	}
	return nil
}

// pass computes the costs of the directions from first on, as many as costs is
// long, and adds up the gradient of their mean where gx is not nil. Directions
// are added in their order, whatever the number of benches.
func (s *slicer) pass(name string, costs []float64, first int, gx, gy []float64) error {
	all, bytes, err := s.benches(len(costs), gx != nil)
	if err != nil {
		return err
	}
	return s.work.stage(name, bytes, 0, func() error {
		for from := 0; from < len(costs); from += len(all) {
			now := all[:min(len(all), len(costs)-from)]
			err := s.each(len(now), 1, func(k, _, _ int) { costs[from+k] = s.along(now[k], first+from+k) })
			if err == nil && gx != nil {
				per := 1 / float64(len(costs))
				err = errors.Join(
					s.collect(s.x, now, first+from, per, gx, func(b *bench) []float64 { return b.gx }),
					s.collect(s.y, now, first+from, per, gy, func(b *bench) []float64 { return b.gy }))
			}
			if err == nil {
				err = s.goOn() // a halted line has given nonsense
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// collect adds what the benches of the directions from first on have found.
func (s *slicer) collect(p projected, now []*bench, first int, per float64, g []float64,
	of func(b *bench) []float64) error {
	d := p.D
	return s.each(p.n, chunkPoints, func(_, lo, hi int) {
		for l, b := range now {
			t := s.set[(first+l)*d : (first+l+1)*d]
			for k, v := range of(b)[lo:hi] {
				if f := per * v; f != 0 {
					i := p.index(lo + k)
					for c, a := range t {
						g[i*d+c] += f * a
					}
				}
			}
		}
	})
}

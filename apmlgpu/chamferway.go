package apmlgpu

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// way is one direction of a loss of nearest neighbours: every point of a, and
// its nearest point of b, the lowest index of those at the same distance.
type way struct {
	common
	a, b    cloud.Cloud
	near    backend.Neighbours
	n, m    int       // points of a and of b that count: those of weight zero do not
	largest float64   // weight of a; 1 without weights
	total   float64   // of the weights of a divided by the largest: n without weights
	factor  float64   // of the way in the loss
	pull    []float64 // by point of a: factor of (a_i − b_j) in the derivative of the way's value; nil: not wanted
	hits    hits
	far     int // point of a whose distance the Hausdorff distance is
}

// hits is a neighbour map turned round: order[start[j]:start[j+1]] are the points
// of a that chose point j of b, ascending.
type hits struct{ start, order []int32 }

// hitBytes is the memory of hits for n points that choose among m.
func hitBytes(n, m int) int64 { return 4 * (int64(n) + int64(m) + 1) }

func newWay(c common, a, b cloud.Cloud, near backend.Neighbours) *way {
	w := &way{common: c, a: a, b: b, near: near, n: countPositive(a), m: countPositive(b), largest: 1, factor: 1}
	w.total = float64(a.N)
	if a.W != nil {
		w.largest, w.total = 0, 0
		for _, v := range a.W {
			w.largest = max(w.largest, v)
		}
		for _, v := range a.W { // divided first: the sum of large weights may overflow
			w.total += v / w.largest
		}
	}
	return w
}

// weight of point i, of which [way.total] is the sum.
func (w *way) weight(i int) float64 {
	if w.a.W == nil {
		return 1
	}
	return w.a.W[i] / w.largest
}

// counts says that point i of a has a neighbour.
func (w *way) counts(i int) bool { return w.near.Index[i] >= 0 }

// distance of point i of a from its neighbour.
func (w *way) distance(i int) float64 { return math.Sqrt(w.near.Square[i]) }

// sum is Σ weight(i) f(i) over the points that count.
func (w *way) sum(f func(i int) float64) (float64, error) {
	return w.addUp(w.a.N, func(lo, hi int) float64 {
		part := 0.0
		for i := lo; i < hi; i++ {
			if w.counts(i) {
				part += w.weight(i) * f(i)
			}
		}
		return part
	})
}

// add is sum where f gives the price of a point and the factor of (a_i − b_j)
// in the derivative of that price; per divides both. It fills pull.
func (w *way) add(per float64, f func(i int) (price, pull float64)) (float64, error) {
	v, err := w.addUp(w.a.N, func(lo, hi int) float64 {
		part := 0.0
		for i := lo; i < hi; i++ {
			if !w.counts(i) {
				continue
			}
			price, pull := f(i)
			part += w.weight(i) * price
			if w.pull != nil {
				w.pull[i] = w.weight(i) / per * pull
			}
		}
		return part
	})
	return v / per, err
}

// turn fills hits.
func (w *way) turn() error {
	if w.hits.start != nil {
		return nil
	}
	h := hits{make([]int32, w.b.N+1), make([]int32, w.n)}
	for i, j := range w.near.Index {
		if i%chunkPoints == 0 {
			if err := w.goOn(); err != nil {
				return err
			}
		}
		if j >= 0 {
			h.start[j+1]++
		}
	}
	for j := range w.b.N {
		h.start[j+1] += h.start[j]
	}
	// start[j] is moved to the end of j's points while they are filled in, and so
	// becomes start[j+1].
	for i, j := range w.near.Index {
		if i%chunkPoints == 0 {
			if err := w.goOn(); err != nil {
				return err
			}
		}
		if j >= 0 {
			h.order[h.start[j]] = int32(i)
			h.start[j]++
		}
	}
	copy(h.start[1:], h.start[:w.b.N])
	h.start[0] = 0
	w.hits = h
	return nil
}

// of are the points of a that chose point j, ascending.
func (h hits) of(j int) []int32 { return h.order[h.start[j]:h.start[j+1]] }

// gradient writes the gradient of the points of own's a: of their own way, and
// of the way other, whose points choose among them. Either way may be nil. The
// points are summed one by one, in a fixed order.
// beyond counts the numbers that float32 cannot hold; those that float64 cannot
// hold are an error.
func gradient(c common, points cloud.Cloud, own, other *way, g32 []float32, g64 []float64) (beyond int, err error) {
	d := points.D
	large := make([]int, chunks(points.N, chunkPoints))
	var broken atomic.Bool
	err = c.each(points.N, chunkPoints, func(k, lo, hi int) {
		g := make([]float64, d)
		for i := lo; i < hi; i++ {
			clear(g)
			if own != nil && own.counts(i) {
				addPull(g, own.a, own.b, i, int(own.near.Index[i]), own.factor*own.pull[i])
			}
			if other != nil {
				for _, j := range other.hits.of(i) {
					addPull(g, other.b, other.a, i, int(j), other.factor*other.pull[j])
				}
			}
			for e, v := range g {
				f, fits := narrow(v)
				if v-v != 0 {
					broken.Store(true)
				}
				if !fits {
					large[k]++
				}
				g32[i*d+e] = f
			}
			if g64 != nil {
				copy(g64[i*d:], g)
			}
		}
	})
	for _, n := range large {
		beyond += n
	}
	if err == nil && broken.Load() {
		err = errBeyond
	}
	return beyond, err
}

// narrow is v as float32; a number beyond those becomes the largest of them and
// does not fit.
func narrow(v float64) (f float32, fits bool) {
	f = float32(v)
	if math.IsInf(float64(f), 0) {
		return float32(math.Copysign(math.MaxFloat32, v)), false
	}
	return f, true
}

// noteBeyond is for numbers that did not fit.
func noteBeyond(s *Stats, beyond int) {
	if beyond > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf(
			"%d numbers of the gradient are beyond float32 and became its largest: Grad64 has them", beyond))
	}
}

// errBeyond says that a number of a gradient does not fit into float64.
var errBeyond = fmt.Errorf("%w: the value or its gradient is beyond float64", ErrOption)

func beyondError(op string) error {
	return &Error{op, errBeyond, "lower WeightX and WeightY, or the weights of the points"}
}

// addPull adds f (a_i − b_j) to g.
func addPull(g []float64, a, b cloud.Cloud, i, j int, f float64) {
	if f == 0 {
		return
	}
	p, q := a.X[i*a.D:(i+1)*a.D], b.X[j*b.D:(j+1)*b.D]
	for k, v := range p {
		g[k] += f * (float64(v) - float64(q[k]))
	}
}

func countPositive(c cloud.Cloud) int {
	if c.W == nil {
		return c.N
	}
	n := 0
	for _, w := range c.W {
		if w > 0 {
			n++
		}
	}
	return n
}

// search is one call of a loss of nearest neighbours.
type search struct {
	common
	op, loss string
	start    time.Time
	x, y     cloud.Cloud
	ways     [2]*way // from x to y, and back; the second is nil in a loss of one way
	stats    Stats
	work     work
}

// find opens the pair of the clouds, which have been checked, and finds the
// neighbours of every point, or of those of x alone.
func (c common) find(op, loss string, x, y cloud.Cloud, oneWay bool, start time.Time) (*search, error) {
	p, stats, err := c.open(op, x, y, true)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s := &search{common: c, op: op, loss: loss, start: start, x: x, y: y, stats: stats}
	for k, ab := range [][2]cloud.Cloud{{x, y}, {y, x}}[:pick(oneWay, 1, 2)] {
		near, err := p.Nearest(k == 1)
		if err != nil {
			return nil, failed(op, err)
		}
		s.ways[k] = newWay(c, ab[0], ab[1], near)
	}
	spent := p.Spent()
	s.stats.spend(spent, start)
	s.work = work{op: op, limit: c.maxBytes, alive: spent.Alive}
	s.stats.Method, s.stats.Converged = "nearest", true
	s.stats.N, s.stats.M = s.ways[0].n, s.ways[0].m
	for _, w := range s.both() {
		s.stats.NNZ += int64(w.n)
	}
	return s, nil
}

// both are the ways that there are.
func (s *search) both() []*way {
	if s.ways[1] == nil {
		return s.ways[:1]
	}
	return s.ways[:]
}

// prices adds up the value of the loss; price gives that of a way and fills its
// pulls. counted says that it needs the hits.
func (s *search) prices(noGrad, counted bool, price func(w *way) (float64, error)) (value float64, err error) {
	bytes := int64(0)
	for _, w := range s.both() {
		if !noGrad {
			bytes += 8 * int64(w.a.N)
		}
		if counted {
			bytes += hitBytes(w.n, w.b.N)
		}
	}
	err = s.work.stage("sum", bytes, bytes, func() error {
		for _, w := range s.both() {
			if !noGrad {
				w.pull = make([]float64, w.a.N)
			}
			if counted {
				if err := w.turn(); err != nil {
					return err
				}
			}
			v, err := price(w)
			if err != nil {
				return err
			}
			value += w.factor * v
		}
		return nil
	})
	return value, err
}

// result makes the result of a value, with its gradients where every way has
// pulls.
func (s *search) result(value float64, noGrad, grad64 bool) (Result, error) {
	r := Result{Value: value, loss: s.loss}
	if value-value != 0 {
		return Result{}, beyondError(s.op)
	}
	if !noGrad {
		bytes := int64(0)
		for _, w := range s.both() {
			if w.hits.start == nil {
				bytes += hitBytes(w.n, w.b.N)
			}
		}
		err := s.work.stage("gradient", bytes, bytes, func() error { return s.gradients(&r, grad64) })
		if errors.Is(err, errBeyond) {
			err = beyondError(s.op)
		}
		if err != nil {
			return Result{}, err
		}
	}
	s.work.spend(&s.stats)
	s.stats.Seconds = time.Since(s.start).Seconds()
	r.Stats = s.stats
	r.Stats.OutputBytes = r.outputBytes()
	return r, nil
}

func (s *search) gradients(r *Result, grad64 bool) error {
	r.GradX, r.GradY = make([]float32, len(s.x.X)), make([]float32, len(s.y.X))
	if grad64 {
		r.GradX64, r.GradY64 = make([]float64, len(s.x.X)), make([]float64, len(s.y.X))
	}
	for _, w := range s.both() {
		if err := w.turn(); err != nil {
			return err
		}
	}
	a, err := gradient(s.common, s.x, s.ways[0], s.ways[1], r.GradX, r.GradX64)
	if err != nil {
		return err
	}
	b, err := gradient(s.common, s.y, s.ways[1], s.ways[0], r.GradY, r.GradY64)
	noteBeyond(&s.stats, a+b)
	return err
}

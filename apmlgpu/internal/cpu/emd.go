package cpu

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/spatial"
)

// heap of points of a transport problem: different points with masses that are
// whole numbers.
type heap struct {
	c    cloud.Cloud
	n    int
	at   []float64 // n×d coordinates
	mass []int64
	unit []int64 // by the caller's point: its own mass, 0 where it does not count
	of   spatial.Groups
	dust int
}

// transport is one problem: least Σ P C with row sums x.mass and column sums
// y.mass.
type transport struct {
	q      backend.EMD
	crew   *crew
	ledger *ledger
	x, y   heap
	d      int       // coordinates a point, at least 3
	total  int64     // of the masses of either side
	moved  []float64 // means of x less means of y that were taken away, squared cost only
	warm   []float64 // prices of y to start from; nil: none
	scale  float64   // the largest cost that there can be
	u, v   []float64 // potentials by different point
	flow   []arc
	priced *priceTree // of y with its prices; nil: t.v are scanned
	turned []spot     // points of x as that tree asks for them
	steps  int64      // bids, paths and pivots so far
	late   bool       // MaxIter was reached
	// onlyNear says that an auction is worth its while for near copies alone.
	onlyNear bool
	out      *backend.EMDResult
}

// arc is an entry of the plan between different points.
type arc struct {
	i, j int32
	m    int64
}

// dustShare is the share of the mass below which a weight does not count.
const dustShare = 1e-13

// transportBytes is the memory a point of a problem: coordinates, masses,
// potentials, tables of equal points, and the tree of the simplex.
const transportBytes = 24 + 16 + 8 + 24 + 44

// EMD solves the transport problem between two clouds exactly. The clouds have
// been checked, and their masses are equal.
func EMD(x, y cloud.Cloud, q backend.EMD, r backend.Resources) (*backend.EMDResult, backend.Spent, error) {
	t := &transport{q: q, crew: newCrew(r.Context, r.Threads), ledger: newLedger(r.MaxBytes), d: max(3, x.D),
		out: &backend.EMDResult{}}
	defer t.crew.release()
	err := t.solve(x, y)
	t.ledger.enter("")
	return t.out, t.ledger.spent(), err
}

func (t *transport) solve(x, y cloud.Cloud) error {
	t.ledger.enter("points")
	points := int64(x.N) + int64(y.N)
	if err := t.ledger.take("the points", points*int64(transportBytes+8*(t.d-3))); err != nil {
		return err
	}
	t.x, t.y = t.gather(x), t.gather(y)
	if err := t.crew.err(); err != nil {
		return err
	}
	t.measure()
	t.u, t.v = make([]float64, t.x.n), make([]float64, t.y.n)
	t.center()
	t.scale = t.largest()
	t.warmUp()
	t.out.N, t.out.M = counted(x)-t.x.dust, counted(y)-t.y.dust
	t.out.UniqueN, t.out.UniqueM, t.out.Dust = t.x.n, t.y.n, t.x.dust+t.y.dust
	if err := t.plan(); err != nil {
		return err
	}
	t.ledger.enter("certificate")
	if err := t.certify(); err != nil {
		return err
	}
	return t.crew.err()
}

// plan chooses how the problem is solved.
func (t *transport) plan() error {
	if t.paired() {
		t.ledger.enter("auction")
		t.out.Method = "auction"
		t.onlyNear = t.x.n < fewest
		bytes := int64(assignBytes) * int64(t.x.n)
		if t.ledger.take("the auction", bytes) == nil {
			err := t.assign()
			if err == nil && !t.late {
				return nil
			}
			t.priced, t.turned = nil, nil
			t.ledger.drop(bytes)
			if err != nil && err != errDear {
				return err
			}
		}
	}
	t.ledger.enter("simplex")
	t.out.Method = "simplex"
	return t.simplex()
}

// workARow bounds the work of a level of the auction, in nodes and points of the tree
// that each row may have looked at, times the root of the number of points, or of
// leastWork: beyond it the simplex is faster. The first scale of a level has firstMost
// of firstParts of it.
const (
	workARow   = 40
	leastWork  = 10000
	firstMost  = 9
	firstParts = 16
)

// fewest is how many points make an auction faster than the simplex.
const fewest = 1500

// fewestPaired is how many points are worth a look whether clouds are near copies.
const fewestPaired = 100

// paired says that every point goes to one other, of enough to try an auction.
func (t *transport) paired() bool {
	least := fewestPaired
	if t.warm != nil {
		least = fewest
	}
	return t.d == 3 && t.x.n == t.y.n && t.x.n >= least && t.x.of.Next == nil && t.y.of.Next == nil && t.x.even() && t.y.even()
}

func counted(c cloud.Cloud) int {
	n := c.N
	for _, w := range c.W {
		if w == 0 {
			n--
		}
	}
	return n
}

// gather merges equal points of a cloud. Points of weight zero, and dust, do not
// count.
func (t *transport) gather(c cloud.Cloud) heap {
	h := heap{c: c}
	var keep []int32
	if c.W != nil {
		sum, largest := 0.0, slices.Max(c.W)
		for _, w := range c.W {
			sum += w / largest
		}
		for i, w := range c.W {
			switch {
			case w/largest/sum >= dustShare:
				keep = append(keep, int32(i))
			case w > 0:
				h.dust++
			}
		}
		if len(keep) == 0 { // of more points than dust has shares
			keep, h.dust = nil, 0
		}
	}
	plain := c.X
	if slices.ContainsFunc(plain, func(v float32) bool { return v == 0 && math.Signbit(float64(v)) }) {
		plain = slices.Clone(plain)
		for k, v := range plain {
			plain[k] = v + 0 // −0 becomes 0
		}
	}
	h.of = spatial.Dedup(plain, c.D, nil, keep, t.crew.halt)
	h.n = len(h.of.First)
	h.at = make([]float64, h.n*t.d)
	for k, i := range h.of.First {
		for e := range c.D {
			h.at[k*t.d+e] = float64(plain[int(i)*c.D+e])
		}
	}
	h.unit = make([]int64, c.N)
	if keep == nil {
		for i := range h.unit {
			h.unit[i] = 1
		}
	}
	for _, i := range keep {
		h.unit[i] = 1
	}
	return h
}

// copies calls f with the caller's points of different point k, ascending.
func (h *heap) copies(k int, f func(i int32)) {
	i := h.of.First[k]
	f(i)
	if h.of.Next == nil {
		return
	}
	for i = h.of.Next[i]; i >= 0; i = h.of.Next[i] {
		f(i)
	}
}

// center takes the means away where the cost is squared: W2² is that of the
// centred clouds plus the squared distance of the means, and potentials of far
// clouds keep their digits.
func (t *transport) center() {
	if !t.q.Squared {
		return
	}
	mean := func(h *heap) []float64 {
		sum := make([]float64, t.d)
		for k, m := range h.mass {
			for e := range sum {
				sum[e] += h.at[k*t.d+e] * (float64(m) / float64(t.total))
			}
		}
		for k := range h.at {
			h.at[k] -= sum[k%t.d]
		}
		return sum
	}
	t.moved = mean(&t.x)
	for e, v := range mean(&t.y) {
		t.moved[e] -= v
	}
}

// warmUp takes the prices of an earlier result for the costs that are solved.
func (t *transport) warmUp() {
	if t.q.Warm == nil {
		return
	}
	t.warm = make([]float64, t.y.n)
	for k, j := range t.y.of.First {
		t.warm[k] = t.q.Warm[j]
		for e, s := range t.moved {
			t.warm[k] += 2 * s * t.y.at[k*t.d+e]
		}
	}
	// Right prices differ by no more than costs do.
	top := slices.Max(t.warm)
	for k, v := range t.warm {
		if v -= top; !(v >= -2*t.scale) {
			v = -2 * t.scale
		}
		t.warm[k] = v
	}
}

// largest bounds all costs by those of the corners of the joint box.
func (t *transport) largest() float64 {
	s := 0.0
	for e := range t.d {
		low, high := math.Inf(1), math.Inf(-1)
		for _, h := range []*heap{&t.x, &t.y} {
			for k := e; k < len(h.at); k += t.d {
				low, high = min(low, h.at[k]), max(high, h.at[k])
			}
		}
		s += (high - low) * (high - low)
	}
	if t.q.Squared {
		return s
	}
	return math.Sqrt(s)
}

// cost of the pair (i, j) of different points.
func (t *transport) cost(i, j int32) float64 {
	d := t.d
	p, q := t.x.at[int(i)*d:int(i)*d+d], t.y.at[int(j)*d:int(j)*d+d]
	s := 0.0
	for e, v := range p {
		s += (v - q[e]) * (v - q[e])
	}
	if t.q.Squared {
		return s
	}
	return math.Sqrt(s)
}

// best is the column of least C_ij − v_j, the lowest of several, and that number:
// a scan of all columns.
func (t *transport) best(i int32, v []float64) (j int32, r float64) {
	if t.d > 3 {
		r = math.Inf(1)
		for k := range v {
			if s := t.cost(i, int32(k)) - v[k]; s < r {
				j, r = int32(k), s
			}
		}
		return j, r
	}
	p := t.x.at[3*i : 3*i+3]
	y := t.y.at[:3*len(v)]
	r = math.Inf(1)
	px, py, pz := p[0], p[1], p[2]
	for k, w := range v {
		q := y[3*k : 3*k+3 : 3*k+3]
		a, b, c := px-q[0], py-q[1], pz-q[2]
		s := a*a + b*b + c*c
		if !t.q.Squared {
			s = math.Sqrt(s)
		}
		if s -= w; s < r {
			j, r = int32(k), s
		}
	}
	return j, r
}

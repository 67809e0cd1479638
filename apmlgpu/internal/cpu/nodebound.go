package cpu

import "math"

// kin is how much of the parent's slope a cell takes on, in points.
const kin = 8

// haltCells is how many cells are gone through between two questions whether to stop.
const haltCells = 1 << 11

// stops asks once every so many cells.
func (t *priceTree) stops(k int) bool { return k%haltCells == 0 && t.halt() }

// refresh computes slopes and bounds of all cells from the prices and pulls. After a
// halt they are of no use.
func (t *priceTree) refresh() {
	for k := len(t.cells) - 1; k >= 0; k-- { // sums, leaves first
		if t.stops(k) {
			return
		}
		c := &t.cells[k]
		c.slope, c.weight = spot{}, 0
		if c.left >= 0 {
			l, r := &t.cells[c.left], &t.cells[c.right]
			c.weight = l.weight + r.weight
			for e := range c.slope {
				c.slope[e] = l.slope[e] + r.slope[e]
			}
			continue
		}
		for j := c.lo; j < c.hi; j++ {
			for e, v := range t.pull[j] {
				c.slope[e] += v
			}
			c.weight += t.heavy[j]
		}
	}
	for k := range t.cells { // means, drawn to the parent's
		if t.stops(k) {
			return
		}
		c := &t.cells[k]
		w := c.weight
		if c.up >= 0 {
			p := &t.cells[c.up]
			a := kin * p.weight / float64(p.hi-p.lo)
			for e := range c.slope {
				c.slope[e] += a * p.slope[e]
			}
			w += a
		}
		for e := range c.slope {
			if w > 0 {
				c.slope[e] /= w
			}
		}
	}
	for k := len(t.cells) - 1; k >= 0; k-- {
		if t.stops(k) {
			return
		}
		c := &t.cells[k]
		c.most, c.crude = t.bounds(c)
		if c.up >= 0 {
			c.above = t.seenFrom(&t.cells[c.up], c)
		}
	}
}

// bounds are the largest price of a cell's points without its slope, and with it.
func (t *priceTree) bounds(c *priceCell) (most, crude float64) {
	most, crude = math.Inf(-1), math.Inf(-1)
	at, v := t.at[c.lo:c.hi], t.v[c.lo:c.hi]
	for k := range at {
		x, y, z := at[k][0]-c.mid[0], at[k][1]-c.mid[1], at[k][2]-c.mid[2]
		w := v[k] - (c.slope[0]*x + c.slope[1]*y + c.slope[2]*z)
		if t.squared {
			w -= x*x + y*y + z*z
		}
		most, crude = max(most, w), max(crude, v[k])
	}
	return most, crude
}

// seenFrom is what a bound of cell c may be larger by with slope and middle of its
// parent.
func (t *priceTree) seenFrom(p, c *priceCell) float64 {
	more := 0.0
	for e := range c.slope {
		d := p.mid[e] - c.mid[e]
		turn := c.slope[e] - p.slope[e]
		if t.squared {
			turn += 2 * d
			more -= d * d
		}
		more += math.Abs(turn)*c.half[e] + p.slope[e]*d
	}
	return more
}

// fell tells the tree that the price of j has fallen.
func (t *priceTree) fell(j int32) {
	c := &t.cells[t.leaf[j]]
	most, crude := t.bounds(c)
	for {
		if most >= c.most && crude >= c.crude {
			return
		}
		c.most, c.crude = min(most, c.most), min(crude, c.crude)
		if c.up < 0 {
			return
		}
		c = &t.cells[c.up]
		l, r := &t.cells[c.left], &t.cells[c.right]
		most, crude = max(l.most+l.above, r.most+r.above), max(l.crude, r.crude)
	}
}

// least is a lower bound of C − v in a cell: the better of that by the slope, for a
// distance is convex, and that by the box.
func (t *priceTree) least(c *priceCell) float64 {
	x, y, z := c.mid[0]-t.q[0], c.mid[1]-t.q[1], c.mid[2]-t.q[2]
	s := x*x + y*y + z*z
	r, w := s, 2.0
	if !t.squared {
		r, w = math.Sqrt(s), 0
		if r > 0 {
			w = 1 / r
		}
	}
	a := r - math.Abs(x*w-c.slope[0])*c.half[0] - math.Abs(y*w-c.slope[1])*c.half[1] -
		math.Abs(z*w-c.slope[2])*c.half[2] - c.most
	x, y, z = max(0, math.Abs(x)-c.half[0]), max(0, math.Abs(y)-c.half[1]), max(0, math.Abs(z)-c.half[2])
	s = x*x + y*y + z*z
	if !t.squared {
		s = math.Sqrt(s)
	}
	return max(a, s-c.crude)
}

// best finds, ascending, the k targets of least C − v from q; those above cut may be
// left out. What it returns is lent until the next query.
func (t *priceTree) best(q *spot, k int, cut float64) []offer {
	t.q, t.k, t.found = *q, k, t.found[:0]
	t.cut = cut + 1e-12*math.Abs(cut)
	t.walk(0)
	return t.found
}

func (t *priceTree) walk(k int32) {
	c := &t.cells[k]
	if c.left < 0 {
		t.work += int64(c.hi-c.lo) + 1
		t.scan(c)
		return
	}
	t.work++
	l, r := c.left, c.right
	a, b := t.least(&t.cells[l]), t.least(&t.cells[r])
	if b < a {
		l, r, a, b = r, l, b, a
	}
	if a <= t.cut && (len(t.found) < t.k || a < t.found[t.k-1].r) {
		t.walk(l)
	}
	if b <= t.cut && (len(t.found) < t.k || b < t.found[t.k-1].r) {
		t.walk(r)
	}
}

func (t *priceTree) scan(c *priceCell) {
	h := t.found
	for j := c.lo; j < c.hi; j++ {
		cost := t.cost(&t.q, &t.at[j])
		r := cost - t.v[j]
		if r > t.cut {
			continue
		}
		k := len(h)
		switch {
		case k < t.k:
			h = append(h, offer{})
		case r >= h[k-1].r:
			continue
		default:
			k--
		}
		for ; k > 0 && h[k-1].r > r; k-- {
			h[k] = h[k-1]
		}
		h[k] = offer{r, cost, j}
	}
	t.found = h
}

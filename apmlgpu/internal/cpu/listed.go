package cpu

import (
	"math"
	"math/bits"
	"slices"
)

// The sparse form of the simplex prices listed pairs alone: those that are best by
// the prices of a coarse problem. When none of them is below its potentials the trees
// look among all pairs, and what they find is listed too, until there is none.
const (
	rowTargets  = 20  // listed by a row at first
	colTargets  = 10  // and by a column
	moreTargets = 6   // that a look among all pairs adds to a row
	blockRows   = 8   // of which the worst pair is let in
	sparseMost  = 300 // rows of a problem that needs no lists
	coarseBits  = 1   // a coarse problem has a 2^coarseBits-th of the points
)

// sparseBytes is the memory a point of lists, trees and coarse problems.
const sparseBytes = 16*(rowTargets+colTargets+8) + priceTreeBytes + 24 + 80

// sparseForm are the lists of a simplex, and where all pairs are looked at.
type sparseForm struct {
	lists [][]entry
	x     []spot // turned
	tree  *priceTree
	tol   float64
}

// list makes the lists by the prices of a coarse problem, and the tree by its plan.
func (s *simplex) list() error {
	t := s.transport
	x, y := turned(t.x.spots(), t.y.spots(), t.q.Squared)
	f := &sparseForm{x: x, lists: make([][]entry, s.n), tol: coarseTol * s.scale}
	f.tree = newPriceTree(y, t.q.Squared, some(x), t.crew.halt)
	if t.warm != nil {
		t.warmly(f.tree)
		s.begin()
	} else {
		c, err := s.coarse(x, y)
		if err != nil {
			return err
		}
		if !c.expand(s) {
			s.begin()
		}
		extend(f.tree, x, c.s.x.spots(), c.s.pot[:c.s.n], some(y))
	}
	if err := t.crew.err(); err != nil {
		return err
	}
	back := newPriceTree(x, t.q.Squared, some(y), t.crew.halt)
	all := make([]entry, s.n*(rowTargets+colTargets))
	for k, i := range back.id {
		if k%haltQueries == 0 && t.crew.halt() {
			return t.crew.err()
		}
		found := f.tree.best(&x[i], rowTargets, math.Inf(1))
		room := rowTargets + colTargets
		list := all[int(i)*room : int(i)*room : (int(i)+1)*room]
		for _, o := range found {
			j := f.tree.id[o.j]
			list = append(list, entry{t.cost(i, j), j})
		}
		f.lists[i] = list
		back.v[k] = found[0].r
		back.aim(int32(k), &f.tree.at[found[0].j])
	}
	back.refresh()
	for k, j := range f.tree.id {
		if k%haltQueries == 0 && t.crew.halt() {
			return t.crew.err()
		}
		for _, o := range back.best(&f.tree.at[k], colTargets, math.Inf(1)) {
			f.add(t, back.id[o.j], j)
		}
	}
	s.listed = f
	return nil
}

// add lists pair (i, j) if it is not.
func (f *sparseForm) add(t *transport, i, j int32) {
	for _, e := range f.lists[i] {
		if e.j == j {
			return
		}
	}
	f.lists[i] = append(f.lists[i], entry{t.cost(i, j), j})
}

// coarseForm is a solved problem between the cells of both clouds under the same cuts.
type coarseForm struct {
	s          *simplex
	rows, cols [][]int32 // points of its cells
}

// coarse solves the problem between cells; each has the masses of its points, with
// what disturbs them, and lies where their mean is, turned.
func (s *simplex) coarse(x, y []spot) (*coarseForm, error) {
	t := s.transport
	rows, cols, cuts := t.alike(bits.Len(uint(max(t.x.n, t.y.n))) - 1 - coarseBits)
	c := &transport{q: t.q, crew: t.crew, ledger: t.ledger, d: 3, scale: t.scale, out: t.out}
	c.q.MaxIter = 0
	form := &coarseForm{}
	var have, want []int64
	from := [2]int32{}
	for _, to := range cuts {
		if p := rows[from[0]:to[0]]; len(p) > 0 {
			form.rows = append(form.rows, p)
			have = append(have, c.x.cell(&t.x, p, x, s.have))
		}
		if p := cols[from[1]:to[1]]; len(p) > 0 {
			form.cols = append(form.cols, p)
			want = append(want, c.y.cell(&t.y, p, y, s.want))
		}
		from = to
	}
	form.s = c.newSimplex(have, want)
	return form, form.s.run()
}

// cell adds points as one with their mass, where they have their mean, and returns
// their disturbed mass.
func (h *heap) cell(of *heap, points []int32, at []spot, disturbed []int64) (sum int64) {
	mass := int64(0)
	for _, k := range points {
		mass += of.mass[k]
		sum += disturbed[k]
	}
	var m spot
	for _, k := range points {
		w := float64(of.mass[k]) / float64(mass)
		for e, v := range at[k] {
			m[e] += w * v
		}
	}
	h.n++
	h.mass = append(h.mass, mass)
	h.at = append(h.at, m[:]...)
	return sum
}

// served is a cell's points with what is left of the mass of the first that has any.
type served struct {
	points []int32
	left   int64
}

// expand makes the tree of s from that between cells: the points of each cell take
// part, in turn, in the arcs of their cell. No partial sums of disturbed masses are
// equal, so that a tree becomes a tree.
func (c *coarseForm) expand(s *simplex) bool {
	n := int32(s.n)
	type link struct{ a, b int32 }
	var links []link
	var flows []int64
	cells := [2][]served{make([]served, len(c.rows)), make([]served, len(c.cols))}
	for side, all := range [][][]int32{c.rows, c.cols} {
		mass := [][]int64{s.have, s.want}[side]
		for k, p := range all {
			cells[side][k] = served{p, mass[p[0]]}
		}
	}
	for _, a := range c.s.arcs() {
		p, q := &cells[0][a.i], &cells[1][a.j]
		for m := a.m; m > 0; {
			move := min(m, p.left, q.left)
			if move == 0 {
				return false
			}
			links, flows = append(links, link{p.points[0], n + q.points[0]}), append(flows, move)
			m -= move
			p.take(move, s.have)
			q.take(move, s.want)
		}
	}
	if len(links) != len(s.parent)-1 {
		return false
	}
	start, at := make([]int32, len(s.parent)+1), make([]int32, 2*len(links))
	for _, l := range links {
		start[l.a]++
		start[l.b]++
	}
	for k := 1; k < len(start); k++ {
		start[k] += start[k-1]
	}
	for e, l := range links {
		start[l.a]--
		at[start[l.a]] = int32(e)
		start[l.b]--
		at[start[l.b]] = int32(e)
	}
	s.order = append(s.order[:0], links[0].a)
	for at0 := 0; at0 < len(s.order); at0++ {
		p := s.order[at0]
		for _, e := range at[start[p]:start[p+1]] {
			k := links[e].a + links[e].b - p
			if k != s.parent[p] {
				s.hang(k, p, flows[e])
				s.order = append(s.order, k)
			}
		}
	}
	return true
}

func (p *served) take(m int64, mass []int64) {
	if p.left -= m; p.left == 0 && len(p.points) > 1 {
		p.points = p.points[1:]
		p.left = mass[p.points[0]]
	}
}

// arcs are those of the tree with their flow, cell by cell.
func (s *simplex) arcs() []arc {
	n := int32(s.n)
	var all []arc
	for k, p := range s.parent {
		switch k := int32(k); {
		case p < 0:
		case k < n:
			all = append(all, arc{k, p - n, s.flow[k]})
		default:
			all = append(all, arc{p, k - n, s.flow[k]})
		}
	}
	slices.SortFunc(all, func(a, b arc) int {
		if a.i != b.i {
			return int(a.i - b.i)
		}
		return int(a.j - b.j)
	})
	return all
}

// priceListed finds the worst listed pair of a block of rows below its potentials.
func (s *simplex) priceListed() (i, j int32, r float64, err error) {
	f := s.listed
	cols := s.pot[s.n:]
	for {
		worst, row, col := -f.tol, int32(-1), int32(0)
		for done := 0; done < s.n; {
			if s.crew.halt() {
				return 0, 0, 0, s.crew.err()
			}
			for range blockRows {
				k := s.row
				if s.row++; s.row == s.n {
					s.row = 0
				}
				u := s.pot[k]
				for _, e := range f.lists[k] {
					if r := e.c - u - cols[e.j]; r < worst {
						worst, row, col = r, int32(k), e.j
					}
				}
			}
			if row >= 0 {
				return row, col, worst, nil
			}
			done += blockRows
		}
		more, err := s.lookAtAll()
		switch {
		case err != nil:
			return 0, 0, 0, err
		case more:
		case f.tol == fineTol*s.scale:
			return -1, 0, 0, nil
		default:
			f.tol = fineTol * s.scale
		}
	}
}

// lookAtAll lists pairs below their potentials among all; it says whether there are
// any.
func (s *simplex) lookAtAll() (more bool, err error) {
	s.potentials()
	f, n := s.listed, int32(s.n)
	for k, j := range f.tree.id {
		f.tree.v[k] = s.pot[n+j]
		if p := s.parent[n+j]; p >= 0 {
			f.tree.aim(int32(k), &f.x[p])
		} else if p := s.first[n+j]; p >= 0 {
			f.tree.aim(int32(k), &f.x[p])
		}
	}
	f.tree.refresh()
	for i := range n {
		if s.crew.halt() {
			return false, s.crew.err()
		}
		for _, o := range f.tree.best(&f.x[i], moreTargets, s.pot[i]) {
			j := f.tree.id[o.j]
			if s.cost(i, j)-s.pot[i]-s.pot[n+j] < -f.tol {
				f.add(s.transport, i, j)
				more = true
			}
		}
	}
	return more, nil
}

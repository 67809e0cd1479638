package cpu

import (
	"math"
	"slices"
)

// simplex is the primal network simplex on the tree of a transport problem: the
// way that always ends. Masses are multiplied by n+1 and every row has one more,
// the last column n more: no partial sums are equal then, so that every pivot
// moves mass, none is undone, and the plan is that of the masses themselves
// (Orden 1956).
type simplex struct {
	*transport
	n          int     // rows; node n+j is column j
	have, want []int64 // disturbed masses
	parent     []int32 // −1 at the root
	first      []int32 // child, −1: none
	next, prev []int32 // siblings, −1: none
	depth      []int32
	flow       []int64   // of the arc to the parent
	pot        []float64 // u and v
	order      []int32   // nodes, parents first: filled by walk
	row        int       // where pricing goes on
	polish     int64     // pivots on differences of the size of rounding
	mostPolish int64
	listed     *sparseForm // nil: every pair is priced
}

// Reduced costs that let a pair in, as shares of the largest cost: at first, and at
// the end, where few may follow for fear of rounding.
const (
	coarseTol = 1e-12
	fineTol   = 4e-16
)

// simplex solves the problem: its potentials, and the plan.
func (t *transport) simplex() error {
	n, m := t.x.n, t.y.n
	have, want := make([]int64, n), make([]int64, m)
	for i, mass := range t.x.mass {
		have[i] = mass*int64(n+1) + 1
	}
	for j, mass := range t.y.mass {
		want[j] = mass * int64(n+1)
	}
	want[m-1] += int64(n)
	s := t.newSimplex(have, want)
	if err := s.run(); err != nil {
		return err
	}
	copy(t.u, s.pot[:n])
	copy(t.v, s.pot[n:])
	s.unperturbed()
	if f := s.listed; f != nil {
		t.priced, t.turned = f.tree, f.x
		for k, j := range f.tree.id {
			f.tree.v[k] = t.v[j]
		}
		f.tree.refresh()
	}
	return t.crew.err()
}

// newSimplex makes room for the tree of a problem with disturbed masses.
func (t *transport) newSimplex(have, want []int64) *simplex {
	n, k := len(have), len(have)+len(want)
	s := &simplex{transport: t, n: n, have: have, want: want, mostPolish: int64(k)}
	ints := make([]int32, 6*k)
	cut := func() []int32 { c := ints[:k:k]; ints = ints[k:]; return c }
	s.parent, s.first, s.next, s.prev, s.depth, s.order = cut(), cut(), cut(), cut(), cut(), cut()
	for i := range k {
		s.parent[i], s.first[i], s.next[i], s.prev[i] = -1, -1, -1, -1
	}
	s.flow, s.pot = make([]int64, k), make([]float64, k)
	return s
}

// run finds the tree of least cost.
func (s *simplex) run() error {
	t, k := s.transport, len(s.parent)
	if bytes := int64(sparseBytes) * int64(k); t.d == 3 && min(s.n, k-s.n) > sparseMost &&
		t.ledger.take("the lists", bytes) == nil {
		defer t.ledger.drop(bytes)
		if err := s.list(); err != nil {
			return err
		}
	} else {
		s.begin()
	}
	s.potentials()
	for {
		i, j, r, err := s.price()
		if err != nil {
			return err
		}
		if i < 0 || !t.goOn(1) {
			break
		}
		s.pivot(i, j, r)
		t.out.Pivots++
	}
	s.potentials()
	return t.crew.err()
}

// goOn counts steps and says whether there may be more.
func (t *transport) goOn(steps int64) bool {
	if t.q.MaxIter > 0 && t.steps >= t.q.MaxIter {
		t.late = true
		return false
	}
	t.steps += steps
	return true
}

// begin makes the tree of the plan that serves the columns in their order by the
// rows in theirs.
func (s *simplex) begin() {
	rows, cols, _ := s.alike(mostCuts)
	i, j := rows[0], s.cols(cols[0])
	have, want := s.have[i], s.want[cols[0]]
	rows, cols = rows[1:], cols[1:]
	s.hang(j, i, min(have, want))
	for len(rows)+len(cols) > 0 {
		if have > want || len(rows) == 0 {
			have -= want
			j, want = s.cols(cols[0]), s.want[cols[0]]
			cols = cols[1:]
			s.hang(j, i, min(have, want))
		} else {
			want -= have
			i, have = rows[0], s.have[rows[0]]
			rows = rows[1:]
			s.hang(i, j, min(have, want))
		}
	}
}

// mostCuts are enough for every cloud.
const mostCuts = 40

func (s *simplex) cols(j int32) int32 { return int32(s.n) + j }

// hang makes node k a child of p, with a flow between them.
func (s *simplex) hang(k, p int32, flow int64) {
	s.parent[k], s.flow[k] = p, flow
	f := s.first[p]
	s.next[k], s.prev[k], s.first[p] = f, -1, k
	if f >= 0 {
		s.prev[f] = k
	}
}

// cut takes node k from its parent.
func (s *simplex) cut(k int32) {
	if s.prev[k] >= 0 {
		s.next[s.prev[k]] = s.next[k]
	} else {
		s.first[s.parent[k]] = s.next[k]
	}
	if s.next[k] >= 0 {
		s.prev[s.next[k]] = s.prev[k]
	}
}

// price finds a pair below the tree's potentials: the worst of a row, of the rows
// in turn; i = −1 says that there is none.
func (s *simplex) price() (i, j int32, r float64, err error) {
	n := s.n
	fine, coarse := fineTol*s.scale, coarseTol*s.scale
	if s.listed != nil {
		i, j, r, err := s.priceListed()
		if r >= -coarse && i >= 0 {
			if s.polish++; s.polish > s.mostPolish {
				i = -1
			}
		}
		return i, j, r, err
	}
	for done := 0; done <= n; {
		if s.crew.halt() {
			return 0, 0, 0, s.crew.err()
		}
		k := s.row
		if s.row++; s.row == n {
			s.row = 0
			s.potentials() // without what pivots have rounded
		}
		done++
		j, r := s.best(int32(k), s.pot[n:])
		switch r -= s.pot[k]; {
		case r < -coarse:
			return int32(k), j, r, nil
		case r < -fine && s.polish < s.mostPolish:
			s.polish++
			return int32(k), j, r, nil
		}
	}
	return -1, 0, 0, nil
}

// pivot lets pair (i, j) into the tree, and what empties first out of it.
func (s *simplex) pivot(i, j int32, r float64) {
	n := int32(s.n)
	a, b := i, n+j
	leave, most := int32(-1), int64(math.MaxInt64)
	ofRow := false
	p, q := a, b
	for p != q { // to where both ways to the root meet
		if s.depth[p] >= s.depth[q] {
			if p < n && s.flow[p] < most {
				leave, most, ofRow = p, s.flow[p], true
			}
			p = s.parent[p]
			continue
		}
		if q >= n && s.flow[q] < most {
			leave, most, ofRow = q, s.flow[q], false
		}
		q = s.parent[q]
	}
	for k := a; k != p; k = s.parent[k] {
		if k < n {
			s.flow[k] -= most
		} else {
			s.flow[k] += most
		}
	}
	for k := b; k != p; k = s.parent[k] {
		if k >= n {
			s.flow[k] -= most
		} else {
			s.flow[k] += most
		}
	}
	from, to := a, b
	if !ofRow {
		from, to = b, a
	}
	for k, above, flow := from, to, most; ; { // the cut part is turned round and hung below to
		old, was := s.parent[k], s.flow[k]
		s.cut(k)
		s.hang(k, above, flow)
		if k == leave {
			break
		}
		k, above, flow = old, k, was
	}
	s.lift(from, r, (from < n))
}

// lift gives a subtree its depth and moves its potentials: those on the side of
// its top by r, the others by −r.
func (s *simplex) lift(top int32, r float64, rows bool) {
	n := int32(s.n)
	depth := s.depth[s.parent[top]] + 1
	for k := top; ; {
		s.depth[k] = depth
		if (k < n) == rows {
			s.pot[k] += r
		} else {
			s.pot[k] -= r
		}
		if s.first[k] >= 0 {
			k, depth = s.first[k], depth+1
			continue
		}
		for k != top && s.next[k] < 0 {
			k, depth = s.parent[k], depth-1
		}
		if k == top {
			return
		}
		k = s.next[k]
	}
}

// potentials computes depths, potentials and the order of the nodes anew.
func (s *simplex) potentials() {
	n := int32(s.n)
	s.order = s.order[:0]
	root := slices.Index(s.parent, -1)
	s.order = append(s.order, int32(root))
	s.depth[root], s.pot[root] = 0, 0
	for at := 0; at < len(s.order); at++ {
		p := s.order[at]
		for k := s.first[p]; k >= 0; k = s.next[k] {
			s.depth[k] = s.depth[p] + 1
			if k < n {
				s.pot[k] = s.cost(k, p-n) - s.pot[p]
			} else {
				s.pot[k] = s.cost(p, k-n) - s.pot[p]
			}
			s.order = append(s.order, k)
		}
	}
}

// unperturbed fills the plan with the masses that the tree moves without what was
// added to them.
func (s *simplex) unperturbed() {
	n := int32(s.n)
	left := make([]int64, len(s.parent))
	copy(left, s.x.mass)
	copy(left[n:], s.y.mass)
	s.transport.flow = s.transport.flow[:0]
	for _, k := range slices.Backward(s.order[1:]) {
		p, m := s.parent[k], left[k]
		left[p] -= m
		switch {
		case m == 0:
		case k < n:
			s.transport.flow = append(s.transport.flow, arc{k, p - n, m})
		default:
			s.transport.flow = append(s.transport.flow, arc{p, k - n, m})
		}
	}
}

// alike orders both clouds by the same cuts, depth of them on the way to a cell: the
// halves of one, by mass, lie as the halves of the other. Ends are those of the cells.
func (t *transport) alike(depth int) (rows, cols []int32, ends [][2]int32) {
	rows, cols = numbers(t.x.n), numbers(t.y.n)
	var split func(a, b [2]int, depth int)
	split = func(a, b [2]int, depth int) {
		p, q := rows[a[0]:a[1]], cols[b[0]:b[1]]
		if len(p) < 2 && len(q) < 2 || depth == 0 || t.crew.halt() {
			ends = append(ends, [2]int32{int32(a[1]), int32(b[1])})
			return
		}
		e, wide := 0, -1.0
		for k := range t.d {
			if w := t.extent(&t.x, p, k) + t.extent(&t.y, q, k); w > wide {
				e, wide = k, w
			}
		}
		i, j := a[0]+t.half(&t.x, p, e), b[0]+t.half(&t.y, q, e)
		split([2]int{a[0], i}, [2]int{b[0], j}, depth-1)
		split([2]int{i, a[1]}, [2]int{j, b[1]}, depth-1)
	}
	split([2]int{0, t.x.n}, [2]int{0, t.y.n}, depth)
	return rows, cols, ends
}

func numbers(n int) []int32 {
	v := make([]int32, n)
	for k := range v {
		v[k] = int32(k)
	}
	return v
}

func (t *transport) extent(h *heap, a []int32, e int) float64 {
	if len(a) == 0 {
		return 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, k := range a {
		v := h.at[int(k)*t.d+e]
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

// half sorts a along coordinate e and says where half of its mass lies.
func (t *transport) half(h *heap, a []int32, e int) int {
	sortUntil(a, t.crew.halt, func(p, q int32) int {
		v, w := h.at[int(p)*t.d+e], h.at[int(q)*t.d+e]
		switch {
		case v < w:
			return -1
		case v > w:
			return 1
		}
		return int(p - q)
	})
	total, sum := int64(0), int64(0)
	for _, k := range a {
		total += h.mass[k]
	}
	for i, k := range a {
		if sum += h.mass[k]; sum*2 >= total {
			return i + 1
		}
	}
	return len(a)
}

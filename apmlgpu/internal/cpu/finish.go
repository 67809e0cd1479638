package cpu

import "math"

// event of a search: column id is reached, or, below zero, the list of row ^id is
// at its end.
type event struct {
	d  float64
	id int32
}

// events is a heap with the nearest first.
type events []event

func (h *events) push(e event) {
	s := append(*h, e)
	k := len(s) - 1
	for k > 0 {
		p := (k - 1) / 2
		if s[p].d <= e.d {
			break
		}
		s[k] = s[p]
		k = p
	}
	s[k] = e
	*h = s
}

func (h *events) pop() event {
	s := *h
	top, n := s[0], len(s)-1
	e := s[n]
	s = s[:n]
	*h = s
	if n == 0 {
		return top
	}
	k := 0
	for {
		c := 2*k + 1
		if c >= n {
			break
		}
		if c+1 < n && s[c+1].d < s[c].d {
			c++
		}
		if s[c].d >= e.d {
			break
		}
		s[k] = s[c]
		k = c
	}
	s[k] = e
	return top
}

// paths gives free rows their targets by shortest paths over all pairs.
type paths struct {
	*auction
	dist       []float64
	before     []int32 // row from which a column was reached
	seen, done []int32 // by column: the search that saw it, that has its distance
	base       []float64
	now        int32
	queue      events
	reached    []int32
	lim        float64
	end        int32
}

// finish makes an assignment of almost tight pairs exact: pairs that are not tight
// are freed, and every free row takes the shortest path to a free column.
func (a *auction) finish() error {
	n := len(a.x)
	p := &paths{auction: a, dist: make([]float64, n), before: make([]int32, n), seen: make([]int32, n), done: make([]int32, n),
		base: make([]float64, n)}
	a.tight(0)
	a.aimAll()
	for i := range a.x {
		if a.to[i] >= 0 {
			continue
		}
		if err := a.halted(); err != nil {
			return err
		}
		if !a.t.goOn(1) {
			return nil
		}
		if err := p.search(int32(i)); err != nil {
			return err
		}
		a.t.out.Paths++
	}
	return nil
}

// scan reaches what row i lists, and its list's end.
func (p *paths) scan(i int32, base float64) {
	v, u := p.tree.v, p.u[i]
	for _, e := range p.lists[i] {
		j := e.j
		if p.done[j] == p.now {
			continue
		}
		r := base + max(0, e.c-v[j]-u)
		if r < p.lim && (p.seen[j] != p.now || r < p.dist[j]) {
			p.seen[j], p.dist[j], p.before[j] = p.now, r, i
			if p.from[j] < 0 {
				p.lim, p.end = r, j
			} else {
				p.queue.push(event{r, j})
			}
		}
	}
	if r := base + max(0, p.bound[i]-u); r < p.lim {
		p.queue.push(event{r, ^i})
	}
}

func (p *paths) search(f int32) error {
	p.now++
	p.queue, p.reached = p.queue[:0], p.reached[:0]
	p.lim, p.end = math.Inf(1), -1
	p.base[f] = 0
	p.scan(f, 0)
	for steps := 0; len(p.queue) > 0; steps++ {
		if steps%32 == 31 {
			if err := p.halted(); err != nil {
				return err
			}
		}
		e := p.queue.pop()
		if e.d >= p.lim {
			break
		}
		if e.id < 0 {
			i := ^e.id
			p.fill(i, min(len(p.x), 2*len(p.lists[i])))
			p.scan(i, p.base[i])
			continue
		}
		j := e.id
		if p.done[j] == p.now || e.d > p.dist[j] {
			continue
		}
		p.done[j] = p.now
		p.reached = append(p.reached, j)
		i := p.from[j]
		p.base[i] = e.d
		p.scan(i, e.d)
	}
	for _, j := range p.reached {
		if by := p.lim - p.dist[j]; by > 0 {
			p.tree.v[j] -= by
			p.u[p.from[j]] += by
		}
	}
	p.u[f] += p.lim
	for j := p.end; ; {
		i := p.before[j]
		p.from[j] = i
		j, p.to[i] = p.to[i], j
		if i == f {
			return nil
		}
	}
}

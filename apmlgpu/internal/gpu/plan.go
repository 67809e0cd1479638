package gpu

import (
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// held are the entries of a balanced plan, row by row, columns ascending.
type held struct {
	offsets []int64
	idx     []int32
	val     []float64
}

// Line calls f for the entries of row i.
func (h held) Line(i int, f func(j int, v float64)) {
	for e := h.offsets[i]; e < h.offsets[i+1]; e++ {
		f(int(h.idx[e]), h.val[e])
	}
}

// At is entry (i, j).
func (h held) At(i, j int) float64 {
	lo, hi := h.offsets[i], h.offsets[i+1]
	if k, ok := slices.BinarySearch(h.idx[lo:hi], int32(j)); ok {
		return h.val[lo+int64(k)]
	}
	return 0
}

// hand copies the plan out, if asked for: no result holds device memory.
func (c *call) hand() error {
	if !c.q.Plan {
		return nil
	}
	c.Enter("plan")
	m, err := c.a.Plan()
	if err != nil {
		return err
	}
	n := c.x.n
	place := func(perm []int32, i int) int {
		if perm == nil {
			return i
		}
		return int(perm[i])
	}
	h := held{offsets: make([]int64, n+1)}
	for i := range n {
		kept := int64(0)
		for _, v := range m.K[m.Offsets[i]:m.Offsets[i+1]] {
			if v != 0 {
				kept++
			}
		}
		h.offsets[place(m.PermX, i)+1] = kept
	}
	for i := range n {
		h.offsets[i+1] += h.offsets[i]
	}
	h.idx, h.val = make([]int32, h.offsets[n]), make([]float64, h.offsets[n])
	p := &backend.Plan{
		N: c.x.size, M: c.y.size, X: c.x.points(), Y: c.y.points(), Half: c.q.CountMerge, Stored: h,
		U: make([]float64, n), V: make([]float64, c.y.n),
	}
	type entry struct {
		j int32
		v float64
	}
	var row []entry
	for i := range n {
		row = row[:0]
		for e := m.Offsets[i]; e < m.Offsets[i+1]; e++ {
			if j := m.Idx[e]; m.K[e] != 0 { // else a candidate that both sides have refused
				row = append(row, entry{int32(place(m.PermY, int(j))), m.U[i] * m.K[e] * m.V[j]})
			}
		}
		slices.SortFunc(row, func(a, b entry) int { return int(a.j - b.j) })
		at := h.offsets[place(m.PermX, i)]
		for k, e := range row {
			h.idx[at+int64(k)], h.val[at+int64(k)] = e.j, e.v
		}
		p.U[place(m.PermX, i)] = m.U[i]
	}
	for j := range m.V {
		p.V[place(m.PermY, j)] = m.V[j]
	}
	p.Alpha, p.Beta = spread(m.Alpha, m.PermX), spread(m.Beta, m.PermY)
	c.out.Plan = p
	return nil
}

// spread puts the shares of uniform lines into the caller's order; nil: there are none.
func spread(s []float64, perm []int32) []float64 {
	if !slices.ContainsFunc(s, func(v float64) bool { return v != 0 }) {
		return nil
	}
	out := slices.Clone(s)
	for i, at := range perm {
		out[at] = s[i]
	}
	return out
}

package apmlgpu

import (
	"fmt"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Plan is an N×M plan in the caller's indices: P_ij is the mass that goes from
// x_i to y_j. It is a linear operator first, [Plan.Apply] and [Plan.ApplyT], held
// as the loss held it: the entries of the support between different points, or
// all of them, or, streaming, none: then they are computed again each time. Rows
// that tie, with their 1/K for every partner, and equal points cost no entries.
// A plan is never changed, and may be used by several goroutines.
//
// Methods that go through the plan end early when the notebook's cell is
// stopped: with ErrCanceled where they return an error.
type Plan struct {
	p      *backend.Plan
	rows   [][]int32 // the caller's indices of each different point of x, ascending
	cols   [][]int32 // the same of y
	tied   []int32   // different points of y with a term for all rows
	x, y   cloud.Cloud
	limits int64 // bytes that COO may take
}

// newPlan is the plan that a backend made, between two clouds.
func newPlan(p *backend.Plan, x, y cloud.Cloud, maxBytes int64) *Plan {
	out := &Plan{p: p, rows: copiesOf(p.X, len(p.U)), cols: copiesOf(p.Y, len(p.V)), x: x, y: y, limits: maxBytes}
	for j, b := range p.Beta {
		if b != 0 {
			out.tied = append(out.tied, int32(j))
		}
	}
	return out
}

// copiesOf lists the caller's indices of n different points.
func copiesOf(point []int32, n int) [][]int32 {
	count := make([]int32, n)
	for _, k := range point {
		if k >= 0 {
			count[k]++
		}
	}
	all := make([]int32, 0, len(point))
	copies := make([][]int32, n)
	for k, c := range count {
		from := len(all)
		all = all[:from+int(c)]
		copies[k] = all[from:from:len(all)]
	}
	for i, k := range point {
		if k >= 0 {
			copies[k] = append(copies[k], int32(i))
		}
	}
	return copies
}

// Dims returns N and M.
func (p *Plan) Dims() (n, m int) { return p.p.N, p.p.M }

// term is what tied lines give to pair (i, j) of different points.
func (p *Plan) term(i, j int) float64 {
	a, b := 0.0, 0.0
	if p.p.Alpha != nil {
		a = p.p.Alpha[i]
	}
	if p.p.Beta != nil {
		b = p.p.Beta[j]
	}
	if p.p.Half && a != 0 && b != 0 {
		a, b = a/2, b/2
	}
	return p.p.U[i] * (a + b) * p.p.V[j]
}

// line calls f for every entry other than zero between different point i of x
// and those of y, ascending; columns and values are lent.
func (p *Plan) line(i int, s *lineOf) {
	s.cols, s.vals = s.cols[:0], s.vals[:0]
	p.p.Stored.Line(i, func(j int, v float64) {
		if v != 0 {
			s.cols, s.vals = append(s.cols, int32(j)), append(s.vals, v)
		}
	})
	every := p.p.Alpha != nil && p.p.Alpha[i] != 0
	n := len(p.tied)
	if every {
		n = len(p.p.V)
	}
	if n == 0 {
		return
	}
	stored, values := slices.Clone(s.cols), slices.Clone(s.vals)
	s.cols, s.vals = s.cols[:0], s.vals[:0]
	e, k := 0, 0
	for e < len(stored) || k < n {
		next := int32(k)
		if k < n && !every {
			next = p.tied[k]
		}
		v := 0.0
		switch {
		case k == n || e < len(stored) && stored[e] < next:
			next, v = stored[e], values[e]
			e++
		default:
			v = p.term(i, int(next))
			if e < len(stored) && stored[e] == next {
				v += values[e]
				e++
			}
			k++
		}
		if v != 0 {
			s.cols, s.vals = append(s.cols, next), append(s.vals, v)
		}
	}
}

// lineOf is a line between different points.
type lineOf struct {
	cols []int32
	vals []float64
}

// NNZ returns the number of entries other than zero. Cost: one pass over the
// plan.
func (p *Plan) NNZ() int64 {
	n := int64(0)
	var s lineOf
	for i, rows := range p.rows {
		if stop.Err() != nil {
			return n
		}
		p.line(i, &s)
		for _, j := range s.cols {
			n += int64(len(rows)) * int64(len(p.cols[j]))
		}
	}
	return n
}

// Row returns the columns of row i, ascending, and their entries. It panics if
// i is out of range, as a slice does.
func (p *Plan) Row(i int) (cols []int, entries []float64) {
	k := p.p.X[i]
	if k < 0 {
		return nil, nil
	}
	var s lineOf
	p.line(int(k), &s)
	return p.expand(&s)
}

// expand writes a line in the caller's columns.
func (p *Plan) expand(s *lineOf) (cols []int, entries []float64) {
	type entry struct {
		j int
		v float64
	}
	all := make([]entry, 0, len(s.cols))
	for k, j := range s.cols {
		for _, original := range p.cols[j] {
			all = append(all, entry{int(original), s.vals[k]})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return a.j - b.j })
	cols, entries = make([]int, len(all)), make([]float64, len(all))
	for k, e := range all {
		cols[k], entries[k] = e.j, e.v
	}
	return cols, entries
}

// At returns P_ij. It panics if i or j is out of range. Cost: O(log of the row's
// entries); M distances where the plan is streaming.
func (p *Plan) At(i, j int) float64 {
	a, b := p.p.X[i], p.p.Y[j]
	if a < 0 || b < 0 {
		return 0
	}
	return p.p.Stored.At(int(a), int(b)) + p.term(int(a), int(b))
}

// Each calls f for every entry other than zero, row by row, columns ascending.
// Cost: as many calls as NNZ says.
func (p *Plan) Each(f func(i, j int, v float64)) {
	for i := range p.p.N {
		if stop.Err() != nil {
			return
		}
		cols, entries := p.Row(i)
		for k, j := range cols {
			f(i, j, entries[k])
		}
	}
}

// Apply returns P z: N numbers for M.
// Cost: one pass over the entries held; tied lines take no more.
func (p *Plan) Apply(z []float64) ([]float64, error) {
	const op = "apmlgpu.Plan.Apply"
	if err := lengthError(op, len(z), p.p.M); err != nil {
		return nil, err
	}
	points := gathered(z, p.cols)
	weighted := scaledBy(points, p.p.V)
	sums := dots(weighted, p.p.Beta)
	out := make([]float64, p.p.N)
	for i, rows := range p.rows {
		if err := stop.Err(); err != nil {
			return nil, failed(op, err)
		}
		sum := 0.0
		p.p.Stored.Line(i, func(j int, v float64) { sum += v * points[j] })
		sum += p.p.U[i] * sums.times(p.p.Alpha, i, p.p.Half)
		for _, r := range rows {
			out[r] = sum
		}
	}
	return out, nil
}

// ApplyT returns Pᵀ z: M numbers for N. Cost: as [Plan.Apply].
func (p *Plan) ApplyT(z []float64) ([]float64, error) {
	const op = "apmlgpu.Plan.ApplyT"
	if err := lengthError(op, len(z), p.p.N); err != nil {
		return nil, err
	}
	points := gathered(z, p.rows)
	weighted := scaledBy(points, p.p.U)
	sums := dots(weighted, p.p.Alpha)
	col := make([]float64, len(p.p.V))
	for i, w := range points {
		if err := stop.Err(); err != nil {
			return nil, failed(op, err)
		}
		if w != 0 {
			p.p.Stored.Line(i, func(j int, v float64) { col[j] += v * w })
		}
	}
	out := make([]float64, p.p.M)
	for j, cols := range p.cols {
		sum := col[j] + p.p.V[j]*sums.times(p.p.Beta, j, p.p.Half)
		for _, c := range cols {
			out[c] = sum
		}
	}
	return out, nil
}

func lengthError(op string, got, want int) error {
	if got == want {
		return nil
	}
	return &Error{op, fmt.Errorf("%w: %d numbers, want %d", ErrShape, got, want), "give one number a point"}
}

// gathered sums z over the copies of each different point.
func gathered(z []float64, copies [][]int32) []float64 {
	out := make([]float64, len(copies))
	for k, all := range copies {
		for _, i := range all {
			out[k] += z[i]
		}
	}
	return out
}

func scaledBy(z, u []float64) []float64 {
	out := make([]float64, len(z))
	for k, v := range z {
		out[k] = v * u[k]
	}
	return out
}

// termSums are Σ w over all points and over the tied ones, and Σ b w, b the terms.
type termSums struct{ all, tied, dot float64 }

func dots(w, b []float64) (s termSums) {
	for k, v := range w {
		s.all += v
		if b != nil && b[k] != 0 {
			s.tied += v
			s.dot += v * b[k]
		}
	}
	return s
}

// times is what the terms give to line i, whose own term is in a.
func (s termSums) times(a []float64, i int, half bool) float64 {
	switch {
	case a == nil || a[i] == 0:
		return s.dot
	case half:
		return a[i]*(s.all-s.tied/2) + s.dot/2
	}
	return a[i]*s.all + s.dot
}

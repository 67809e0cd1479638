package apmlgpu

import (
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Plan is an N×M plan by its entries, in the caller's indices: P_ij is the mass
// that goes from x_i to y_j. A plan is never changed.
type Plan struct{ p *backend.Plan }

// Dims returns N and M.
func (p *Plan) Dims() (n, m int) { return p.p.N, p.p.M }

// NNZ returns the number of entries other than zero.
func (p *Plan) NNZ() int64 { return int64(len(p.p.Col)) }

// Row returns the columns of row i, ascending, and their entries. It panics if
// i is out of range, as a slice does.
func (p *Plan) Row(i int) (cols []int, entries []float64) {
	lo, hi := p.p.Ptr[i], p.p.Ptr[i+1]
	cols = make([]int, 0, hi-lo)
	for _, j := range p.p.Col[lo:hi] {
		cols = append(cols, int(j))
	}
	return cols, slices.Clone(p.p.Val[lo:hi])
}

// At returns P_ij. Cost: O(log of the row's entries).
func (p *Plan) At(i, j int) float64 {
	if j < 0 || j >= p.p.M {
		panic("apmlgpu.Plan.At: column is out of range")
	}
	lo, hi := p.p.Ptr[i], p.p.Ptr[i+1]
	if k, ok := slices.BinarySearch(p.p.Col[lo:hi], int32(j)); ok {
		return p.p.Val[lo+int64(k)]
	}
	return 0
}

// Each calls f for every entry, row by row, columns ascending.
func (p *Plan) Each(f func(i, j int, v float64)) {
	for i := range p.p.N {
		for k := p.p.Ptr[i]; k < p.p.Ptr[i+1]; k++ {
			f(i, int(p.p.Col[k]), p.p.Val[k])
		}
	}
}

// Rows returns the row sums.
func (p *Plan) Rows() []float64 {
	sum := make([]float64, p.p.N)
	p.Each(func(i, _ int, v float64) { sum[i] += v })
	return sum
}

// Cols returns the column sums.
func (p *Plan) Cols() []float64 {
	sum := make([]float64, p.p.M)
	p.Each(func(_, j int, v float64) { sum[j] += v })
	return sum
}

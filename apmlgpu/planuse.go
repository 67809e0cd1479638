package apmlgpu

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Rows returns the row sums: N numbers, zero for points of weight zero.
func (p *Plan) Rows() []float64 { return p.sums(p.Apply, p.p.M, p.p.N) }

// Cols returns the column sums: M numbers.
func (p *Plan) Cols() []float64 { return p.sums(p.ApplyT, p.p.N, p.p.M) }

// sums applies the plan to ones; after a stop, zeros.
func (p *Plan) sums(apply func([]float64) ([]float64, error), from, to int) []float64 {
	out, err := apply(slices.Repeat([]float64{1}, from))
	if err != nil {
		return make([]float64, to)
	}
	return out
}

// Map returns the barycentric map: N points, each the mean of y under the row of
// the plan, Σ_j P_ij y_j / Σ_j P_ij. A point whose row has no mass stays where it
// is. Weights are those of x.
func (p *Plan) Map() (cloud.Cloud, error) {
	d := p.y.D
	out := cloud.Cloud{N: p.p.N, D: d, X: make([]float32, p.p.N*d), W: slices.Clone(p.x.W)}
	copy(out.X, p.x.X)
	mass, err := p.Apply(slices.Repeat([]float64{1}, p.p.M))
	if err != nil {
		return cloud.Cloud{}, err
	}
	z := make([]float64, p.p.M)
	for c := range d {
		for j := range z {
			z[j] = float64(p.y.X[j*d+c])
		}
		sum, err := p.Apply(z)
		if err != nil {
			return cloud.Cloud{}, err
		}
		for i, v := range sum {
			if mass[i] > 0 {
				out.X[i*d+c] = float32(v / mass[i])
			}
		}
	}
	return out, nil
}

// PlanEntry is an entry of a plan, in the caller's indices.
type PlanEntry struct {
	I, J int
	V    float64 // mass
}

// less orders entries from small to large; of two alike the first is the larger.
func (e PlanEntry) less(f PlanEntry) bool {
	switch {
	case e.V != f.V:
		return e.V < f.V
	case e.I != f.I:
		return e.I > f.I
	}
	return e.J > f.J
}

// topHeap has its smallest entry first.
type topHeap []PlanEntry

func (h topHeap) Len() int           { return len(h) }
func (h topHeap) Less(a, b int) bool { return h[a].less(h[b]) }
func (h topHeap) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *topHeap) Push(v any)        { *h = append(*h, v.(PlanEntry)) }
func (h *topHeap) Pop() any {
	last := len(*h) - 1
	v := (*h)[last]
	*h = (*h)[:last]
	return v
}

// Top returns the k largest entries, largest first, the lower index first of two
// alike; fewer where there are fewer. Memory: k entries.
func (p *Plan) Top(k int) []PlanEntry {
	var h topHeap
	p.Each(func(i, j int, v float64) {
		e := PlanEntry{i, j, v}
		switch {
		case len(h) < k:
			heap.Push(&h, e)
		case k > 0 && h[0].less(e):
			h[0] = e
			heap.Fix(&h, 0)
		}
	})
	slices.SortFunc(h, func(a, b PlanEntry) int {
		if b.less(a) {
			return -1
		}
		return 1
	})
	return h
}

// cooBytes is the memory of an entry of a COO.
const cooBytes = 24

// COO returns every entry other than zero: rows, columns and entries, row by
// row, columns ascending. Memory: 24 bytes an entry; ErrMemory where that is more
// than the MaxBytes of the call that made the plan.
func (p *Plan) COO() (rows, cols []int, entries []float64, err error) {
	const op = "apmlgpu.Plan.COO"
	n := p.NNZ()
	if err := stop.Err(); err != nil {
		return nil, nil, nil, failed(op, err)
	}
	if n > p.limits/cooBytes {
		return nil, nil, nil, planMemory(op, float64(n)*cooBytes, p.limits)
	}
	rows, cols, entries = make([]int, 0, n), make([]int, 0, n), make([]float64, 0, n)
	p.Each(func(i, j int, v float64) {
		rows, cols, entries = append(rows, i), append(cols, j), append(entries, v)
	})
	if err := stop.Err(); err != nil {
		return nil, nil, nil, failed(op, err)
	}
	return rows, cols, entries, nil
}

// Dense returns the plan as an N×M matrix, row-major, for mat.NewDense and the
// like. maxBytes bounds its 8 bytes a pair; zero means the MaxBytes of the call
// that made the plan. ErrMemory says both numbers.
func (p *Plan) Dense(maxBytes int64) ([]float64, error) {
	const op = "apmlgpu.Plan.Dense"
	if maxBytes < 0 {
		return nil, optionError(op, "maxBytes", maxBytes, "a number of bytes, or zero for that of the call")
	}
	n, m := p.Dims()
	limits := or(maxBytes, p.limits)
	if need := 8 * float64(n) * float64(m); need > float64(limits) {
		return nil, planMemory(op, need, limits)
	}
	out := make([]float64, n*m)
	p.Each(func(i, j int, v float64) { out[i*m+j] = v })
	if err := stop.Err(); err != nil {
		return nil, failed(op, err)
	}
	return out, nil
}

func planMemory(op string, need float64, limits int64) error {
	return &Error{op, fmt.Errorf("%w: the entries need %.0f bytes, allowed are %d", ErrMemory, need, limits),
		"use Apply, Row or Top, or allow more bytes"}
}

// String says how large the plan is.
func (p *Plan) String() string {
	n, m := p.Dims()
	return fmt.Sprintf("plan of %d×%d, %d entries", n, m, p.NNZ())
}

package cpu

import (
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// pair of a plan in the caller's indices.
type entry struct {
	j int32
	v float64
}

// expand writes the balanced plan in the caller's indices, duplicates undone.
// Memory: 12 bytes an entry and as much again for the scratch of a row.
func (a *apml) expand(p plan, b *balance) error {
	x, y := a.pair.x, a.pair.y
	point := make([]int32, x.size) // the point of each of the caller's rows, −1 for none
	for i := range point {
		point[i] = -1
	}
	for k := range x.n {
		x.copies(k, func(original int) { point[original] = int32(k) })
	}
	out := &backend.Plan{N: x.size, M: y.size, Ptr: make([]int64, x.size+1)}
	var row []entry
	defer func() { a.ledger.drop(12 * int64(len(out.Col))) }()
	for i, k := range point {
		if a.crew.halt() {
			return a.crew.err()
		}
		row = row[:0]
		if k >= 0 {
			p.line(int(k), func(j int, v float64) {
				if v = v * b.u[k] * b.v[j]; v != 0 {
					y.copies(j, func(original int) { row = append(row, entry{int32(original), v}) })
				}
			})
		}
		slices.SortFunc(row, func(s, t entry) int { return int(s.j) - int(t.j) })
		if err := a.ledger.take("the plan", 12*int64(len(row))); err != nil {
			return err
		}
		for _, e := range row {
			out.Col, out.Val = append(out.Col, e.j), append(out.Val, e.v)
		}
		out.Ptr[i+1] = int64(len(out.Col))
	}
	a.out.Plan = out
	return nil
}

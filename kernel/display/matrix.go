package display

import (
	"fmt"
	"strconv"
)

// matrix is what gonum's matrices and our plans have in common.
type matrix interface {
	Dims() (rows, columns int)
	At(i, j int) float64
}

// matrixGrid shows a matrix in full up to maxMatrix rows and columns, else its
// upper left corner; the size is always said.
func matrixGrid(m matrix) *grid {
	n, k := m.Dims()
	g := &grid{note: fmt.Sprintf("%s × %s matrix", count(n), count(k))}
	if n > maxMatrix || k > maxMatrix {
		g.note += fmt.Sprintf(" (shown: the first %d × %d)", max(0, min(n, maxMatrix)), max(0, min(k, maxMatrix)))
	}
	for i := range min(n, maxMatrix) {
		var row []string
		for j := range min(k, maxMatrix) {
			row = append(row, strconv.FormatFloat(m.At(i, j), 'g', 6, 64))
		}
		if k > maxMatrix {
			row = append(row, "…")
		}
		g.rows = append(g.rows, row)
	}
	width := max(0, min(k, maxMatrix+1))
	if n > maxMatrix {
		row := make([]string, width)
		for j := range row {
			row[j] = "…"
		}
		g.rows = append(g.rows, row)
	}
	g.right = make([]bool, width)
	for j := range g.right {
		g.right[j] = true
	}
	return g
}

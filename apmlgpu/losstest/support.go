package losstest

import (
	"math"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// bruteSupport lists, by row, the columns of every pair that the row or the
// column keeps at the threshold, by looking at all pairs; and counts those of
// each direction.
func bruteSupport(x, y cloud.Cloud, threshold float64) (rows [][]int, byRow, byCol int64) {
	kept := make([][]bool, x.N)
	rows = make([][]int, x.N)
	reach := func(d []float64) (least, radius float64) {
		two := [2]float64{math.Inf(1), math.Inf(1)}
		for _, v := range d {
			if v < two[0] {
				two = [2]float64{v, two[0]}
			} else if v < two[1] {
				two[1] = v
			}
		}
		kappa := math.Log(1/threshold) / math.Log(float64(len(d)-1)/(1-0.8))
		return two[0], kappa * (two[1] - two[0] + 1e-8)
	}
	d := make([][]float64, x.N)
	for i := range d {
		d[i], kept[i] = make([]float64, y.N), make([]bool, y.N)
		for j := range d[i] {
			d[i][j] = between(x, y, i, j)
		}
		least, radius := reach(d[i])
		for j, v := range d[i] {
			if v-least < radius {
				kept[i][j] = true
				byRow++
			}
		}
	}
	col := make([]float64, x.N)
	for j := range y.N {
		for i := range d {
			col[i] = d[i][j]
		}
		least, radius := reach(col)
		for i, v := range col {
			if v-least < radius {
				kept[i][j] = true
				byCol++
			}
		}
	}
	for i := range kept {
		for j, k := range kept[i] {
			if k {
				rows[i] = append(rows[i], j)
			}
		}
	}
	return rows, byRow, byCol
}

func between(x, y cloud.Cloud, i, j int) float64 { return math.Sqrt(squaredBetween(x, y, i, j)) }

func squaredBetween(x, y cloud.Cloud, i, j int) float64 {
	s := 0.0
	for k := range x.D {
		t := float64(x.X[i*x.D+k]) - float64(y.X[j*y.D+k])
		s += float64(t * t)
	}
	return s
}

// runSupports compares the support of APML with brute force, row by row, on
// every family and at two thresholds.
func runSupports(t *testing.T, backend string, n int) {
	families := Families(n, 11)
	for _, d := range []int{1, 2, 5} { // fewer points: brute force beyond three dimensions
		if d > mostCoordinates(backend) {
			continue
		}
		families = append(families, lifted(Families(n/4, 11)[1], d))
	}
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, threshold := range []float64{1e-10, 1e-20} {
				// Split: a uniform row would give every pair an entry.
				r, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{
					Backend: backend, Threshold: threshold, Ties: apmlgpu.Split, Iterations: 1, Method: apmlgpu.MethodSparse,
				})
				if err != nil {
					t.Fatal(err)
				}
				p, err := r.Plan()
				if err != nil {
					t.Fatal(err)
				}
				rows, byRow, byCol := bruteSupport(f.X, f.Y, threshold)
				nnz := int64(0)
				for i, want := range rows {
					nnz += int64(len(want))
					if got, _ := p.Row(i); !slices.Equal(got, want) {
						t.Fatalf("t = %g: row %d has %d columns, brute force %d: %v and %v", threshold, i, len(got),
							len(want), got, want)
					}
				}
				s := r.Stats
				if s.NNZ != nnz || s.NNZRows != byRow || s.NNZCols != byCol {
					t.Errorf("t = %g: nnz %d of rows %d and columns %d, brute force %d, %d, %d", threshold, s.NNZ,
						s.NNZRows, s.NNZCols, nnz, byRow, byCol)
				}
			}
		})
	}
}

package apmlgpu

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// oracle is APML by its definition: dense, float64, the plan rescaled in place.
// It is never optimised, and shares no code with the fast paths: where they
// differ, it is right.
func oracle(x, y cloud.Cloud, r apmlResolved) (*backend.APMLResult, error) {
	ix, ax := counting(x)
	iy, ay := counting(y)
	n, m := len(ix), len(iy)
	if need := 4 * 8 * float64(n) * float64(m); need > float64(r.maxBytes) {
		return nil, &backend.MemoryError{What: "the oracle", Need: int64(min(need, 9e18)), Limits: r.maxBytes}
	}
	out := &backend.APMLResult{Method: "oracle", N: n, M: m, UniqueN: n, UniqueM: m, Stored: int64(n) * int64(m)}
	d, dt, err := distances(x, y, ix, iy, r)
	if err != nil {
		return nil, err
	}
	p, rows, err := choose1(d, r)
	if err != nil {
		return nil, err
	}
	pt, cols, err := choose1(dt, r)
	if err != nil {
		return nil, err
	}
	out.TiedRows, out.TiedCols = rows.tied, cols.tied
	for i := range n {
		if err := r.goOn(); err != nil {
			return nil, err
		}
		for j := range m {
			row, col := rows.kept[i][j], cols.kept[j][i]
			if row {
				out.NNZRows++
			}
			if col {
				out.NNZCols++
			}
			if row || col {
				out.NNZ++
			}
			sum := float64(n)*ax[i]*p[i][j] + float64(m)*ay[j]*pt[j][i]
			switch {
			case !r.q.CountMerge || (row || rows.uniform[i]) && (col || cols.uniform[j]):
				p[i][j] = sum / 2
			default:
				p[i][j] = sum
			}
		}
	}
	if err := rescale(p, ax, ay, r, out); err != nil {
		return nil, err
	}
	if err := sumUp(p, d, ax, ay, r, out); err != nil {
		return nil, err
	}
	if !r.q.NoGrad {
		if err := pullOn(p, d, x, y, ix, iy, r, out); err != nil {
			return nil, err
		}
	}
	if r.q.Plan {
		out.Plan = planOf(p, x.N, y.N, ix, iy)
	}
	out.LogInverse = math.Inf(1)
	if !r.q.Automatic {
		out.LogInverse = r.q.LogInverse
	}
	return out, nil
}

// distances of all pairs, by row and by column.
func distances(x, y cloud.Cloud, ix, iy []int, r apmlResolved) (d, dt [][]float64, err error) {
	if d, err = r.matrix(len(ix), len(iy)); err != nil {
		return nil, nil, err
	}
	if dt, err = r.matrix(len(iy), len(ix)); err != nil {
		return nil, nil, err
	}
	for i := range d {
		if err := r.goOn(); err != nil {
			return nil, nil, err
		}
		for j := range dt {
			d[i][j] = euclid(x.X[ix[i]*x.D:(ix[i]+1)*x.D], y.X[iy[j]*y.D:(iy[j]+1)*y.D])
			dt[j][i] = d[i][j]
		}
	}
	return d, dt, nil
}

// counting lists the points whose weight is not zero, and their weights with
// sum 1.
func counting(c cloud.Cloud) (index []int, w []float64) {
	sum := 0.0
	for i := range c.N {
		v := 1.0
		if c.W != nil {
			v = c.W[i]
		}
		if v > 0 {
			index, w = append(index, i), append(w, v)
			sum += v
		}
	}
	for k := range w {
		w[k] /= sum
	}
	return index, w
}

// matrix is n×m zeros.
func (r apmlResolved) matrix(n, m int) ([][]float64, error) {
	a := make([][]float64, n)
	for i := range a {
		if err := r.goOn(); err != nil {
			return nil, err
		}
		a[i] = make([]float64, m)
	}
	return a, nil
}

func euclid(p, q []float32) float64 {
	s := 0.0
	for k := range p {
		t := float64(p[k]) - float64(q[k])
		s += float64(t * t)
	}
	return math.Sqrt(s)
}

// chosen is what one direction keeps: the entries of its support, and the rows
// that are uniform over all candidates.
type chosen struct {
	kept    [][]bool
	uniform []bool
	tied    int // rows
}

// choose1 is one direction: the probabilities of every row of d over its
// candidates, and what is kept.
func choose1(d [][]float64, r apmlResolved) (p [][]float64, c chosen, err error) {
	k := len(d[0])
	c = chosen{kept: make([][]bool, len(d)), uniform: make([]bool, len(d))}
	if p, err = r.matrix(len(d), k); err != nil {
		return nil, c, err
	}
	for i, row := range d {
		if err := r.goOn(); err != nil {
			return nil, c, err
		}
		kept := make([]bool, k)
		c.kept[i] = kept
		if k == 1 {
			p[i][0], kept[0] = 1, true
			continue
		}
		two := slices.Clone(row)
		slices.Sort(two)
		gap := two[1] - two[0]
		if gap == 0 {
			c.tied++
			if r.q.UniformRow {
				c.uniform[i] = true
				for j := range row {
					p[i][j] = 1 / float64(k)
				}
				continue
			}
		}
		if r.q.Reference {
			gap = max(gap, r.q.Margin)
		} else {
			gap += r.q.Margin
		}
		l := math.Log(float64(k-1) / (1 - r.q.MinProb))
		sum := 0.0
		for j, v := range row {
			kept[j] = r.q.Automatic || l == 0 || v-two[0] < r.q.LogInverse/l*gap
			if kept[j] {
				p[i][j] = math.Exp(-l / gap * (v - two[0]))
				sum += p[i][j]
			}
		}
		for j := range p[i] {
			p[i][j] /= sum
		}
	}
	return p, c, nil
}

// rescale balances p in place: rows first, columns last.
func rescale(p [][]float64, ax, ay []float64, r apmlResolved, out *backend.APMLResult) error {
	n, m := len(p), len(p[0])
	most := r.q.Iterations
	if r.q.Tol > 0 {
		most = r.q.MaxIter
	}
	for out.Iterations = 0; out.Iterations < most && !out.Converged; out.Iterations++ {
		for i, row := range p {
			if err := r.goOn(); err != nil {
				return err
			}
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			f := factor(sum, float64(n)*ax[i], r)
			for j := range row {
				row[j] *= f
			}
		}
		for j := range m {
			if err := r.goOn(); err != nil {
				return err
			}
			sum := 0.0
			for i := range p {
				sum += p[i][j]
			}
			f := factor(sum, float64(m)*ay[j], r)
			for i := range p {
				p[i][j] *= f
			}
		}
		if r.q.Tol > 0 || r.q.Trace != nil {
			off, _ := rowsOff(p, ax, m)
			out.Converged = r.q.Tol > 0 && off <= r.q.Tol
			if r.q.Trace != nil {
				r.q.Trace(out.Iterations+1, off)
			}
		}
	}
	out.Converged = out.Converged || r.q.Tol == 0
	return nil
}

// factor brings a line with this sum to its target.
func factor(sum, target float64, r apmlResolved) float64 {
	switch {
	case !r.q.Reference:
		return target / (sum + 1e-8)
	case sum > 1e-8:
		return target / sum
	}
	return 1
}

// rowsOff is the L1 error of the rows as a share of the mass, and the largest
// relative one.
func rowsOff(p [][]float64, ax []float64, m int) (share, largest float64) {
	for i, row := range p {
		sum, target := 0.0, float64(m)*ax[i]
		for _, v := range row {
			sum += v
		}
		share += math.Abs(sum-target) / float64(m)
		largest = max(largest, math.Abs(sum-target)/target)
	}
	return share, largest
}

// sumUp fills value, mass and marginal errors.
func sumUp(p, d [][]float64, ax, ay []float64, r apmlResolved, out *backend.APMLResult) error {
	m := len(ay)
	cols := make([]float64, m)
	for i, row := range p {
		if err := r.goOn(); err != nil {
			return err
		}
		for j, v := range row {
			out.Value += v * d[i][j]
			out.Mass += v
			cols[j] += v
		}
	}
	out.RowError, out.RowErrorMax = rowsOff(p, ax, m)
	for j, s := range cols {
		out.ColError += math.Abs(s-float64(m)*ay[j]) / float64(m)
	}
	return nil
}

// pullOn fills the gradients with the plan held fixed.
func pullOn(p, d [][]float64, x, y cloud.Cloud, ix, iy []int, r apmlResolved, out *backend.APMLResult) error {
	gx, gy := make([]float64, len(x.X)), make([]float64, len(y.X))
	for i, row := range p {
		if err := r.goOn(); err != nil {
			return err
		}
		for j, v := range row {
			by := d[i][j]
			if r.q.Reference {
				by = max(by, r.q.Floor)
			}
			if by == 0 {
				continue
			}
			for c := range x.D {
				a, b := ix[i]*x.D+c, iy[j]*y.D+c
				f := v * (float64(x.X[a]) - float64(y.X[b])) / by
				gx[a] += f
				gy[b] -= f
			}
		}
	}
	out.GradX, out.GradY = float32s(gx), float32s(gy)
	if r.q.Grad64 {
		out.GradX64, out.GradY64 = gx, gy
	}
	return nil
}

func float32s(v []float64) []float32 {
	s := make([]float32, len(v))
	for k := range v {
		s[k] = float32(v[k])
	}
	return s
}

// matrixOf is p as the entries of a plan.
type matrixOf [][]float64

// Line calls f for every entry of row i.
func (p matrixOf) Line(i int, f func(j int, v float64)) {
	for j, v := range p[i] {
		f(j, v)
	}
}

// At is entry (i, j).
func (p matrixOf) At(i, j int) float64 { return p[i][j] }

// planOf is p for a caller of n and m points.
func planOf(p [][]float64, n, m int, ix, iy []int) *backend.Plan {
	ones := func(k int) []float64 { return slices.Repeat([]float64{1}, k) }
	places := func(index []int, n int) []int32 {
		at := slices.Repeat([]int32{-1}, n)
		for k, i := range index {
			at[i] = int32(k)
		}
		return at
	}
	return &backend.Plan{N: n, M: m, X: places(ix, n), Y: places(iy, m), U: ones(len(ix)), V: ones(len(iy)), Stored: matrixOf(p)}
}

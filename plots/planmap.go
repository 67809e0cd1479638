package plots

import (
	"fmt"
	"math"
)

// PlanMapOptions tune [PlanMap]. The zero value is the recommended setting.
type PlanMapOptions struct {
	Options
	Log        bool      // colours by the logarithm of the entries, over at most 12 decades.
	RowWeights []float64 // wanted row sums, up to a factor. Nil means all equal.
	ColWeights []float64 // wanted column sums, likewise.
}

const (
	maxCells   = 512 // rows and columns of cells; of a larger plan a cell is a block
	maxDecades = 12  // of a logarithmic scale
	lineRatio  = 3   // a map longer than this many times its other side has no square cells
)

// PlanMap draws a plan as a matrix, row 0 on top: an entry is a cell in viridis with a
// colour bar, what is outside the support is light grey. Above 512 rows or columns a
// cell is the largest entry of a block, and the caption says so. At the right stand the
// row sums as bars, on top the column sums, each with what is wanted of it as a line;
// the caption has how far they are off, in the mean and at most, as shares of what is
// wanted.
//
// Cost: one pass over the plan. Errors: ErrEmpty, ErrShape, ErrPlan, ErrRange,
// ErrOption, ErrRoom.
func PlanMap(plan Plan, opt PlanMapOptions) (*Figure, error) {
	const op = "PlanMap"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	t, err := readCells(op, plan)
	if err != nil {
		return nil, err
	}
	rows, err := newMarginal(op, "RowWeights", t.rows, opt.RowWeights, t.total)
	if err != nil {
		return nil, err
	}
	cols, err := newMarginal(op, "ColWeights", t.cols, opt.ColWeights, t.total)
	if err != nil {
		return nil, err
	}
	n, c := float64(t.n), float64(t.m)
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: &scene{}},
		x: span{-.5, c - .5}, y: span{-.5, n - .5},
		crop: n <= lineRatio*c && c <= lineRatio*n, above: stripGap + stripSize}
	m.plot.X.Tick.Marker, m.plot.Y.Tick.Marker = wholeTicks{}, wholeTicks{last: t.n - 1, down: true}
	m.labels(fmt.Sprintf("Plan of %d × %d, %s entries", t.n, t.m, wholeNumber(float64(t.entries))), "target j (index)", "")
	m.yLabel = withUnit(orText(o.YLabel, "source i (index)"), "") // Unit is of the entries
	r, ticks, faint := t.ramp(opt.Log)
	if err := checkSpan(op, "the entries", r.lo, r.hi); err != nil {
		return nil, err
	}
	m.add(heat{edges(t.m, t.across), fromBelow(edges(t.n, t.down), t.n), func(i, j int) (float64, bool) {
		v := t.cells[(t.height()-1-j)*t.width()+i]
		if v == 0 {
			return 0, false
		}
		if opt.Log {
			v = math.Log10(v)
		}
		return v, true
	}, r, o.dots()})
	name := "entry"
	if t.across > 1 || t.down > 1 {
		name = "largest entry"
	}
	b := bar{ramp: r, ticks: ticks, label: withUnit(name, o.Unit), off: stripGap + stripSize}
	m.add(strips{rows: rows, cols: cols})
	m.addBar(b)
	m.captions = append(m.captions, t.facts(rows, cols, faint)...)
	m.plot.Add(m.legend)
	return m.finish(func() string { return sentence(m.title) + " " + join(m.captions) })
}

// cellTally is what a map keeps of a plan: the largest entry of each block.
type cellTally struct {
	n, m         int // rows and columns of the plan
	down, across int // of a block
	cells        []float64
	entries      int
	total        float64
	top          float64
	rows, cols   []float64
}

func (t *cellTally) height() int { return (t.n + t.down - 1) / t.down }
func (t *cellTally) width() int  { return (t.m + t.across - 1) / t.across }

// readCells goes through the plan once.
func readCells(op string, plan Plan) (t *cellTally, err error) {
	defer guard(op, &err)
	if plan == nil {
		return nil, fail(op, ErrEmpty, "give a plan", "the plan is nil")
	}
	n, m := plan.Dims()
	if n < 1 || m < 1 {
		return nil, fail(op, ErrEmpty, "give a plan of at least one row and column", "the plan is %d×%d", n, m)
	}
	t = &cellTally{n: n, m: m, down: (n + maxCells - 1) / maxCells, across: (m + maxCells - 1) / maxCells}
	t.cells = make([]float64, t.height()*t.width())
	t.rows, t.cols = make([]float64, n), make([]float64, m)
	plan.Each(func(i, j int, p float64) {
		if err == nil {
			err = checkEntry(op, i, j, n, m, p)
		}
		if err == nil && p > 0 {
			t.entries++
			t.total += p
			t.top = max(t.top, p)
			t.rows[i] += p
			t.cols[j] += p
			k := i/t.down*t.width() + j/t.across
			t.cells[k] = max(t.cells[k], p)
		}
	})
	if err == nil {
		err = checkMass(op, t.entries, t.total, t.top)
	}
	return t, err
}

// ramp is the colour of entries, and how many cells lie below it.
func (t *cellTally) ramp(log bool) (r ramp, ticks fitted, faint int) {
	if !log {
		return ramp{0, t.top}, linearTicks{}, 0
	}
	r = ramp{math.Log10(t.top), math.Log10(t.top)}
	for _, v := range t.cells {
		if v > 0 {
			r.lo = min(r.lo, math.Log10(v))
		}
	}
	if r.hi-r.lo > maxDecades {
		r.lo = r.hi - maxDecades
	}
	if r.hi > r.lo {
		r.lo, r.hi = twoLabels(r.lo, r.hi)
	}
	for _, v := range t.cells {
		if v > 0 && math.Log10(v) < r.lo {
			faint++
		}
	}
	return r, logTicks{}, faint
}

// edges are those of the blocks of a side, in rows or columns of the plan.
func edges(n, block int) (out []float64) {
	for i := 0; i < n; i += block {
		out = append(out, float64(i)-.5)
	}
	return append(out, float64(n)-.5)
}

// fromBelow turns edges of rows counted from the top into edges of heights: row r stands
// at n − 1 − r.
func fromBelow(edges []float64, n int) []float64 {
	for i, j := 0, len(edges)-1; i <= j; i, j = i+1, j-1 {
		edges[i], edges[j] = float64(n)-1-edges[j], float64(n)-1-edges[i]
	}
	return edges
}

// facts are the sentences of the caption.
func (t *cellTally) facts(rows, cols marginal, faint int) (out []string) {
	out = append(out, fmt.Sprintf("%s of %s pairs in the support, mass %s.", wholeNumber(float64(t.entries)),
		wholeNumber(float64(t.n)*float64(t.m)), number(t.total)))
	for _, s := range []struct {
		name string
		marginal
	}{{"Row", rows}, {"Column", cols}} {
		mean, most := s.off()
		out = append(out, fmt.Sprintf("%s sums are off by %s in the mean, %s at most.", s.name, share3(mean), share3(most)))
	}
	if t.down > 1 || t.across > 1 {
		out = append(out, fmt.Sprintf("A cell is the largest of %d × %d entries, a bar the mean of its sums.", t.down,
			t.across))
	}
	if faint > 0 {
		out = append(out, fmt.Sprintf("%s below the scale.", cells(faint)))
	}
	return out
}

// share3 writes a relative error.
func share3(v float64) string {
	if v < 1e-9 { // rounding
		return "0"
	}
	return number(roundTo(v, 3))
}

// marginal is a side of a plan: its sums, and what is wanted of them.
type marginal struct{ sums, want []float64 }

// newMarginal scales weights to the mass of the plan.
func newMarginal(op, field string, sums, weights []float64, total float64) (marginal, error) {
	m := marginal{sums: sums, want: make([]float64, len(sums))}
	if weights == nil {
		for i := range m.want {
			m.want[i] = total / float64(len(sums))
		}
		return m, nil
	}
	if len(weights) != len(sums) {
		return m, fail(op, ErrShape, "give one weight for each", "%s has %d weights, the plan %d", field, len(weights),
			len(sums))
	}
	if err := checkWeights(op, field, weights); err != nil {
		return m, err
	}
	mass := 0.0
	for _, w := range weights {
		mass += w
	}
	for i, w := range weights {
		m.want[i] = total * (w / mass)
	}
	return m, nil
}

// off is how far sums are from what is wanted, Σ|s − w| over Σ w and the largest |s − w|
// over w; of lines of which nothing is wanted the first alone counts.
func (m marginal) off() (mean, most float64) {
	total := 0.0
	for i, s := range m.sums {
		d := math.Abs(s - m.want[i])
		mean, total = mean+d, total+m.want[i]
		if m.want[i] > 0 {
			most = max(most, d/m.want[i])
		}
	}
	return mean / total, most
}

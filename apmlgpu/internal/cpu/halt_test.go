package cpu

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// asked counts the questions whether to stop, and says yes from one on.
type asked struct{ n, from int }

func (a *asked) halt() bool {
	a.n++
	return a.from > 0 && a.n >= a.from
}

// Long loops of transport ask whether to stop so often that little work lies between:
// bounds of a tree once in haltCells cells, sorts once in haltSteps comparisons, lists
// once in listsAtOnce rows. And they end when the answer is yes.
func TestLoopsAsk(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 83))
	points := make([]spot, 60000)
	for i := range points {
		points[i] = spot{rnd.Float64(), rnd.Float64(), rnd.Float64()}
	}
	a := &asked{}
	tree := newPriceTree(points, false, some(points), a.halt)
	a.n = 0
	tree.refresh()
	if least := 3 * (len(tree.cells) / haltCells); a.n < least || len(tree.cells) < 4*haltCells {
		t.Errorf("bounds of %d cells: %d questions, want %d", len(tree.cells), a.n, least)
	}
	for _, from := range []int{1, 2, 9, 12} {
		*a = asked{from: from}
		if tree.refresh(); a.n != from {
			t.Errorf("bounds ask %d times after a yes to question %d", a.n-from, from)
		}
	}
	*a = asked{}
	compared := 0
	order := numbers(len(points))
	by := func(i, j int32) int {
		compared++
		return cmp.Compare(points[i][0], points[j][0])
	}
	sortUntil(order, a.halt, by)
	if a.n < compared/haltSteps || a.n < 20 {
		t.Errorf("%d comparisons of a sort: %d questions", compared, a.n)
	}
	if !slices.IsSortedFunc(order, by) {
		t.Error("not sorted")
	}
	*a, compared = asked{from: 2}, 0
	if sortUntil(numbers(len(points)), a.halt, by); compared > 3*haltSteps {
		t.Errorf("%d comparisons after a yes to question 2", compared)
	}
}

// Lists, turned matrices and stored plans are made piece by piece, with a question
// between.
func TestMemoryIsAskedFor(t *testing.T) {
	a := &asked{}
	crew := newCrew(context.Background(), 1)
	defer crew.release()
	crew.look = func() { a.halt() }
	tr := &transport{crew: crew}
	tr.x.n = 3*listsAtOnce + 5
	if au := newAuction(tr, make([]spot, tr.x.n), nil); a.n != 4 || cap(au.lists[tr.x.n-1]) != listLength {
		t.Errorf("%d lists: %d questions, the last holds %d", tr.x.n, a.n, cap(au.lists[tr.x.n-1]))
	}
	m := &matrix{ptr: []int64{0}}
	for i := range 300 {
		m.blocks = append(m.blocks, block{lo: i, hi: i + 1, idx: []int32{int32(i % 7)}, wide: []float64{1}})
		m.ptr = append(m.ptr, int64(i+1))
	}
	if a.n = 0; m.flip(7, false, crew) == nil || a.n < 600 {
		t.Errorf("a matrix of 300 blocks: %d questions", a.n)
	}
	rnd := rand.New(rand.NewPCG(1, 89))
	p, err := Backend{}.Open(cloud.Sphere(rnd, 900), cloud.Sphere(rnd, 700), backend.Resources{Threads: 2, MaxBytes: 1 << 30,
		Context: context.Background()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	q := backend.APML{Method: backend.Dense, MinProb: 0.8, Margin: 1e-8, Iterations: 3, LogInverse: 46, Plan: true}
	r, err := p.APML(q)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Plan.Stored.(held).p.(*dense)
	rows := 0
	for _, c := range d.p {
		rows += len(c) / 700
		if len(c) > 1<<17 {
			t.Errorf("%d numbers of a stored plan are one piece", len(c))
		}
	}
	if rows != 900 || len(d.p) < 5 {
		t.Errorf("%d rows in %d pieces", rows, len(d.p))
	}
}

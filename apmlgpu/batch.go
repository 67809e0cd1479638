package apmlgpu

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/cloud"
)

// BatchResult is what a loss returns for a batch of pairs.
//
// Value is the mean of Values, or their sum, as Reduce says; GradX and GradY are
// its gradients, with rows as in the X of the batches: the rows of a pair are
// those of its own loss, over the number of pairs where Value is a mean. Stats
// has one for each pair. The numbers of a pair do not depend on the others.
type BatchResult struct {
	Value            float64
	Values           []float64
	GradX, GradY     []float32
	GradX64, GradY64 []float64
	Stats            []Stats

	loss  string
	plans []func() (*Plan, error)
}

// APMLBatch is [APML] of every pair of two ragged batches, whose items belong
// together by their index.
//
// Reduce zero means Mean, and Sum for Reference, as the published codes do.
// Pairs are computed side by side where there are enough of them and they are
// small, else one after the other, each on all threads: no number depends on it,
// nor on the other pairs. With Trace they are computed in turn.
//
// Errors are those of APML, and name the first bad item by its index; bad
// coordinates and weights are found before anything is computed. No part of the
// batch is returned then. ErrNotConverged comes with a usable result.
func APMLBatch(xs, ys cloud.Batch, opt APMLOptions) (BatchResult, error) {
	return batch("apmlgpu.APMLBatch", xs, ys, opt, APML)
}

// batchable are the options of a loss O.
type batchable[O any] interface {
	common() common
	// item are the options for one item of a batch.
	item(b, threads int, maxBytes int64) O
}

// batch is a loss over all pairs of two batches: the one line of every batch.
func batch[O batchable[O]](op string, xs, ys cloud.Batch, opt O,
	loss func(x, y cloud.Cloud, opt O) (Result, error)) (BatchResult, error) {
	if err := checkBatch(op, xs, ys); err != nil {
		return BatchResult{}, err
	}
	c, err := opt.common().resolve(op)
	if err != nil {
		return BatchResult{}, err
	}
	n := xs.Len()
	r := BatchResult{Values: make([]float64, n), Stats: make([]Stats, n), plans: make([]func() (*Plan, error), n)}
	if !c.noGrad {
		r.GradX, r.GradY = make([]float32, len(xs.X)), make([]float32, len(ys.X))
		if c.grad64 {
			r.GradX64, r.GradY64 = make([]float64, len(xs.X)), make([]float64, len(ys.X))
		}
	}
	share := 1.0
	if c.reduce == Mean {
		share = float64(n)
	}
	names := make([]string, n)
	late, err := c.items(op, xs, ys, func(b, threads int) error {
		one, err := loss(xs.At(b), ys.At(b), opt.item(b, threads, c.maxBytes))
		if err == nil || errors.Is(err, ErrNotConverged) {
			r.Values[b], r.Stats[b], r.plans[b], names[b] = one.Value, one.Stats, one.plan, one.loss
			one.divide(share)
			copy(rows(xs, b, r.GradX), one.GradX)
			copy(rows(ys, b, r.GradY), one.GradY)
			copy(rows(xs, b, r.GradX64), one.GradX64)
			copy(rows(ys, b, r.GradY64), one.GradY64)
		}
		return err
	})
	if err != nil {
		return BatchResult{}, err
	}
	r.loss = names[0]
	for _, v := range r.Values {
		r.Value += v
	}
	r.Value /= share
	return r, late
}

// rows are those of item b in g, which is nil or as long as the batch's X.
func rows[V float32 | float64](b cloud.Batch, item int, g []V) []V {
	if g == nil {
		return nil
	}
	return g[b.Off[item]*b.D : b.Off[item+1]*b.D]
}

// beside says that an item fits beside others of its size, one for each worker,
// at its worst: 32 bytes a pair of points and 1 KiB a point. What an item may use
// is always all of MaxBytes, so that its way never depends on the others.
func (c common) beside(x, y cloud.Cloud, workers int) bool {
	points := float64(x.N+y.N) * float64(1<<10+16*x.D)
	return 32*float64(x.N)*float64(y.N)+points <= float64(c.maxBytes)/float64(workers)
}

// items calls f for every item: small ones side by side, large ones in turn on
// all threads. After an error no item behind it is begun; the error returned is
// that of the lowest index. late is ErrNotConverged, of the first item that did
// not.
func (c common) items(op string, xs, ys cloud.Batch, f func(b, threads int) error) (late, err error) {
	n := xs.Len()
	workers := min(c.threads, n)
	if c.inTurn {
		workers = 1
	}
	var small, large []int
	for b := range n {
		if workers > 1 && c.beside(xs.At(b), ys.At(b), workers) {
			small = append(small, b)
		} else {
			large = append(large, b)
		}
	}
	t := tally{errs: make([]error, n), bad: n}
	next := t.inOrder(small)
	var wg sync.WaitGroup
	for range min(workers, len(small)) {
		wg.Go(func() {
			for b := next(); b >= 0; b = next() {
				t.ended(b, f(b, max(1, c.threads/len(small))))
			}
		})
	}
	wg.Wait()
	next = t.inOrder(large)
	for b := next(); b >= 0; b = next() {
		t.ended(b, f(b, c.threads))
	}
	return t.verdict(op)
}

// tally keeps how the items of a batch have ended.
type tally struct {
	mu   sync.Mutex
	errs []error
	bad  int // lowest index that failed
}

// inOrder gives out items in ascending order, −1 at the end or past a failed
// one.
func (t *tally) inOrder(items []int) func() int {
	return func() int {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(items) == 0 || items[0] > t.bad {
			return -1
		}
		b := items[0]
		items = items[1:]
		return b
	}
}

func (t *tally) ended(b int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs[b] = err
	if err != nil && !errors.Is(err, ErrNotConverged) {
		t.bad = min(t.bad, b)
	}
}

// verdict is the error of the lowest index, and that of items that did not
// converge.
func (t *tally) verdict(op string) (late, err error) {
	if t.bad < len(t.errs) {
		return nil, ofItem(op, t.bad, t.errs[t.bad])
	}
	count := len(t.errs)
	for b, e := range slices.Backward(t.errs) {
		if e == nil {
			count--
		} else {
			late = ofItem(op, b, e)
		}
	}
	if count > 1 {
		e := late.(*Error)
		late = &Error{op, fmt.Errorf("%w, and so did %d more", e.Err, count-1), e.Advice}
	}
	return late, nil
}

// ofItem puts the index of an item into its error; one that no data can cure is
// of the batch.
func ofItem(op string, b int, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Err: err}
	}
	if errors.Is(err, ErrOption) || errors.Is(err, ErrBackend) || errors.Is(err, ErrCanceled) {
		return &Error{op, e.Err, e.Advice}
	}
	return &Error{op, fmt.Errorf("item %d: %w", b, e.Err), e.Advice}
}

// checkBatch refuses batches that no loss can answer, before any is computed.
func checkBatch(op string, xs, ys cloud.Batch) error {
	for k, b := range []cloud.Batch{xs, ys} {
		if err := checkOffsets(op, []string{"xs", "ys"}[k], b); err != nil {
			return err
		}
	}
	if xs.Len() != ys.Len() {
		return &Error{op, fmt.Errorf("%w: xs has %d items, ys has %d", ErrShape, xs.Len(), ys.Len()),
			"give as many clouds in xs as in ys"}
	}
	for b := range xs.Len() {
		if err := check(op, xs.At(b), ys.At(b)); err != nil {
			return ofItem(op, b, err)
		}
	}
	return nil
}

// checkOffsets refuses a batch that cannot be cut into its clouds.
func checkOffsets(op, name string, b cloud.Batch) error {
	if b.Len() == 0 {
		return &Error{op, fmt.Errorf("%w: the batch %s has no clouds", ErrEmpty, name), "give at least one pair"}
	}
	rows := b.Off[b.Len()]
	if b.D < 1 || b.Off[0] != 0 || !slices.IsSorted(b.Off) || len(b.X)%b.D != 0 || len(b.X)/b.D != rows {
		return &Error{op, fmt.Errorf("%w: %s holds %d numbers for offsets %d to %d in %d dimensions", ErrShape, name,
			len(b.X), b.Off[0], rows, b.D),
			"give offsets that rise from 0 to the number of rows"}
	}
	if b.W != nil && len(b.W) != rows {
		return &Error{op, fmt.Errorf("%w: %s has %d rows and %d weights", ErrShape, name, rows, len(b.W)),
			"give one weight a row, or none at all"}
	}
	return nil
}

// Plan computes the plan of pair b, as [Result.Plan] does. It panics if b is out
// of range.
func (r BatchResult) Plan(b int) (*Plan, error) {
	return Result{loss: r.loss, plan: r.plans[b]}.Plan()
}

// table are the lines of the tables of a batch's result.
func (r BatchResult) table() [][2]string {
	lines := [][2]string{
		{r.loss, fmt.Sprintf("%.9g", r.Value)},
		{"pairs", fmt.Sprint(len(r.Values))},
	}
	if len(r.Values) == 0 {
		return lines
	}
	lines = append(lines, [2]string{"smallest", fmt.Sprintf("%.9g", slices.Min(r.Values))},
		[2]string{"largest", fmt.Sprintf("%.9g", slices.Max(r.Values))})
	points, noted := 0, 0
	for _, s := range r.Stats {
		points += s.N + s.M
		noted += min(1, len(s.Notes))
	}
	lines = append(lines, [2]string{"points", fmt.Sprint(points)})
	if noted > 0 {
		lines = append(lines, [2]string{"note", fmt.Sprintf("%d pairs have notes: see Stats", noted)})
	}
	return lines
}

// String is the result as lines of text.
func (r BatchResult) String() string { return plainTable(r.table()) }

// MIMEBundle shows the result in a notebook: a small table, and text.
func (r BatchResult) MIMEBundle() (map[string]any, error) { return bundle(r.table()), nil }

// plainTable is a table as lines of text.
func plainTable(lines [][2]string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%-13s %s\n", l[0], l[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// bundle is a table as HTML and as text.
func bundle(lines [][2]string) map[string]any {
	var b strings.Builder
	b.WriteString("<table>")
	for _, l := range lines {
		fmt.Fprintf(&b, "<tr><th>%s</th><td>%s</td></tr>", html.EscapeString(l[0]), html.EscapeString(l[1]))
	}
	b.WriteString("</table>")
	return map[string]any{"text/plain": plainTable(lines), "text/html": b.String()}
}

package cpu

import (
	"errors"
	"math"
	"slices"
)

// errDear says that an auction was given up: another way is cheaper.
var errDear = errors.New("cpu: the auction takes too long")

// Scales of a level: eps begins at startShare of the spread between a row's best
// targets, is divided by scaleStep, and ends at a share of the spread.
const (
	startShare  = 2
	scaleStep   = 5
	coarseShare = 0.1
	fineShare   = 1e-3
	warmShare   = 0.05 // where eps begins with the prices of a near problem
	bidsARow    = 5    // after which the first scale of a level is raised
)

// run assigns every row: free rows bid in turn, each for its best target as much
// as the second best is worse, and eps. raise, where it is finite, is how many bids it
// takes to multiply eps by scaleStep, or between cells to give the auction up; the eps
// at the end is returned.
func (a *auction) run(eps, raise float64) (float64, error) {
	n := len(a.x)
	ring := make([]int32, 0, n)
	for i := n - 1; i >= 0; i-- {
		if a.to[i] < 0 {
			ring = append(ring, int32(i))
		}
	}
	count, left := len(ring), raise
	ring = ring[:n]
	for head, tail := 0, count%n; count > 0; {
		if left--; left < 0 {
			if a.coarse {
				return eps, errDear
			}
			eps *= scaleStep
			left = raise
		}
		if a.t.steps%16 == 0 {
			if err := a.halted(); err != nil {
				return eps, err
			}
		}
		i := ring[head]
		if head++; head == n {
			head = 0
		}
		count--
		if !a.t.goOn(1) {
			return eps, nil
		}
		j, first, second := a.two(i)
		if math.IsInf(second, 1) {
			second = first
		}
		a.tree.v[j] -= second - first + eps
		a.tree.fell(j)
		if o := a.from[j]; o >= 0 {
			a.to[o] = -1
			ring[tail] = o
			if tail++; tail == n {
				tail = 0
			}
			count++
		}
		a.from[j], a.to[i] = i, j
		a.t.out.Bids++
	}
	return eps, nil
}

// halted says why the work should end.
func (a *auction) halted() error {
	if a.t.crew.halt() {
		return a.t.crew.err()
	}
	if a.tree.work > a.most || !a.begun && a.tree.work > a.most/firstParts*firstMost {
		return errDear
	}
	return nil
}

// level runs all scales of a level, down to end times the spread.
func (a *auction) level(start, end float64) error {
	n := len(a.x)
	var spread []float64
	for i := 0; i < n; i += 1 + n/256 {
		if a.t.crew.halt() {
			return a.t.crew.err()
		}
		a.fill(int32(i), a.k)
		f := a.tree.found
		spread = append(spread, f[min(8, len(f)-1)].r-f[0].r)
	}
	slices.Sort(spread)
	// The floor keeps eps above rounding, and ties from stopping the scales.
	unit := max(spread[len(spread)/2], 1e-7*a.t.scale, 1e-300)
	raise := bidsARow * float64(n)
	for eps := start * unit; ; eps /= scaleStep {
		if err := a.halted(); err != nil {
			return err
		}
		a.tight(eps / scaleStep)
		var err error
		if eps, err = a.run(eps, raise); err != nil || a.t.late {
			return err
		}
		raise, a.begun = math.Inf(1), true
		if eps <= end*unit*1.0001 {
			return nil
		}
	}
}

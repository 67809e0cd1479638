// Package cpu computes the operations of a pair on the CPU, in plain Go. It is
// the reference that every other backend is judged by.
package cpu

import (
	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// Backend opens pairs on the CPU; its zero value is ready.
type Backend struct{}

// Name returns "cpu".
func (Backend) Name() string { return "cpu" }

// pair is two sides, the crew that works on them and the ledger of its cost.
type pair struct {
	x, y   *side
	crew   *crew
	ledger *ledger
}

// openBytes is the work memory of a point that is made ready: its coordinates twice,
// as items of the build and by leaves, its index twice, and its part of the leaves; or
// with more than three coordinates, which have no tree, these twice, with the hash
// table while the first are read.
func openBytes(dim int) int64 {
	if dim > 3 {
		return 4*int64(dim) + max(4*int64(dim), 16) + 4
	}
	return 16 + 12 + 8 + 8
}

// Open makes both clouds ready. Cost: O((N+M) log(N+M)) time; D above 3 and
// coordinates that span more than float32 can scale are searched by brute
// force.
func (Backend) Open(x, y cloud.Cloud, r backend.Resources) (backend.Pair, error) {
	p := &pair{crew: newCrew(r.Context, r.Threads), ledger: newLedger(r.MaxBytes)}
	if err := p.ready(x, y); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// ready makes the sides.
func (p *pair) ready(x, y cloud.Cloud) error {
	p.ledger.enter("tree")
	defer p.ledger.enter("")
	k, brute := exponent(x, y, p.crew), x.D > 3
	if k != 0 {
		_, _, ex := gather(x, k, p.crew)
		_, _, ey := gather(y, k, p.crew)
		if !ex || !ey {
			k, brute = 0, true
		}
	}
	return p.open([2]cloud.Cloud{x, y}, k, brute)
}

// open makes the sides: one after the other, or both at once where there are threads
// and memory for both.
func (p *pair) open(clouds [2]cloud.Cloud, k int, brute bool) error {
	var sides [2]*side
	var work [2]int64
	for i, c := range clouds {
		work[i] = int64(c.N) * openBytes(c.D)
	}
	if p.crew.threads > 1 && p.ledger.left()-work[0] >= work[1] {
		if err := p.ledger.take("the trees", work[0]+work[1]); err != nil {
			return err
		}
		err := p.crew.run(2, func(_, i int) {
			sides[i] = newSide(clouds[i], k, brute, (p.crew.threads+1-i)/2, p.crew)
		})
		if err != nil {
			return err
		}
		p.ledger.drop(work[0] + work[1] - sides[0].bytes() - sides[1].bytes())
	} else {
		for i, c := range clouds {
			if err := p.ledger.take("the tree", work[i]); err != nil {
				return err
			}
			sides[i] = newSide(c, k, brute, p.crew.threads, p.crew)
			if err := p.crew.err(); err != nil {
				return err
			}
			p.ledger.drop(work[i] - sides[i].bytes())
		}
	}
	p.x, p.y = sides[0], sides[1]
	return nil
}

// Spent is the cost of all operations so far.
func (p *pair) Spent() backend.Spent { return p.ledger.spent() }

// Close ends the watch of the context.
func (p *pair) Close() { p.crew.release() }

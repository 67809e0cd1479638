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

// open work bytes a point: coordinates, hash table, items of the build, tree.
const openBytes = 12 + 16 + 16 + 17

// Open makes both clouds ready. Cost: O((N+M) log(N+M)) time; D above 3 and
// coordinates that span more than float32 can scale are searched by brute
// force.
func (Backend) Open(x, y cloud.Cloud, r backend.Resources) (backend.Pair, error) {
	p := &pair{crew: newCrew(r.Context, r.Threads), ledger: newLedger(r.MaxBytes)}
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
	for i, c := range []cloud.Cloud{x, y} {
		work := int64(c.N) * openBytes
		if c.D > 3 {
			work += int64(c.N) * int64(c.D) * 8
		}
		if err := p.ledger.take("the tree", work); err != nil {
			p.Close()
			return nil, err
		}
		s := newSide(c, k, brute, p.crew)
		if err := p.crew.err(); err != nil {
			p.Close()
			return nil, err
		}
		p.ledger.drop(work - s.bytes())
		if i == 0 {
			p.x = s
		} else {
			p.y = s
		}
	}
	return p, nil
}

// Spent is the cost of all operations so far.
func (p *pair) Spent() backend.Spent { return p.ledger.spent() }

// Close ends the watch of the context.
func (p *pair) Close() { p.crew.release() }

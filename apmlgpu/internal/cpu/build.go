package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// build makes the plan before balancing by the method, or for "auto" by the
// way that the count of the support allows.
func (a *apml) build(method string, logInverse float64) (plan, error) {
	a.x.threshold(logInverse)
	a.y.threshold(logInverse)
	if method == backend.Auto || method == backend.Sparse {
		p, err := a.sparse(method == backend.Sparse, logInverse)
		if p != nil || err != nil {
			return p, err
		}
	}
	if a.q.Automatic {
		logInverse = math.Inf(1)
		a.x.threshold(logInverse)
		a.y.threshold(logInverse)
	}
	pairs, left := 8*float64(a.pair.x.n)*float64(a.pair.y.n), float64(a.ledger.left())
	if method != backend.Streaming {
		method = backend.Dense
		if need := pairs + float64(a.lineBytes(method)); need > left {
			if a.q.Method == backend.Dense {
				return nil, a.ledger.refuse("the dense plan", need)
			}
			method = backend.Streaming
		}
	}
	if method == backend.Streaming {
		pairs = 0
	}
	line := float64(a.lineBytes(method))
	a.crew.threads = int(max(1, min(float64(a.crew.threads), (left-pairs)/line)))
	bytes := int64(pairs + line*float64(a.crew.threads))
	a.ledger.enter("dense")
	if method == backend.Streaming { // the denominators need but one number of four
		ahead := bytes / 4 * 3
		if err := a.ledger.reserve("the streaming plan", ahead); err != nil {
			return nil, err
		}
		a.ahead, bytes = ahead, bytes-ahead
	}
	if err := a.ledger.take("the "+method+" plan", bytes); err != nil {
		return nil, err
	}
	a.held = bytes
	return a.dense(method, logInverse)
}

// lineBytes is the memory of the lines that a goroutine has at work: of a stored plan
// some columns as they are copied for the gradient, of a streaming one what a line is
// filled from. With little memory fewer are at work side by side.
func (a *apml) lineBytes(method string) int64 {
	n, m := int64(a.pair.x.n), int64(a.pair.y.n)
	if method == backend.Dense {
		return 8 * min(n*m, max(n, 1<<17))
	}
	return 32 * max(n, m)
}

// dense makes a plan over all pairs, stored or streaming.
func (a *apml) dense(method string, logInverse float64) (plan, error) {
	p := &dense{x: a.x, y: a.y, byCount: a.q.CountMerge, crew: a.crew}
	if err := a.x.denominators(a.crew); err != nil {
		return nil, err
	}
	if err := a.y.denominators(a.crew); err != nil {
		return nil, err
	}
	out := a.out
	out.Method, out.Stored = method, 0
	out.NNZ = int64(out.N) * int64(out.M)
	out.NNZRows, out.NNZCols = out.NNZ, out.NNZ
	if !math.IsInf(logInverse, 1) {
		var err error
		if out.NNZ, out.NNZRows, out.NNZCols, err = p.count(); err != nil {
			return nil, err
		}
	}
	if method == backend.Streaming {
		return p, nil
	}
	out.Stored = int64(a.x.s.n) * int64(a.y.s.n)
	return p, p.store()
}

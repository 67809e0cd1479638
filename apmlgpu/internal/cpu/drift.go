package cpu

import (
	"errors"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Scalings drift. Where a part of the plan has r rows and c columns that can get
// no mass from elsewhere, each round u loses a factor c/r there and v gains it:
// after some hundred rounds both would leave float64. What counts is u P v, so
// that powers of two may go from one to the other: nothing is rounded.

// extent is the least and the largest of some numbers above zero.
type extent struct{ low, high float64 }

func (e *extent) add(v float64) {
	if v < e.low && v > 0 {
		e.low = v
	}
	if v > e.high {
		e.high = v
	}
}

func (e *extent) shift(by int) { e.low, e.high = math.Ldexp(e.low, by), math.Ldexp(e.high, by) }

// drift is how far the scalings have gone.
type drift struct {
	u, v  extent
	put   []int32 // powers of two that were put into the plan, by row and then by column; nil: none
	bytes int64   // of put, in the ledger
}

func (d *drift) reset() {
	none := extent{math.Inf(1), 0}
	d.u, d.v = none, none
}

// width is how far, in powers of two, a scaling lies from 1.
func (d *drift) width() float64 {
	return max(math.Log2(max(d.u.high, d.v.high, 1)), -math.Log2(min(d.u.low, d.v.low, 1)))
}

// Widths from which u and v are shifted against each other, and from which they
// are put into the plan. Scalings of 2^130 are seen between dissimilar clouds.
const (
	wideTogether = 200
	widePlan     = 400
)

// errDrift says that the scalings must be put into a plan that cannot hold them.
var errDrift = errors.New("scalings have left their range")

// hold brings scalings that have drifted back to the middle of float64.
func (b *balance) hold(p plan, l *ledger) error {
	d := &b.drift
	if d.width() < wideTogether {
		return nil
	}
	by := middle(d.u.high, d.v.high)
	shift(b.u, by)
	shift(b.v, -by)
	d.u.shift(by)
	d.v.shift(-by)
	if d.width() < widePlan {
		return nil
	}
	n := len(b.u)
	bytes := 4 * int64(n+len(b.v))
	if err := l.take("the scalings", 2*bytes); err != nil {
		return err
	}
	if d.put == nil {
		d.put, d.bytes = make([]int32, n+len(b.v)), bytes
		bytes -= d.bytes
	}
	defer l.drop(d.bytes + bytes)
	now := make([]int32, n+len(b.v))
	for k := range now {
		s := &b.u
		at := k
		if k >= n {
			s, at = &b.v, k-n
		}
		fraction, e := math.Frexp((*s)[at])
		(*s)[at], now[k] = fraction, int32(e)
		d.put[k] += int32(e)
	}
	return p.put(now[:n], now[n:])
}

// middle is the power of two that u is to be multiplied by and v divided, so that
// the largest of both are about equal.
func middle(u, v float64) int {
	if u == 0 || v == 0 {
		return 0
	}
	_, a := math.Frexp(u)
	_, b := math.Frexp(v)
	return (b - a) / 2
}

func shift(u []float64, by int) {
	for i, v := range u {
		u[i] = math.Ldexp(v, by)
	}
}

// put multiplies the entries by 2^(a_i + b_j). What falls below float64 then
// carries nothing, as in a plan that is rescaled in place.
func (p *sparse) put(a, b []int32) error {
	if p.ties.alpha != nil || p.ties.beta != nil {
		return errDrift
	}
	if err := p.csr.put(a, b, p.crew); err != nil || p.csc == nil {
		return err
	}
	return p.csc.put(b, a, p.crew)
}

func (m *matrix) put(a, b []int32, c *crew) error {
	return c.run(len(m.blocks), func(_, k int) {
		s := &m.blocks[k]
		for i := s.lo; i < s.hi && !c.halt(); i++ {
			lo, hi := m.line(s, i)
			for e := lo; e < hi; e++ {
				by := int(a[i]) + int(b[s.idx[e]])
				if s.wide != nil {
					s.wide[e] = math.Ldexp(s.wide[e], by)
				} else {
					s.narrow[e] = float32(math.Ldexp(float64(s.narrow[e]), by))
				}
			}
		}
	})
}

func (p *dense) put(a, b []int32) error {
	m := p.y.s.n
	if p.p == nil {
		if p.a == nil {
			p.a, p.b = make([]int32, len(a)), make([]int32, m)
		}
		for i, e := range a {
			p.a[i] += e
		}
		for j, e := range b {
			p.b[j] += e
		}
		return p.crew.err()
	}
	return p.crew.each(p.x.s.n, fewRows(m), func(_, lo, hi int) {
		for i := lo; i < hi && !p.crew.halt(); i++ {
			row := p.row(i)
			for j, e := range b {
				row[j] = math.Ldexp(row[j], int(a[i])+int(e))
			}
		}
	})
}

// scaled multiplies line i of a streaming plan by the powers of two put into it.
func (p *dense) scaled(buf []float64, transpose bool, i int) {
	a, b := p.a, p.b
	if transpose {
		a, b = b, a
	}
	for j, v := range buf {
		buf[j] = math.Ldexp(v, int(a[i])+int(b[j]))
	}
}

// denser is the method after scalings have left the range of a sparse plan with
// tied lines: those hold every pair.
func (a *apml) denser(err error) (method string, again bool) {
	if !errors.Is(err, errDrift) {
		return "", false
	}
	a.giveBack()
	return backend.Dense, true
}

package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/vec"
)

// far is what the rank-one terms of tied rows and columns give to the value and
// to the forces: the only work that takes all N·M pairs. Every pair is taken
// once, for the value and for both its forces.
type far struct {
	cost float64   // Σ m P d, in the unit of x
	x, y []float64 // by point, three numbers: its force times its multiplicity
}

// farBytes is the memory of a far: forces, order and scaled terms of the points,
// and columns by groups.
func farBytes(n, m int) int64 { return int64(n)*(24+4) + int64(m)*(24+4+8*vec.GroupLen/vec.Group) }

// puller makes a far.
type puller struct {
	x, y    *side
	ties    uniforms
	u, w    []float64 // scalings of the rows, of the columns times multiplicity
	scale   float64   // of coordinates: none is above 1 then
	floor   float64
	rows    []int32   // points of x, tied ones first
	place   []int32   // of the points of y among the columns
	cols    []float64 // tied ones first, both kinds in whole groups
	tied    int       // groups of tied columns
	tiedRow int       // tied rows
	evenly  float64   // of every tied column; 0: they differ
	out     *far
	size    float64 // of what the cost by forces was added up from
	short   short
	crew    *crew
}

// newPuller makes a puller of the rank-one terms of the plan that g, of its rows,
// is about; the clouds have three coordinates.
func newPuller(g *gradient, ties uniforms, c *crew) *puller {
	x, y := g.a, g.b
	p := &puller{x: x, y: y, ties: ties, u: g.u, w: g.w, crew: c,
		out: &far{x: make([]float64, 3*x.n), y: make([]float64, 3*y.n)}}
	largest := float32(0)
	for _, s := range []*side{x, y} {
		for _, v := range s.x {
			largest = max(largest, v, -v)
		}
	}
	_, e := math.Frexp(float64(largest))
	p.scale = math.Ldexp(1, -e)
	p.floor = g.floor / x.unit * p.scale
	p.order()
	p.short = p.fits(g.g64 != nil || g.g32 == nil)
	return p
}

// farOf sums up the rank-one terms: by convolutions where all points lie on a
// lattice and that is less work and fits, else pair by pair.
func farOf(g *gradient, ties uniforms, ledger *ledger, c *crew) (*far, error) {
	p := newPuller(g, ties, c)
	tiedCols := 0
	for _, b := range ties.beta {
		if b != 0 {
			tiedCols++
		}
	}
	pairs := float64(p.tiedRow)*float64(p.y.n) + float64(p.x.n-p.tiedRow)*float64(tiedCols)
	l := latticeOf(p.x, p.y, p.rows, p.place)
	if l == nil || !l.cheaper(pairs) {
		return p.out, p.direct()
	}
	bytes := cellBytes * int64(l.box.cells())
	if ledger.take("the sum over tied lines", bytes) != nil {
		return p.out, p.direct()
	}
	defer ledger.drop(bytes)
	err := p.convolve(l)
	p.out.cost /= p.scale
	return p.out, err
}

// direct takes the pairs one by one: first by their forces alone, which cost less
// and tell the value too, unless that would lose digits; in float32 where that will do.
func (p *puller) direct() error {
	if p.floor == 0 {
		for {
			if ok, err := p.all(true); ok || err != nil {
				return err
			}
			p.again()
			if !p.short.on {
				break
			}
			p.short.on = false
		}
	}
	_, err := p.all(false)
	return err
}

// all lets all pairs meet, by their forces alone or with their costs; ok says that
// the value has its digits.
func (p *puller) all(byForce bool) (ok bool, err error) {
	// A pair of a tied row and a tied column has the mean of both terms by count.
	both := 1.0
	if p.ties.byCount {
		both = 0.5
	}
	groups := len(p.cols) / vec.GroupLen
	for _, t := range []meeting{
		{row: 0, rows: p.tiedRow, col: 0, cols: p.tied, factor: both},
		{row: 0, rows: p.tiedRow, col: p.tied, cols: groups, factor: 1},
		{row: p.tiedRow, rows: len(p.rows), col: 0, cols: p.tied, factor: 1},
	} {
		t.byForce = byForce
		if err := p.pass(&t); err != nil {
			return false, err
		}
	}
	for j, at := range p.place {
		if at >= 0 {
			for c := range 3 {
				p.out.y[3*j+c] = -p.cols[int(at)/vec.Group*vec.GroupLen+int(at)%vec.Group+(5+c)*vec.Group]
			}
		}
	}
	most := float64(mostCancelled)
	if p.short.on {
		most /= shortSlack
	}
	ok = !byForce || p.size <= most*p.out.cost
	p.out.cost /= p.scale
	return ok, nil
}

// again takes back what all has done.
func (p *puller) again() {
	p.out.cost, p.size = 0, 0
	clear(p.out.x)
	for g := 0; g < len(p.cols); g += vec.GroupLen {
		clear(p.cols[g+5*vec.Group : g+8*vec.Group])
	}
}

// order puts tied points first and copies the columns that meet any row.
func (p *puller) order() {
	p.rows = make([]int32, 0, p.x.n)
	for i, a := range p.ties.alpha {
		if a != 0 {
			p.rows = append(p.rows, int32(i))
		}
	}
	p.tiedRow = len(p.rows)
	tied := 0
	for _, b := range p.ties.beta {
		if b != 0 {
			tied++
		}
	}
	p.tied = (tied + vec.Group - 1) / vec.Group
	groups := p.tied
	if p.tiedRow > 0 {
		groups += (p.y.n - tied + vec.Group - 1) / vec.Group
	}
	p.cols = make([]float64, groups*vec.GroupLen)
	p.place = make([]int32, p.y.n)
	next, nextTied := p.tied*vec.Group, 0
	for j := range p.place {
		beta := 0.0
		if p.ties.beta != nil {
			beta = p.ties.beta[j]
		}
		switch {
		case beta != 0:
			if p.put(j, nextTied, beta); nextTied == 0 {
				p.evenly = beta
			}
			if beta != p.evenly {
				p.evenly = 0
			}
			nextTied++
		case p.tiedRow > 0:
			p.put(j, next, 0)
			next++
		default:
			p.place[j] = -1
		}
	}
	for i := 0; i < p.x.n && p.tied > 0; i++ {
		if p.ties.alpha == nil || p.ties.alpha[i] == 0 {
			p.rows = append(p.rows, int32(i))
		}
	}
}

// put copies point j of y to the column at.
func (p *puller) put(j, at int, beta float64) {
	k := at/vec.Group*vec.GroupLen + at%vec.Group
	p.place[j] = int32(at)
	for c, v := range p.y.row(j) {
		p.cols[k+c*vec.Group] = float64(v) * p.scale
	}
	p.cols[k+3*vec.Group], p.cols[k+4*vec.Group] = p.w[j], beta*p.w[j]
}

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

// Sizes of the tiles of a far, chosen by the counts alone: a tile has about
// tilePairs pairs, at least, and there are at most mostTiles of them a side. A
// strip of stripGroups groups of columns, 16 KiB, stays in the first cache while the rows of
// the tile pass over it.
const (
	tilePairs   = 1 << 16
	mostTiles   = 64
	stripGroups = 32
)

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
	out     *far
	part    []float64 // cost, by tile of rows
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

// direct takes the pairs one by one.
func (p *puller) direct() error {
	// A pair of a tied row and a tied column has the mean of both terms by count.
	both := 1.0
	if p.ties.byCount {
		both = 0.5
	}
	groups := len(p.cols) / vec.GroupLen
	for _, t := range []struct {
		row, rows, col, cols int
		factor               float64
	}{
		{0, p.tiedRow, 0, p.tied, both},
		{0, p.tiedRow, p.tied, groups, 1},
		{p.tiedRow, len(p.rows), 0, p.tied, 1},
	} {
		if err := p.pass(t.row, t.rows, t.col, t.cols, t.factor); err != nil {
			return err
		}
	}
	for j, at := range p.place {
		if at >= 0 {
			for c := range 3 {
				p.out.y[3*j+c] = -p.cols[int(at)/vec.Group*vec.GroupLen+int(at)%vec.Group+(5+c)*vec.Group]
			}
		}
	}
	p.out.cost /= p.scale
	return nil
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
			p.put(j, nextTied, beta)
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

// pass lets the rows meet the groups of columns, tile by tile. Tiles are taken in
// rounds: those of a round have no row and no column in common, so that they may
// add to the same sums side by side, and the order of every sum is that of the
// rounds.
func (p *puller) pass(row, rows, col, cols int, factor float64) error {
	n, m := rows-row, cols-col
	if n == 0 || m == 0 {
		return nil
	}
	tiles := int(min(math.Sqrt(float64(n)*float64(m)*vec.Group/tilePairs), mostTiles)) + 1
	high, wide := (n+tiles-1)/tiles, (m+tiles-1)/tiles
	down, across := (n+high-1)/high, (m+wide-1)/wide
	p.part = make([]float64, down)
	for round := range max(down, across) {
		err := p.crew.run(min(down, across), func(_, k int) {
			i, j := k, (k+round)%across
			if down > across {
				i, j = (k+round)%down, k
			}
			p.tile(i, row+i*high, min(row+(i+1)*high, rows), col+j*wide, min(col+(j+1)*wide, cols), factor)
		})
		if err != nil {
			return err
		}
	}
	for _, c := range p.part {
		p.out.cost += c
	}
	return nil
}

// tile lets the rows row to rows meet the groups col to cols.
func (p *puller) tile(part, row, rows, col, cols int, factor float64) {
	var r vec.Row
	r.SetFloor(p.floor)
	for ; col < cols; col += stripGroups {
		strip := p.cols[col*vec.GroupLen : min(col+stripGroups, cols)*vec.GroupLen]
		for _, i := range p.rows[row:rows] {
			if p.crew.halt() {
				return
			}
			q := p.x.row(int(i))
			r.X, r.Y, r.Z = float64(q[0])*p.scale, float64(q[1])*p.scale, float64(q[2])*p.scale
			r.U = factor * p.u[i] * p.x.times(int(i))
			r.A = 0
			if p.ties.alpha != nil {
				r.A = r.U * p.ties.alpha[i]
			}
			f := p.out.x[3*i : 3*i+3 : 3*i+3]
			r.Cost, r.FX, r.FY, r.FZ = p.part[part], f[0], f[1], f[2]
			r.Pull(strip)
			p.part[part], f[0], f[1], f[2] = r.Cost, r.FX, r.FY, r.FZ
		}
	}
}

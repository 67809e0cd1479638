package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/vec"
)

// Sizes of the tiles of a far, chosen by the counts alone: a tile has whole strips and
// about tilePairs pairs, at least, and there are at most mostTiles of them a side. A
// strip of stripGroups groups of columns, 16 KiB, stays in the first cache while the rows of
// the tile pass over it; a narrower one costs more calls a pair.
const (
	tilePairs   = 1 << 16
	mostTiles   = 64
	stripGroups = 32
)

// mostCancelled is how much larger than the cost by forces the numbers may be that
// it is added up from: each has an error of 2e-13 of its own.
const mostCancelled = 16

// meeting is rows, from row on, that meet groups of columns, from col on.
type meeting struct {
	row, rows, col, cols int
	factor               float64
	byForce              bool
	part                 [][2]float64 // cost and size, by tile of rows
}

// pass lets the rows meet the groups of columns, tile by tile. Tiles are taken in
// rounds: those of a round have no row and no column in common, so that they may
// add to the same sums side by side, and the order of every sum is that of the
// rounds.
func (p *puller) pass(t *meeting) error {
	n, m := t.rows-t.row, t.cols-t.col
	if n == 0 || m == 0 {
		return nil
	}
	wide := ((m+mostTiles-1)/mostTiles + stripGroups - 1) / stripGroups * stripGroups
	high := max((n+mostTiles-1)/mostTiles, tilePairs/vec.Group/min(wide, m))
	down, across := (n+high-1)/high, (m+wide-1)/wide
	t.part = make([][2]float64, down)
	for round := range max(down, across) {
		err := p.crew.run(min(down, across), func(_, k int) {
			i, j := k, (k+round)%across
			if down > across {
				i, j = (k+round)%down, k
			}
			rows := p.rows[t.row+i*high : min(t.row+(i+1)*high, t.rows)]
			end := min(t.col+(j+1)*wide, t.cols)
			for col := t.col + j*wide; col < end && !p.crew.halt(); col += stripGroups {
				strip := p.cols[col*vec.GroupLen : min(col+stripGroups, end)*vec.GroupLen]
				if t.byForce {
					p.draw(t, i, rows, strip)
				} else {
					p.pull(t, i, rows, strip)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	for _, c := range t.part {
		p.out.cost += c[0]
		p.size += c[1]
	}
	return nil
}

// set makes r point i of the rows.
func (p *puller) set(r *vec.Row, i int32, factor float64) {
	q := p.x.row(int(i))
	r.X, r.Y, r.Z = float64(q[0])*p.scale, float64(q[1])*p.scale, float64(q[2])*p.scale
	r.U = factor * p.u[i] * p.x.times(int(i))
	r.A = 0
	if p.ties.alpha != nil {
		r.A = r.U * p.ties.alpha[i]
	}
}

// pull lets the rows meet a strip of columns, with their costs.
func (p *puller) pull(t *meeting, part int, rows []int32, strip []float64) {
	var r vec.Row
	r.SetFloor(p.floor)
	for _, i := range rows {
		if p.crew.halt() {
			return
		}
		p.set(&r, i, t.factor)
		f := p.out.x[3*i : 3*i+3 : 3*i+3]
		r.Cost, r.FX, r.FY, r.FZ = t.part[part][0], f[0], f[1], f[2]
		r.Pull(strip)
		t.part[part][0], f[0], f[1], f[2] = r.Cost, r.FX, r.FY, r.FZ
	}
}

// draw lets the rows meet a strip of columns by their forces alone. Since a pair's
// cost is its force times its displacement, the costs of all pairs of the tile are
// Σ (place − o)·force over its points, for any o; one between both sides keeps the
// terms small.
func (p *puller) draw(t *meeting, part int, rows []int32, strip []float64) {
	var before [stripGroups][3 * vec.Group]float64
	for g := range len(strip) / vec.GroupLen {
		force := strip[g*vec.GroupLen+5*vec.Group : (g+1)*vec.GroupLen]
		copy(before[g][:], force)
		clear(force)
	}
	tied := t.col < p.tied
	even := !tied || p.evenly != 0
	var r vec.Row
	r.SetFloor(0)
	p.set(&r, rows[0], 0)
	v := virial{o: [3]float64{(r.X + strip[0]) / 2, (r.Y + strip[vec.Group]) / 2, (r.Z + strip[2*vec.Group]) / 2}}
	if even && p.short.on {
		share := 0.0
		if tied {
			share = p.evenly
		}
		p.drawShort(&v, rows, strip, t.factor, share)
		rows = nil
	}
	for _, i := range rows {
		if p.crew.halt() {
			return
		}
		p.set(&r, i, t.factor)
		if r.FX, r.FY, r.FZ = 0, 0, 0; even {
			if tied {
				r.A += r.U * p.evenly
			}
			r.Draw(strip)
		} else {
			r.Pull(strip)
		}
		v.add(r.X, r.Y, r.Z, r.FX, r.FY, r.FZ)
		f := p.out.x[3*i : 3*i+3 : 3*i+3]
		f[0], f[1], f[2] = f[0]+r.FX, f[1]+r.FY, f[2]+r.FZ
	}
	for g := range len(strip) / vec.GroupLen {
		c := (*[vec.GroupLen]float64)(strip[g*vec.GroupLen:])
		const n = vec.Group
		for k := range n {
			v.add(c[k], c[n+k], c[2*n+k], -c[5*n+k], -c[6*n+k], -c[7*n+k])
		}
		for k, f := range before[g] {
			c[5*n+k] += f
		}
	}
	t.part[part][0] += v.sum
	t.part[part][1] += v.size
}

// virial is the sum of places against forces, about o.
type virial struct {
	o         [3]float64
	sum, size float64
}

func (v *virial) add(x, y, z, fx, fy, fz float64) {
	a, b, c := (x-v.o[0])*fx, (y-v.o[1])*fy, (z-v.o[2])*fz
	v.sum += a + b + c
	v.size += math.Abs(a) + math.Abs(b) + math.Abs(c)
}

package cpu

import "math"

// lattice is a common lattice of the points that the far sums are about: grids,
// voxels, rounded coordinates. On it the sums over all pairs are convolutions,
// which Fourier transforms compute in N log N steps.
type lattice struct {
	step   [3]float64 // by axis
	ox, oy [3]float64 // a point of x and one of y is its origin plus whole steps
	nx, ny [3]int     // steps and one more
	box    *box       // large enough that nothing comes round from the other end
}

// mostCells bounds a lattice along one axis; coordinates beyond are taken for
// none.
const mostCells = 1 << 12

// transforms is how many transforms a convolve takes, and cellBytes its memory a
// cell of the box: four arrays.
const (
	transforms = 13
	cellBytes  = 4 * 16
)

// latticeOf finds the lattice, or returns nil.
func latticeOf(x, y *side, rows, place []int32) *lattice {
	l := &lattice{}
	var size [3]int
	for a := range 3 {
		var low, high [2]float64
		var first [2]bool
		each := func(f func(k int, v float64) bool) bool {
			for _, i := range rows {
				if !f(0, float64(x.x[3*int(i)+a])) {
					return false
				}
			}
			for j, at := range place {
				if at >= 0 && !f(1, float64(y.x[3*j+a])) {
					return false
				}
			}
			return true
		}
		each(func(k int, v float64) bool {
			if !first[k] {
				first[k], low[k], high[k] = true, v, v
			}
			low[k], high[k] = min(low[k], v), max(high[k], v)
			return true
		})
		step := 0.0
		most := func(k int) bool { return step == 0 || (high[k]-low[k])/step < mostCells }
		if !each(func(k int, v float64) bool {
			step = common(step, v-low[k])
			return low[k]+(v-low[k]) == v && most(k)
		}) || !most(0) || !most(1) { // a later point may have made the steps finer
			return nil
		}
		if step == 0 {
			step = 1
		}
		l.step[a], l.ox[a], l.oy[a] = step, low[0], low[1]
		l.nx[a], l.ny[a] = 1+int(math.Round((high[0]-low[0])/step)), 1+int(math.Round((high[1]-low[1])/step))
		size[a] = smooth(l.nx[a] + l.ny[a] - 1)
	}
	if float64(size[0])*float64(size[1])*float64(size[2]) > math.MaxInt32 {
		return nil
	}
	l.box = &box{size: size}
	return l
}

// common is the largest number of which step and d are multiples, exactly; step 0
// is a multiple of all.
func common(step, d float64) float64 {
	if step == 0 || d == 0 {
		return max(step, d)
	}
	if n := math.Round(d / step); float64(n*step) == d {
		return step
	}
	for d != 0 {
		step, d = d, math.Mod(step, d)
	}
	return step
}

// cheaper says that the transforms take less time than pairs one by one: a cell costs
// about two pairs for each halving of the box.
func (l *lattice) cheaper(pairs float64) bool {
	cells := float64(l.box.cells())
	return 2*transforms*cells*math.Log2(cells) < pairs
}

// cell is the place in the box of a point.
func (l *lattice) cell(p []float32, origin *[3]float64) int {
	at := 0
	for a, v := range p {
		at = at*l.box.size[a] + int(math.Round((float64(v)-origin[a])/l.step[a]))
	}
	return at
}

// kernel fills k with the function of the displacement x − y that which names: its
// length, or a coordinate divided by the length, at least floor.
func (l *lattice) kernel(k []complex128, which int, scale, floor float64) {
	clear(k)
	var d [3]float64
	size := l.box.size
	at := func(a, n int) int { // n-th displacement of axis a
		n -= l.ny[a] - 1
		d[a] = (l.ox[a] - l.oy[a] + float64(n)*l.step[a]) * scale
		return (n + size[a]) % size[a]
	}
	for i := range l.nx[0] + l.ny[0] - 1 {
		p := at(0, i)
		for j := range l.nx[1] + l.ny[1] - 1 {
			q := p*size[1] + at(1, j)
			for m := range l.nx[2] + l.ny[2] - 1 {
				r := q*size[2] + at(2, m)
				s := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
				if which > 0 && s > 0 {
					s = d[which-1] / max(s, floor)
				}
				k[r] = complex(s, 0)
			}
		}
	}
}

// sources are two weights at every point of one side, as one array of complex
// numbers; second is what the imaginary part is to be multiplied by, 0 where it is
// only rounding.
type sources struct {
	z      []complex128
	second float64
}

// sourcesOf are the sources of the points of one side: what meets the other side's
// terms, and what brings its own.
func (l *lattice) sourcesOf(points []pulled, c *crew) (sources, error) {
	s := sources{z: make([]complex128, l.box.cells())}
	var largest [2]float64
	for _, q := range points {
		largest[0], largest[1] = max(largest[0], q.weight), max(largest[1], q.weight*q.term)
	}
	if largest[1] > 0 { // both of one size, so that neither drowns in the other's rounding
		_, e := math.Frexp(largest[1] / largest[0])
		s.second = math.Ldexp(1, e)
	}
	for _, q := range points {
		if s.second == 0 {
			s.z[q.cell] += complex(q.half*q.weight, 0)
		} else {
			s.z[q.cell] += complex(q.half*q.weight, q.weight*q.term/s.second)
		}
	}
	return s, l.box.transform(s.z, false, c)
}

// pulled is a point of one side as a convolution sees it.
type pulled struct {
	index  int     // of the point
	cell   int     // in the box
	weight float64 // scaling times multiplicity
	term   float64 // its rank-one term
	half   float64 // what a pair with a tied point has of each side's term
}

// pulled lists the points of a side that take part.
func (l *lattice) pulled(s *side, index []int32, u, terms []float64, origin *[3]float64, byCount bool) []pulled {
	all := make([]pulled, len(index))
	for k, i := range index {
		p := pulled{index: int(i), cell: l.cell(s.row(int(i)), origin), weight: u[i], half: 1}
		if terms != nil {
			p.term = terms[i]
		}
		if byCount && p.term != 0 {
			p.half = 0.5
		}
		all[k] = p
	}
	return all
}

// convolve makes the far sums by Fourier transforms.
func (p *puller) convolve(l *lattice) error {
	l.box = newBox(l.box.size)
	var cols []int32
	for j, at := range p.place {
		if at >= 0 {
			cols = append(cols, int32(j))
		}
	}
	x := l.pulled(p.x, p.rows, p.u, p.ties.alpha, &l.ox, p.ties.byCount)
	for k := range x {
		x[k].weight *= p.x.times(x[k].index)
	}
	y := l.pulled(p.y, cols, p.w, p.ties.beta, &l.oy, p.ties.byCount)
	fromX, err := l.sourcesOf(x, p.crew)
	if err != nil {
		return err
	}
	fromY, err := l.sourcesOf(y, p.crew)
	if err != nil {
		return err
	}
	kernel, work := make([]complex128, l.box.cells()), make([]complex128, l.box.cells())
	for which := range 4 {
		l.kernel(kernel, which, p.scale, p.floor)
		if err := l.box.transform(kernel, false, p.crew); err != nil {
			return err
		}
		if err := fromY.spread(work, kernel, l.box, p.crew); err != nil {
			return err
		}
		for _, q := range x {
			if v := fromY.at(work, q); which == 0 {
				p.out.cost += v
			} else {
				p.out.x[3*q.index+which-1] = v
			}
		}
		if which == 0 {
			continue
		}
		for k, v := range kernel { // of y − x: the kernel is real
			kernel[k] = complex(real(v), -imag(v))
		}
		if err := fromX.spread(work, kernel, l.box, p.crew); err != nil {
			return err
		}
		for _, q := range y {
			p.out.y[3*q.index+which-1] = -fromX.at(work, q)
		}
	}
	return nil
}

// spread makes the convolution of the sources with a kernel in work, times cells.
func (s sources) spread(work, kernel []complex128, b *box, c *crew) error {
	for k, v := range kernel {
		work[k] = s.z[k] * v
	}
	return b.transform(work, true, c)
}

// at is what the sources give to a point of the other side.
func (s sources) at(sum []complex128, q pulled) float64 {
	v := sum[q.cell]
	return q.weight * (q.term*real(v) + q.half*imag(v)*s.second) / float64(len(sum))
}

package cloud

import (
	"fmt"
	"math"
)

// Sub returns the points of index in that order, with their weights and
// attributes. An index may come more than once. Where c has uniform weights,
// the result has too.
func (c Cloud) Sub(index []int) (Cloud, error) {
	const op = "cloud.Sub"
	if err := c.shape(op); err != nil {
		return Cloud{}, err
	}
	for at, i := range index {
		if i < 0 || i >= c.N {
			return Cloud{}, shapeError(op, fmt.Sprintf("index %d at %d is not in 0 to %d", i, at, c.N-1))
		}
	}
	return c.pick(index), nil
}

// pick is Sub for indices that are right.
func (c Cloud) pick(index []int) Cloud {
	out := Cloud{N: len(index), D: c.D, X: make([]float32, 0, len(index)*c.D)}
	for _, i := range index {
		out.X = append(out.X, c.row(i)...)
	}
	if c.W != nil {
		out.W = make([]float64, len(index))
		for at, i := range index {
			out.W[at] = c.W[i]
		}
	}
	for name, v := range c.Attr {
		if out.Attr == nil {
			out.Attr = make(map[string][]float32, len(c.Attr))
		}
		col := make([]float32, len(index))
		for at, i := range index {
			col[at] = v[i]
		}
		out.Attr[name] = col
	}
	return out
}

// Concat puts clouds of one dimension behind each other. If all have uniform
// weights the result has too; else each keeps its weights, a cloud without any
// gives its points 1/N each. Of the attributes those stay that every cloud has.
func Concat(clouds ...Cloud) (Cloud, error) {
	b, err := Join(clouds...)
	if err != nil {
		e := *err.(*Error)
		e.Op = "cloud.Concat"
		return Cloud{}, &e
	}
	out := Cloud{N: b.Off[b.Len()], D: b.D, X: b.X, W: b.W}
names:
	for name := range clouds[0].Attr {
		col := make([]float32, 0, out.N)
		for _, c := range clouds {
			v, ok := c.Attr[name]
			if !ok {
				continue names
			}
			col = append(col, v...)
		}
		if out.Attr == nil {
			out.Attr = map[string][]float32{}
		}
		out.Attr[name] = col
	}
	return out, nil
}

// Dedup merges points that are equal in every coordinate, −0 as 0, and returns
// the points that stay, in the order in which each came first, with the
// multiplicity of each: how many points of c it stands for. The weight of a
// merged point is the sum of its points' weights; where c has uniform weights
// the result has W nil only if nothing was merged. Attributes are those of the
// first. Cost: O(N·D).
func (c Cloud) Dedup() (Cloud, []int, error) {
	if err := c.shape("cloud.Dedup"); err != nil {
		return Cloud{}, nil, err
	}
	first, mult, rank := groups(c.N, func(i int) uint64 {
		h := uint64(hashSeed)
		for _, v := range c.row(i) {
			h = mix(h, uint64(bits(v)))
		}
		return h
	}, func(i, j int) bool { return same(c.row(i), c.row(j)) })
	if len(first) == c.N {
		return c.Clone(), mult, nil
	}
	out := c.pick(first)
	out.W = c.merged(mult, rank)
	return out, mult, nil
}

// merged returns the mass of each group: its number of points over N where c has
// uniform weights.
func (c Cloud) merged(mult, rank []int) []float64 {
	w := make([]float64, len(mult))
	for g, m := range mult {
		if c.W == nil {
			w[g] = float64(m) / float64(c.N)
		}
	}
	for i, v := range c.W {
		w[rank[i]] += v
	}
	return w
}

// groups sorts n things into groups of equal ones by an open hash table: the
// first of each group, its size, and for every thing its group.
func groups(n int, hash func(i int) uint64, same func(i, j int) bool) (first, mult, rank []int) {
	size := 4
	for size < 2*n {
		size *= 2
	}
	slot := make([]uint32, size) // group + 1, zero: free
	rank = make([]int, n)
	for i := range n {
		h := hash(i) & uint64(size-1)
		for slot[h] != 0 && !same(i, first[slot[h]-1]) {
			h = (h + 1) & uint64(size-1)
		}
		if slot[h] == 0 {
			first, mult = append(first, i), append(mult, 0)
			slot[h] = uint32(len(first))
		}
		rank[i] = int(slot[h] - 1)
		mult[rank[i]]++
	}
	return first, mult, rank
}

const hashSeed = 0x9E3779B97F4A7C15

// mix takes a number into a hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0xBF58476D1CE4E5B9
	return h ^ h>>29
}

func bits(v float32) uint32 {
	if v == 0 {
		return 0
	}
	return math.Float32bits(v)
}

func same(p, q []float32) bool {
	for k := range p {
		if bits(p[k]) != bits(q[k]) {
			return false
		}
	}
	return true
}

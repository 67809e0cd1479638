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
	first, mult, rank := groups(c)
	if len(first) == c.N {
		return c.Clone(), mult, nil
	}
	out := c.pick(first)
	out.W = make([]float64, out.N)
	if c.W == nil {
		for i, m := range mult {
			out.W[i] = float64(m) / float64(c.N)
		}
		return out, mult, nil
	}
	for i, w := range c.W {
		out.W[rank[i]] += w
	}
	return out, mult, nil
}

// groups finds equal points by an open hash table of coordinate bits: the first
// index of each group, its size, and for every point its group.
func groups(c Cloud) (first, mult, rank []int) {
	size := 4
	for size < 2*c.N {
		size *= 2
	}
	slot := make([]int32, size) // group + 1, zero: free
	rank = make([]int, c.N)
	for i := range c.N {
		h := hash(c.row(i)) & uint64(size-1)
		for slot[h] != 0 && !same(c.row(i), c.row(first[slot[h]-1])) {
			h = (h + 1) & uint64(size-1)
		}
		if slot[h] == 0 {
			first, mult = append(first, i), append(mult, 0)
			slot[h] = int32(len(first))
		}
		rank[i] = int(slot[h] - 1)
		mult[rank[i]]++
	}
	return first, mult, rank
}

func bits(v float32) uint32 {
	if v == 0 {
		return 0
	}
	return math.Float32bits(v)
}

func hash(p []float32) uint64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, v := range p {
		h = (h ^ uint64(bits(v))) * 0xBF58476D1CE4E5B9
		h ^= h >> 29
	}
	return h
}

func same(p, q []float32) bool {
	for k := range p {
		if bits(p[k]) != bits(q[k]) {
			return false
		}
	}
	return true
}

package cloud

import (
	"fmt"
	"math"
	"slices"
)

// Stride returns every step-th point, the first one among them, with weights and
// attributes as Sub does. A step below 1 is ErrOption. Cost: O(N·D/step).
func (c Cloud) Stride(step int) (Cloud, error) {
	const op = "cloud.Stride"
	if step < 1 {
		return Cloud{}, optionError(op, "step", step, "from 1 on")
	}
	if err := c.shape(op); err != nil {
		return Cloud{}, err
	}
	index := make([]int, 0, (c.N-1)/step+1)
	for i := 0; i < c.N; {
		index = append(index, i)
		if step > c.N-i { // else i + step might pass the largest int
			break
		}
		i += step
	}
	return c.pick(index), nil
}

// Voxel gathers the points in cubes of the given side, a length, and returns a
// point for each cube that holds any: the mean of its points by weight, in the
// order in which each cube was first met, with the number of points it stands
// for. The cubes stand on the whole multiples of side, so that two clouds in one
// unit share them.
//
// Weights add up as in Dedup: where c has uniform weights the result has W nil
// only if every cube holds one point. Attributes are means too, which is right
// for colours and intensities, makes normals shorter and has no meaning for
// labels. Where all weights of a cube are zero its mean is the plain one.
//
// Errors: ErrOption for a side that is not a finite length above zero, or so
// small that a coordinate divided by it is infinite; those of Validate.
// Cost: O(N·D) time and memory; 0.2 to 0.6 s for a million points (CPU time,
// x86-64).
func (c Cloud) Voxel(side float64) (Cloud, []int, error) {
	const op = "cloud.Voxel"
	if !(side > 0) || math.IsInf(side, 1) {
		return Cloud{}, nil, optionError(op, "side", side, "a finite length above zero")
	}
	if err := c.validate(op); err != nil {
		return Cloud{}, nil, err
	}
	cubes := make([]float64, len(c.X))
	for at, v := range c.X {
		cubes[at] = math.Floor(float64(v)/side) + 0 // −0 becomes 0
		if math.IsInf(cubes[at], 0) {
			return Cloud{}, nil, optionError(op, "side", side, fmt.Sprintf("a length that is not nothing beside %g", v))
		}
	}
	cube := func(i int) []float64 { return cubes[i*c.D : (i+1)*c.D] }
	first, mult, rank := groups(c.N, func(i int) uint64 {
		h := uint64(hashSeed)
		for _, v := range cube(i) {
			h = mix(h, math.Float64bits(v))
		}
		return h
	}, func(i, j int) bool { return slices.Equal(cube(i), cube(j)) })
	if len(first) == c.N {
		return c.Clone(), mult, nil
	}
	out := Cloud{N: len(first), D: c.D}
	share := c.shares(mult, rank)
	out.W = c.merged(mult, rank)
	out.X = means(c.X, c.D, rank, share, out.N)
	for name, v := range c.Attr {
		if out.Attr == nil {
			out.Attr = make(map[string][]float32, len(c.Attr))
		}
		out.Attr[name] = means(v, 1, rank, share, out.N)
	}
	return out, mult, nil
}

// shares returns what each point contributes to the mean of its group.
func (c Cloud) shares(mult, rank []int) []float64 {
	mass := c.merged(mult, rank)
	share := make([]float64, len(rank))
	for i, g := range rank {
		switch {
		case c.W != nil && mass[g] > 0:
			share[i] = c.W[i] / mass[g]
		default:
			share[i] = 1 / float64(mult[g])
		}
	}
	return share
}

// means returns the means of rows of d numbers over n groups, summed in float64
// in the order of the rows.
func means(x []float32, d int, rank []int, share []float64, n int) []float32 {
	sum := make([]float64, n*d)
	for i, g := range rank {
		for k := range d {
			sum[g*d+k] += float64(share[i] * float64(x[i*d+k]))
		}
	}
	out := make([]float32, n*d)
	for at, v := range sum {
		out[at] = float32(v)
	}
	return out
}

// FarthestPoints returns k points that cover c evenly, and their indices: the
// first is point 0, each other is the one whose nearest chosen point is farthest
// away, the lowest index of several. Weights and attributes are kept as Sub does;
// equal points are chosen only when no others are left.
//
// Errors: ErrOption for a k that is not in 1 to N; those of Validate.
// Cost: O(N log N) for a tree over the points, and for each chosen point only the
// part of the tree that lies nearer to it than to those before; O(N·D) memory. A
// million points of a sphere take about 1 s for k = 1,000 and below 2 s for
// k = 100,000 (CPU time, x86-64); k passes over all points take 19 s and half an
// hour.
func (c Cloud) FarthestPoints(k int) (Cloud, []int, error) {
	const op = "cloud.FarthestPoints"
	if err := c.validate(op); err != nil {
		return Cloud{}, nil, err
	}
	if k < 1 || k > c.N {
		return Cloud{}, nil, optionError(op, "k", k, fmt.Sprintf("from 1 to %d", c.N))
	}
	if c.N > math.MaxInt32 {
		return Cloud{}, nil, &Error{Op: op, Err: fmt.Errorf("%w: %d points, %d allowed", ErrLimit, c.N, math.MaxInt32),
			Advice: "take every second point by Stride first"}
	}
	t := newCover(c)
	index := make([]int, k)
	for at := range index {
		if at > 0 {
			index[at] = int(t.nodes[0].far)
		}
		t.take(c, index[at])
	}
	return c.pick(index), index, nil
}

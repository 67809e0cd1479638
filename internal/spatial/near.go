package spatial

import "math"

// depth is more than the levels of any tree: 2^31 points in leaves of 6 and more.
const depth = 32

// step is a node that waits in a walk with the squared distance of its plane.
type step struct {
	node int32
	off  float32
}

// Two returns the squared float64 distances of q, three coordinates, to the
// nearest and the second nearest point of the tree, and the nearest one's
// place in leaf order. With a single point the second is +Inf.
//
// A float32 distance decides only what is looked at: every point within the
// slack of the second nearest is measured again in float64.
func (t *Tree) Two(q []float32) (first int32, d1, d2 float64) {
	x, y, z := q[0], q[1], q[2]
	fx, fy, fz := float64(x), float64(y), float64(z)
	d1, d2 = math.Inf(1), math.Inf(1)
	bound := float32(math.Inf(1))
	var stack [depth]step
	stack[0] = step{1, 0}
	for top := 1; top > 0; {
		top--
		if stack[top].off > bound {
			continue
		}
		node := int(stack[top].node)
		for node < t.leaves {
			s := q[t.axis[node]] - t.split[node]
			node *= 2
			far := node + 1
			if s >= 0 {
				node, far = far, node
			}
			if s*s <= bound {
				stack[top] = step{int32(far), s * s}
				top++
			}
		}
		l := node - t.leaves
		if t.boxDistance(l, x, y, z) > bound {
			continue
		}
		lo, hi := int(t.start[l]), int(t.start[l+1])
		p := t.X[3*lo : 3*hi]
		for i := 0; i+2 < len(p); i += 3 {
			dx, dy, dz := p[i]-x, p[i+1]-y, p[i+2]-z
			if dx*dx+dy*dy+dz*dz > bound {
				continue
			}
			ex, ey, ez := float64(p[i])-fx, float64(p[i+1])-fy, float64(p[i+2])-fz
			switch d := float64(ex*ex) + float64(ey*ey) + float64(ez*ez); {
			case d < d1:
				first, d1, d2 = int32(lo+i/3), d, d1
				bound = Widen(d2)
			case d < d2:
				d2 = d
				bound = Widen(d2)
			}
		}
	}
	return first, d1, d2
}

// Nearest returns the place in leaf order of the point nearest to q and its
// squared float64 distance. Of several at the same distance it is the one with
// the lowest ID. guess is a place that is perhaps near, as the answer to the
// last question is where questions come in order, or −1.
func (t *Tree) Nearest(q []float32, guess int32) (int32, float64) {
	x, y, z := q[0], q[1], q[2]
	fx, fy, fz := float64(x), float64(y), float64(z)
	best, at := math.Inf(1), guess
	if guess >= 0 {
		best = SquaredDistance(t.X[3*guess:3*guess+3], q[:3])
	}
	bound := Widen(best)
	var stack [depth]step
	stack[0] = step{1, 0}
	for top := 1; top > 0; {
		top--
		if stack[top].off > bound {
			continue
		}
		node := int(stack[top].node)
		for node < t.leaves {
			s := q[t.axis[node]] - t.split[node]
			node *= 2
			far := node + 1
			if s >= 0 {
				node, far = far, node
			}
			if s*s <= bound {
				stack[top] = step{int32(far), s * s}
				top++
			}
		}
		l := node - t.leaves
		if t.boxDistance(l, x, y, z) > bound {
			continue
		}
		lo, hi := int(t.start[l]), int(t.start[l+1])
		p := t.X[3*lo : 3*hi]
		for i := 0; i+2 < len(p); i += 3 {
			dx, dy, dz := p[i]-x, p[i+1]-y, p[i+2]-z
			if dx*dx+dy*dy+dz*dz > bound {
				continue
			}
			ex, ey, ez := float64(p[i])-fx, float64(p[i+1])-fy, float64(p[i+2])-fz
			d := float64(ex*ex) + float64(ey*ey) + float64(ez*ez)
			k := int32(lo + i/3)
			if d < best || d == best && t.ID[k] < t.ID[at] {
				best, at, bound = d, k, Widen(d)
			}
		}
	}
	return at, best
}

// Ball appends to out the places, ascending, of every point whose squared
// float64 distance from q is at most r2, and of some that lie a millionth
// further out: the caller tests again. r2 may be +Inf.
func (t *Tree) Ball(q []float32, r2 float64, out []int32) []int32 {
	x, y, z := q[0], q[1], q[2]
	bound := Widen(r2)
	var stack [depth]int32
	stack[0] = 1
	for top := 1; top > 0; {
		top--
		node := int(stack[top])
		for node < t.leaves { // the left half first, so that the answer ascends
			s := q[t.axis[node]] - t.split[node]
			node *= 2
			switch {
			case s*s <= bound:
				stack[top] = int32(node + 1)
				top++
			case s > 0:
				node++
			}
		}
		l := node - t.leaves
		if t.boxDistance(l, x, y, z) > bound {
			continue
		}
		lo, hi := int(t.start[l]), int(t.start[l+1])
		for len(out)+leafSize > cap(out) {
			out = append(out[:cap(out)], 0)[:len(out)]
		}
		k := len(out)
		out = out[:k+leafSize]
		p := t.X[3*lo : 3*hi]
		for i := 0; i+2 < len(p); i += 3 {
			dx, dy, dz := p[i]-x, p[i+1]-y, p[i+2]-z
			out[k] = int32(lo + i/3)
			if dx*dx+dy*dy+dz*dz <= bound {
				k++
			}
		}
		out = out[:k]
	}
	return out
}

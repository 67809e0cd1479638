package cpu

import (
	"math"
	"math/bits"

	"github.com/gondola-lab/gondola/internal/spatial"
	"github.com/gondola-lab/gondola/internal/vec"
)

// boxes are the boxes of a tree's leaves, those about vec.Boxes leaves each, those
// about as many of these, and so on, in the groups that vec compares at once. Some
// tens of leaves are found so in less time than a walk from the root takes.
type boxes struct {
	levels []boxLevel // that of the leaves first; the last has vec.Boxes boxes at most
}

// bytes is the memory of the boxes.
func (b *boxes) bytes() (n int64) {
	for _, l := range b.levels {
		n += 4 * int64(len(l.box))
	}
	return n
}

type boxLevel struct {
	n   int
	box []float32
}

// newBoxes makes the boxes of t. Memory: 24 bytes a leaf, and a little.
func newBoxes(t *spatial.Tree) *boxes {
	b := &boxes{}
	last := newBoxLevel(t.Leaves())
	for l := range last.n {
		last.set(l, t.Box(l))
	}
	b.levels = append(b.levels, last)
	for last.n > vec.Boxes {
		next := newBoxLevel((last.n + vec.Boxes - 1) / vec.Boxes)
		for k := range next.n {
			about := last.get(k * vec.Boxes)
			for l := k*vec.Boxes + 1; l < min((k+1)*vec.Boxes, last.n); l++ {
				more := last.get(l)
				for c := range 3 {
					about[c], about[c+3] = min(about[c], more[c]), max(about[c+3], more[c+3])
				}
			}
			next.set(k, &about)
		}
		b.levels = append(b.levels, next)
		last = next
	}
	return b
}

func newBoxLevel(n int) boxLevel {
	return boxLevel{n: n, box: make([]float32, (n+vec.Eight-1)/vec.Eight*vec.BoxLen)}
}

func (l *boxLevel) set(k int, box *[6]float32) { setBox(l.box, k, box) }

// setBox makes box number k of groups.
func setBox(groups []float32, k int, box *[6]float32) {
	at := groups[k/vec.Eight*vec.BoxLen+k%vec.Eight:]
	for c, v := range box {
		at[c*vec.Eight] = v
	}
}

func (l *boxLevel) get(k int) (box [6]float32) {
	at := l.box[k/vec.Eight*vec.BoxLen+k%vec.Eight:]
	for c := range box {
		box[c] = at[c*vec.Eight]
	}
	return box
}

// noBounds are the bounds of boxes that have none of their own.
var noBounds [vec.Boxes]float32

// around appends to out the leaves, ascending, within the squared distance bound of a
// box, or within their own of own, which may be nil. It gives up with false when they
// are more than most.
func (b *boxes) around(box *[6]float32, bound float32, own bounds, out []int32, most int) ([]int32, bool) {
	return b.below(len(b.levels)-1, 0, box, bound, own, out, most)
}

// below is around for the boxes of a level about which stands one box of the next.
func (b *boxes) below(
	level, block int, box *[6]float32, bound float32, own bounds, out []int32, most int,
) ([]int32, bool) {
	from := block * vec.Boxes
	l := &b.levels[level]
	at := noBounds[:]
	if own != nil {
		at = own[level][from:]
	}
	mask := vec.BoxesNear(box, l.box[from*6:], at, min(l.n-from, vec.Boxes), bound)
	if level == 0 {
		if len(out)+bits.OnesCount64(mask) > most {
			return out, false
		}
		for ; mask != 0; mask &= mask - 1 {
			out = append(out, int32(from+bits.TrailingZeros64(mask)))
		}
		return out, true
	}
	ok := true
	for ; mask != 0 && ok; mask &= mask - 1 {
		out, ok = b.below(level-1, from+bits.TrailingZeros64(mask), box, bound, own, out, most)
	}
	return out, ok
}

// bounds are bounds that boxes have of their own, by level and box; each is the largest
// of those below it.
type bounds [][]float32

// newBounds makes the bounds of leaves from those of the points of t, by place.
func (b *boxes) newBounds(t *spatial.Tree, own []float32) bounds {
	all := make(bounds, len(b.levels))
	for k := range b.levels {
		n := b.levels[k].n
		all[k] = make([]float32, (n+vec.Eight-1)/vec.Eight*vec.Eight)
		for l := range n {
			var of []float32
			if k == 0 {
				lo, hi := t.Leaf(l)
				of = own[lo:hi]
			} else {
				of = all[k-1][l*vec.Boxes : min((l+1)*vec.Boxes, b.levels[k-1].n)]
			}
			most := float32(math.Inf(-1))
			for _, v := range of {
				if v > most {
					most = v
				}
			}
			all[k][l] = most
		}
	}
	return all
}

package spatial

import "math"

// Groups are the classes of equal points of a cloud.
type Groups struct {
	First []int32 // by class: the lowest index of its points; ascending
	Mult  []int32 // by class: how many points it has; nil if every class has one
	Next  []int32 // by point: the next point of its class, or −1; nil if every class has one
}

// Dedup groups the rows of x, d coordinates each and none of them −0, by their
// bits, and by their weights where w is given. keep lists the rows that count,
// ascending; nil means all. It asks halt, which may be nil, now and then;
// after a yes the groups are of no use. Cost: O(n) time, up to 16 bytes a row
// while it runs.
func Dedup(x []float32, d int, w []float64, keep []int32, halt func() bool) Groups {
	n := len(x) / d
	count := n
	if keep != nil {
		count = len(keep)
	}
	size := 4
	for size < 2*count {
		size *= 2
	}
	table := make([]int32, size) // class + 1
	g := Groups{First: make([]int32, 0, count)}
	var last []int32 // by class: its last point so far
	for k := range count {
		if k%askPoints == 0 && halt != nil && halt() {
			break
		}
		i := k
		if keep != nil {
			i = int(keep[k])
		}
		row := x[i*d : i*d+d]
		h := hash(row)
		if w != nil {
			h = mix(h ^ math.Float64bits(w[i]))
		}
		at := int(h) & (size - 1)
		for {
			c := table[at] - 1
			if c < 0 {
				g.First = append(g.First, int32(i))
				table[at] = int32(len(g.First))
				if g.Mult != nil {
					g.Mult, last = append(g.Mult, 1), append(last, int32(i))
				}
				break
			}
			if f := int(g.First[c]); equal(row, x[f*d:f*d+d]) && (w == nil || w[f] == w[i]) {
				if g.Mult == nil {
					last = g.start(n)
				}
				g.Mult[c]++
				g.Next[last[c]], last[c] = int32(i), int32(i)
				break
			}
			at = (at + 1) & (size - 1)
		}
	}
	return g
}

// start makes Mult and Next at the first pair of equal points, and returns the
// last point of each class.
func (g *Groups) start(n int) []int32 {
	g.Mult = make([]int32, len(g.First))
	for c := range g.Mult {
		g.Mult[c] = 1
	}
	g.Next = make([]int32, n)
	for i := range g.Next {
		g.Next[i] = -1
	}
	return append([]int32(nil), g.First...)
}

func equal(p, q []float32) bool {
	for k, v := range p {
		if v != q[k] {
			return false
		}
	}
	return true
}

func hash(row []float32) uint64 {
	if len(row) == 3 {
		h := uint64(math.Float32bits(row[0])) | uint64(math.Float32bits(row[1]))<<32
		h *= 0xbf58476d1ce4e5b9
		h = (h ^ h>>32 ^ uint64(math.Float32bits(row[2]))) * 0x94d049bb133111eb
		return h ^ h>>32
	}
	h := uint64(len(row))
	for _, v := range row {
		h = mix(h ^ uint64(math.Float32bits(v)))
	}
	return h
}

// mix is the finaliser of splitmix64: every bit of h moves every bit of it.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

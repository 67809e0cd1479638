//go:build !amd64 || noasm

package vec

const fast = false

func pull(r *Row, cols []float64) { pullPlain(r, cols) }

func within(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32) int {
	return withinPlain(q, x, spans, mask, bound, out)
}

func least(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64) (first, second float32) {
	return leastPlain(q, x, spans, mask)
}

func boxesWithin(q *[3]float32, boxes *[6 * Boxes]float32, groups int, bound float32) uint64 {
	return boxesPlain(q, boxes, groups, bound)
}

func lines[V Number](dst []float64, ptr []int64, idx []int32, val []V, w []float64, factor float64) {
	linesPlain(dst, ptr, idx, val, w, factor)
}

func exp(v []float64) { expPlain(v) }

func distances(q *[3]float32, x []float32, idx []int32, dst []float64, unit float64) {
	distancesPlain(q, x, idx, dst, unit)
}

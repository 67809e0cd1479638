//go:build !amd64 || noasm

package vec

import "math"

const fast, fast512 = false, false

func pull(r *Row, cols []float64) { pullPlain(r, cols) }

func draw(r *Row, cols []float64) { drawPlain(r, cols) }

func draw32(r *Row32, cols []float32) { draw32Plain(r, cols) }

func within(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32) int {
	return withinPlain(q, x, spans, mask, bound, out)
}

func least(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64) (first, second float32) {
	return leastPlain(q, x, spans, mask)
}

func either(
	q *[3]float32, x, own []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32,
) int {
	return eitherPlain(q, x, own, spans, mask, bound, out)
}

func boxesNear(box *[6]float32, boxes, own []float32, groups int, bound float32) uint64 {
	return boxesPlain(box, boxes, own, groups, bound)
}

func lines[V Number](dst []float64, ptr []int64, idx []int32, val []V, w []float64, factor float64) {
	linesPlain(dst, ptr, idx, val, w, factor)
}

func exp(v []float64) { expPlain(v) }

func similar(p *Pair, idx []int32, d1, gap, a, b []float64) (rows, cols, none int) {
	return similarPlain(p, idx, d1, gap, a, b)
}

func distances(q *[3]float32, x []float32, idx []int32, dst []float64, unit float64) {
	distancesPlain(q, x, idx, dst, unit)
}

func squaresFast(_ []float64, _ *[3]float64, _, _, _ []float64) int { return 0 }

func biasFast(_, _ []float64, _ float64, _ bool) (int, float64) { return 0, math.Inf(-1) }

func expSumFast(_ []float64, _ float64) (int, float64) { return 0, 0 }

func powers32Fast(_ []float32, _ *[3]float64, _, _, _, _ []float64, _, _ float64, _ bool) (int, float64) {
	return 0, math.Inf(-1)
}

func powersFast(_, _ []float64, _ *[3]float64, _, _, _, _ []float64, _, _ float64) (int, float64) {
	return 0, math.Inf(-1)
}

func tripleFast(_, _, _ []float64) (int, float64) { return 0, 0 }

func dotsFast[V Number](_ *[4]float64, _ []V, _ int, _ []float64) int { return 0 }

func addsFast[V Number](_ []float64, _ []V, _ int, _ *[4]float64) int { return 0 }

func forces[V Number](
	q *[3]float32, x []float32, idx []int32, val []V, w []float64, floor float64, s *[5][4]float64,
) {
	forcesPlain(q, x, idx, val, w, floor, s)
}

func spread(dst []float64, ptr []int64, idx []int32, val, w []float64) {
	spreadPlain(dst, ptr, idx, val, w)
}

func exchange(
	q *[3]float32, x []float32, idx []int32, val, w []float64, u, floor float64, back []float64, s *[5][4]float64,
) {
	exchangePlain(q, x, idx, val, w, u, floor, back, s)
}

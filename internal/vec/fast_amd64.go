//go:build !noasm

package vec

// fast and fast512 are set once, before main.
var fast, fast512 = features()

// features says whether the processor has AVX2, FMA, BMI1, BMI2 and POPCNT, and AVX-512
// F besides, and the system saves their registers.
func features() (avx2, avx512 bool) {
	const (
		fma, popcnt, osxsave, avx = 1 << 12, 1 << 23, 1 << 27, 1 << 28
		bmi1, two, bmi2, f512     = 1 << 3, 1 << 5, 1 << 8, 1 << 16
		one, seven                = fma | popcnt | osxsave | avx, bmi1 | two | bmi2
		ymm, zmm                  = 0x6, 0xe6
	)
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false, false
	}
	_, _, c, _ := cpuid(1, 0)
	if c&one != one {
		return false, false
	}
	saved := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	avx2 = b&seven == seven && saved&ymm == ymm
	return avx2, avx2 && b&f512 != 0 && saved&zmm == zmm
}

func pull(r *Row, cols []float64) {
	if fast512 {
		pullAVX512(&r.X, &cols[0], len(cols)/GroupLen)
		return
	}
	if fast {
		pullAVX2(&r.X, &cols[0], len(cols)/GroupLen)
		return
	}
	pullPlain(r, cols)
}

func draw(r *Row, cols []float64) {
	if fast512 {
		drawAVX512(&r.X, &cols[0], len(cols)/GroupLen)
		return
	}
	if fast {
		drawAVX2(&r.X, &cols[0], len(cols)/GroupLen)
		return
	}
	drawPlain(r, cols)
}

func draw32(r *Row32, cols []float32) {
	if fast512 {
		draw32AVX512(&r.X, &cols[0], len(cols)/GroupLen32)
		return
	}
	draw32Plain(r, cols)
}

func within(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32) int {
	if fast {
		return withinAVX2(&q[0], &x[0], &spans[0], mask, bound, &out[0])
	}
	return withinPlain(q, x, spans, mask, bound, out)
}

func least(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64) (first, second float32) {
	if fast {
		return leastAVX2(&q[0], &x[0], &spans[0], mask)
	}
	return leastPlain(q, x, spans, mask)
}

func either(
	q *[3]float32, x, own []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32,
) int {
	if fast {
		return eitherAVX2(&q[0], &x[0], &own[0], &spans[0], mask, bound, &out[0])
	}
	return eitherPlain(q, x, own, spans, mask, bound, out)
}

func boxesNear(box *[6]float32, boxes, own []float32, groups int, bound float32) uint64 {
	if fast {
		return boxesAVX2(&box[0], &boxes[0], &own[0], groups, bound)
	}
	return boxesPlain(box, boxes, own, groups, bound)
}

func lines[V Number](dst []float64, ptr []int64, idx []int32, val []V, w []float64, factor float64) {
	if fast && len(idx) > 0 {
		switch v := any(val).(type) {
		case []float64:
			linesAVX2(&dst[0], &ptr[0], len(dst), &idx[0], &v[0], &w[0], factor)
			return
		case []float32:
			lines32AVX2(&dst[0], &ptr[0], len(dst), &idx[0], &v[0], &w[0], factor)
			return
		}
	}
	linesPlain(dst, ptr, idx, val, w, factor)
}

func exp(v []float64) {
	if fast {
		expAVX2(&v[0], len(v))
		return
	}
	expPlain(v)
}

func similar(p *Pair, idx []int32, d1, gap, a, b []float64) (rows, cols, none int) {
	if fast {
		return similarAVX2(&p.d1[0], &idx[0], len(idx), &d1[0], &gap[0], &a[0], &b[0])
	}
	return similarPlain(p, idx, d1, gap, a, b)
}

func distances(q *[3]float32, x []float32, idx []int32, dst []float64, unit float64) {
	if fast {
		distancesAVX2(&q[0], &x[0], &idx[0], &dst[0], len(idx), unit)
		return
	}
	distancesPlain(q, x, idx, dst, unit)
}

func forces[V Number](
	q *[3]float32, x []float32, idx []int32, val []V, w []float64, floor float64, s *[5][4]float64,
) {
	if fast {
		switch v := any(val).(type) {
		case []float64:
			forcesAVX2(&q[0], &x[0], &idx[0], &v[0], &w[0], len(idx), floor, &s[0][0])
			return
		case []float32:
			forces32AVX2(&q[0], &x[0], &idx[0], &v[0], &w[0], len(idx), floor, &s[0][0])
			return
		}
	}
	forcesPlain(q, x, idx, val, w, floor, s)
}

func spread(dst []float64, ptr []int64, idx []int32, val, w []float64) {
	if fast && len(idx) > 0 {
		spreadAVX2(&dst[0], &ptr[0], len(w), &idx[0], &val[0], &w[0])
		return
	}
	spreadPlain(dst, ptr, idx, val, w)
}

func exchange(
	q *[3]float32, x []float32, idx []int32, val, w []float64, u, floor float64, back []float64, s *[5][4]float64,
) {
	if fast {
		exchangeAVX2(&q[0], &x[0], &idx[0], &val[0], &w[0], len(idx), u, floor, &back[0], &s[0][0])
		return
	}
	exchangePlain(q, x, idx, val, w, u, floor, back, s)
}

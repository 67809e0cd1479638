//go:build !noasm

package vec

import "math"

// squaresFast does the fours, and returns how many numbers they are; the others
// below alike.
func squaresFast(dst []float64, p *[3]float64, x, y, z []float64) int {
	n := len(dst) &^ 3
	if !fast || n == 0 {
		return 0
	}
	squaresAVX2(&dst[0], &p[0], &x[0], &y[0], &z[0], n)
	return n
}

func biasFast(t, bias []float64, scale float64, root bool) (int, float64) {
	n := len(t) &^ 3
	switch {
	case !fast || n == 0:
		return 0, math.Inf(-1)
	case root:
		return n, biasRootAVX2(&t[0], &bias[0], scale, n)
	}
	return n, biasAVX2(&t[0], &bias[0], scale, n)
}

func expSumFast(v []float64, most float64) (int, float64) {
	n := len(v) &^ 3
	if !fast || n == 0 {
		return 0, 0
	}
	return n, expSumAVX2(&v[0], most, n)
}

func powers32Fast(dst []float32, p *[3]float64, x, y, z, bias []float64, scale, f float64, root bool) (int, float64) {
	n := len(dst) &^ 3
	switch {
	case !fast || n == 0:
		return 0, math.Inf(-1)
	case root:
		return n, powersRoot32AVX2(&dst[0], &p[0], &x[0], &y[0], &z[0], &bias[0], scale, f, n)
	}
	return n, powers32AVX2(&dst[0], &p[0], &x[0], &y[0], &z[0], &bias[0], scale, f, n)
}

func powersFast(dst, square []float64, p *[3]float64, x, y, z, bias []float64, scale, f float64) (int, float64) {
	n := len(dst) &^ 3
	if !fast || n == 0 {
		return 0, math.Inf(-1)
	}
	return n, powersAVX2(&dst[0], &square[0], &p[0], &x[0], &y[0], &z[0], &bias[0], scale, f, n)
}

func tripleFast(a, b, c []float64) (int, float64) {
	n := len(a) &^ 7
	if !fast || n == 0 {
		return 0, 0
	}
	return n, tripleAVX2(&a[0], &b[0], &c[0], n)
}

func dotsFast[V Number](dst *[4]float64, rows []V, m int, w []float64) int {
	n := m &^ 3
	if !fast || n == 0 {
		return 0
	}
	switch v := any(rows).(type) {
	case []float64:
		dotsAVX2(&dst[0], &v[0], m, &w[0], n)
	case []float32:
		dots32AVX2(&dst[0], &v[0], m, &w[0], n)
	}
	return n
}

func addsFast[V Number](dst []float64, rows []V, m int, z *[4]float64) int {
	n := m &^ 3
	if !fast || n == 0 {
		return 0
	}
	switch v := any(rows).(type) {
	case []float64:
		addsAVX2(&dst[0], &v[0], m, &z[0], n)
	case []float32:
		adds32AVX2(&dst[0], &v[0], m, &z[0], n)
	}
	return n
}

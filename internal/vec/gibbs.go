package vec

import "math"

// Squares sets dst[j] to the squared distance of p from the point whose
// coordinates are the j-th of each of cols.
//
// Cost: 0.4 ns a point by assembly, 1 in Go.
func Squares(dst []float64, p *[3]float64, cols *[3][]float64) {
	n := len(dst)
	x, y, z := cols[0][:n], cols[1][:n], cols[2][:n]
	k := squaresFast(dst, p, x, y, z)
	px, py, pz := p[0], p[1], p[2]
	for j := k; j < n; j++ {
		a, b, c := px-x[j], py-y[j], pz-z[j]
		dst[j] = float64(a*a) + float64(b*b) + float64(c*c)
	}
}

// Bias replaces every t_j by bias_j − scale t_j, of the root of t_j if root is
// set, and returns the largest.
//
// Cost: 0.4 ns a number by assembly, 1 in Go; with the root 1.5 and 4.
func Bias(t, bias []float64, scale float64, root bool) float64 {
	bias = bias[:len(t)]
	k, most := biasFast(t, bias, scale, root)
	for j := k; j < len(t); j++ {
		v := t[j]
		if root {
			v = math.Sqrt(v)
		}
		v = bias[j] - float64(scale*v)
		t[j] = v
		if v > most {
			most = v
		}
	}
	return most
}

// ExpSum replaces every number of v by exp(v_j − most), those below e^−745 by 0,
// and returns the sum; none is above most by more than 700. Its order depends on
// the length alone.
//
// Cost: that of Exp.
func ExpSum(v []float64, most float64) float64 {
	k, sum := expSumFast(v, most)
	rest := v[k:]
	for j := range rest {
		rest[j] -= most
	}
	if len(rest) < 4 { // the few behind the fours
		for j, t := range rest {
			rest[j] = math.Exp(t)
			sum += rest[j]
		}
		return sum
	}
	Exp(rest)
	var a, b, c, d float64
	j := 0
	for ; j+4 <= len(rest); j += 4 {
		a += rest[j]
		b += rest[j+1]
		c += rest[j+2]
		d += rest[j+3]
	}
	for ; j < len(rest); j++ {
		a += rest[j]
	}
	return sum + (a + b) + (c + d)
}

// Limits of the exponents of Powers32: what is below the first is 0, and what is above
// the second is cut there.
const (
	leastPower = -87
	mostPower  = 80
)

// Powers32 sets dst_j to the float32 of exp(bias_j + f − scale C), C the squared
// distance of p from the j-th point of cols, or its root if root is set, and returns the
// largest exponent: Squares, Bias and Exp to the digits of float32.
//
// Cost: 0.8 ns a number by assembly, 7 in Go.
func Powers32(dst []float32, p *[3]float64, cols *[3][]float64, bias []float64, scale, f float64, root bool) float64 {
	n := len(dst)
	x, y, z := cols[0][:n], cols[1][:n], cols[2][:n]
	bias = bias[:n]
	k, most := powers32Fast(dst, p, x, y, z, bias, scale, f, root)
	px, py, pz := p[0], p[1], p[2]
	for j := k; j < n; j++ {
		a, b, c := px-x[j], py-y[j], pz-z[j]
		v := float64(a*a) + float64(b*b) + float64(c*c)
		if root {
			v = math.Sqrt(v)
		}
		v = bias[j] + f - float64(scale*v)
		most = max(most, v)
		if dst[j] = 0; v >= leastPower {
			dst[j] = float32(math.Exp(min(v, mostPower)))
		}
	}
	return most
}

// Powers sets square to the squared distances of p from the points of cols and dst_j to
// exp(bias_j + f − scale square_j), to 14 digits and with the limits of Powers32, and
// returns the largest exponent.
//
// Cost: 1 ns a number by assembly, 7 in Go.
func Powers(dst, square []float64, p *[3]float64, cols *[3][]float64, bias []float64, scale, f float64) float64 {
	n := len(dst)
	x, y, z := cols[0][:n], cols[1][:n], cols[2][:n]
	bias, square = bias[:n], square[:n]
	k, most := powersFast(dst, square, p, x, y, z, bias, scale, f)
	px, py, pz := p[0], p[1], p[2]
	for j := k; j < n; j++ {
		a, b, c := px-x[j], py-y[j], pz-z[j]
		square[j] = float64(a*a) + float64(b*b) + float64(c*c)
		v := bias[j] + f - float64(scale*square[j])
		most = max(most, v)
		if dst[j] = 0; v >= leastPower {
			dst[j] = math.Exp(min(v, mostPower))
		}
	}
	return most
}

// Triple is Σ a b c of three lists of equal length. Its order depends on the length
// alone.
//
// Cost: 0.2 ns a number by assembly in the cache, 1 in Go.
func Triple(a, b, c []float64) float64 {
	b, c = b[:len(a)], c[:len(a)]
	k, sum := tripleFast(a, b, c)
	for j := k; j < len(a); j++ {
		sum += float64(float64(a[j]*b[j]) * c[j])
	}
	return sum
}

// Dots sets dst to the products of up to four rows of m numbers with w.
//
// Cost: 0.2 ns a number by assembly for four rows in the cache, 0.7 in Go.
func Dots[V Number](dst *[4]float64, rows []V, m int, w []float64) {
	w = w[:m]
	k := 0
	*dst = [4]float64{}
	if len(rows) == 4*m {
		k = dotsFast(dst, rows, m, w)
		p, q, r, s := rows[:m], rows[m:2*m], rows[2*m:3*m], rows[3*m:4*m]
		var a, b, c, d float64
		for j := k; j < m; j++ {
			v := w[j]
			a += float64(float64(p[j]) * v)
			b += float64(float64(q[j]) * v)
			c += float64(float64(r[j]) * v)
			d += float64(float64(s[j]) * v)
		}
		*dst = [4]float64{dst[0] + a, dst[1] + b, dst[2] + c, dst[3] + d}
		return
	}
	for i := 0; i*m < len(rows); i++ {
		sum := 0.0
		for j, v := range rows[i*m : (i+1)*m] {
			sum += float64(float64(v) * w[j])
		}
		dst[i] = sum
	}
}

// Adds adds up to four rows of m numbers, times z, to dst.
//
// Cost: as Dots.
func Adds[V Number](dst []float64, rows []V, m int, z *[4]float64) {
	dst = dst[:m]
	if len(rows) == 4*m {
		p, q, r, s := rows[:m], rows[m:2*m], rows[2*m:3*m], rows[3*m:4*m]
		for j := addsFast(dst, rows, m, z); j < m; j++ {
			dst[j] += float64(z[0]*float64(p[j])) + float64(z[1]*float64(q[j])) +
				(float64(z[2]*float64(r[j])) + float64(z[3]*float64(s[j])))
		}
		return
	}
	for i := 0; i*m < len(rows); i++ {
		for j, v := range rows[i*m : (i+1)*m] {
			dst[j] += float64(z[i] * float64(v))
		}
	}
}

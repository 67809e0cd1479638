package cpu

import "math"

// box is a three-dimensional array of complex numbers, the last coordinate
// running fastest, on which Fourier transforms run along each axis.
type box struct {
	size  [3]int
	turns [3][]complex128 // by axis: e^(−2πi k/n)
}

func newBox(size [3]int) *box {
	b := &box{size: size}
	for a, n := range size {
		b.turns[a] = make([]complex128, n)
		for k := range n {
			s, c := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
			b.turns[a][k] = complex(c, s)
		}
	}
	return b
}

func (b *box) cells() int { return b.size[0] * b.size[1] * b.size[2] }

// smooth is the least number from n on that has no factor but 2, 3 and 5.
func smooth(n int) int {
	for ; ; n++ {
		m := n
		for _, f := range []int{2, 3, 5} {
			for m%f == 0 {
				m /= f
			}
		}
		if m == 1 {
			return n
		}
	}
}

// transform replaces x by its Fourier transform, or by cells times the inverse
// one. Lines are taken a plane at a time, side by side, so that the inner loops run
// over neighbours in memory; no sum depends on the threads.
func (b *box) transform(x []complex128, inverse bool, c *crew) error {
	if inverse { // the transform of the numbers with both parts exchanged
		exchange(x)
		defer exchange(x)
	}
	n0, n1, n2 := b.size[0], b.size[1], b.size[2]
	work := make([][]complex128, c.threads)
	room := func(w int) (p, q []complex128) {
		n := max(n0, n1) * n2
		if work[w] == nil {
			work[w] = make([]complex128, 2*n)
		}
		return work[w][:n], work[w][n:]
	}
	err := c.run(n0, func(w, i int) {
		p, q := room(w)
		plane := x[i*n1*n2 : (i+1)*n1*n2]
		turn(p, plane, n1, n2)
		t := fourier(p[:n1*n2], q[:n1*n2], n2, n1, b.turns[2])
		turn(plane, t, n2, n1)
		copy(plane, fourier(plane, q[:n1*n2], n1, n2, b.turns[1]))
	})
	if err != nil {
		return err
	}
	return c.run(n1, func(w, j int) {
		p, q := room(w)
		for i := range n0 {
			copy(p[i*n2:(i+1)*n2], x[(i*n1+j)*n2:])
		}
		t := fourier(p[:n0*n2], q[:n0*n2], n0, n2, b.turns[0])
		for i := range n0 {
			copy(x[(i*n1+j)*n2:(i*n1+j+1)*n2], t[i*n2:])
		}
	})
}

func exchange(x []complex128) {
	for i, v := range x {
		x[i] = complex(imag(v), real(v))
	}
}

// turn writes the rows×cols matrix x to dst with rows and columns exchanged.
func turn(dst, x []complex128, rows, cols int) {
	for i := range rows {
		for j, v := range x[i*cols : (i+1)*cols] {
			dst[j*rows+i] = v
		}
	}
}

// fourier transforms side lines of n numbers, number k of line q at x[k side + q],
// by the algorithm of Stockham, which needs no reversal of bits. The answer is in
// x or in y.
func fourier(x, y []complex128, n, side int, turns []complex128) []complex128 {
	whole, s := n, side
	for n > 1 {
		r := 5
		for _, f := range []int{4, 3, 2} {
			if n%f == 0 {
				r = f
				break
			}
		}
		m := n / r
		for p := range m {
			var in, out [5][]complex128
			var w [5]complex128
			for k := range r {
				in[k] = x[s*(p+k*m) : s*(p+k*m+1)]
				out[k] = y[s*(r*p+k) : s*(r*p+k+1)]
				w[k] = turns[whole/n*p*k%whole]
			}
			switch r {
			case 2:
				for q, a := range in[0] {
					b := in[1][q]
					out[0][q], out[1][q] = a+b, (a-b)*w[1]
				}
			case 4:
				four(&in, &out, &w)
			case 3:
				three(&in, &out, &w)
			default:
				five(&in, &out, &w)
			}
		}
		x, y = y, x
		n, s = m, s*r
	}
	return x
}

func four(in, out *[5][]complex128, w *[5]complex128) {
	n := len(in[0])
	b1, b2, b3 := in[1][:n], in[2][:n], in[3][:n]
	o0, o1, o2, o3 := out[0][:n], out[1][:n], out[2][:n], out[3][:n]
	for q, a := range in[0] {
		b, c, d := b1[q], b2[q], b3[q]
		s, t, u, v := a+c, a-c, b+d, b-d
		v = complex(imag(v), -real(v)) // −i (b − d)
		o0[q], o1[q], o2[q], o3[q] = s+u, (t+v)*w[1], (s-u)*w[2], (t-v)*w[3]
	}
}

// sin3 is sin 2π/3; cos51 and the others are those of 2π/5 and 4π/5.
const (
	sin3         = 0.86602540378443864676
	cos51, sin51 = 0.30901699437494742410, 0.95105651629515357212
	cos52, sin52 = -0.80901699437494742410, 0.58778525229247312917
)

// aside is −i v times s.
func aside(v complex128, s float64) complex128 { return complex(imag(v)*s, -real(v)*s) }

// times is v times s.
func times(v complex128, s float64) complex128 { return complex(real(v)*s, imag(v)*s) }

func three(in, out *[5][]complex128, w *[5]complex128) {
	n := len(in[0])
	b1, b2 := in[1][:n], in[2][:n]
	o0, o1, o2 := out[0][:n], out[1][:n], out[2][:n]
	for q, a := range in[0] {
		s, d := b1[q]+b2[q], aside(b1[q]-b2[q], sin3)
		m := a - times(s, 0.5)
		o0[q], o1[q], o2[q] = a+s, (m+d)*w[1], (m-d)*w[2]
	}
}

func five(in, out *[5][]complex128, w *[5]complex128) {
	n := len(in[0])
	b1, b2, b3, b4 := in[1][:n], in[2][:n], in[3][:n], in[4][:n]
	o0, o1, o2, o3, o4 := out[0][:n], out[1][:n], out[2][:n], out[3][:n], out[4][:n]
	for q, a := range in[0] {
		s, d := b1[q]+b4[q], b1[q]-b4[q]
		t, e := b2[q]+b3[q], b2[q]-b3[q]
		m, f := a+times(s, cos51)+times(t, cos52), aside(d, sin51)+aside(e, sin52)
		k, g := a+times(s, cos52)+times(t, cos51), aside(d, sin52)-aside(e, sin51)
		o0[q], o1[q], o2[q], o3[q], o4[q] = a+s+t, (m+f)*w[1], (k+g)*w[2], (k-g)*w[3], (m-f)*w[4]
	}
}

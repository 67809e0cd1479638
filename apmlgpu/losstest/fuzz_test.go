package losstest

import (
	"errors"
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// fuzzed makes two clouds of bytes: the dimension, whether there are weights, and
// then a coordinate of one of eleven a byte, in turn for x and y.
func fuzzed(text []byte) (f Family, bad bool) {
	if len(text) < 4 {
		return f, true
	}
	values := []float32{0, 1, -1, 0.5, 1e-30, 1e30, -1e30, 3e38, 1e-45, float32(math.Copysign(0, -1)),
		float32(math.NaN())}
	d, weighted := 1+int(text[0]%4), text[1]%4
	text = text[2:min(len(text), 66)]
	for k, c := range []*cloud.Cloud{&f.X, &f.Y} {
		c.D = d
		for i := k; i < len(text); i += 2 {
			c.X = append(c.X, values[int(text[i])%len(values)])
		}
		c.N = len(c.X) / d
		c.X = c.X[:c.N*d]
		if c.N == 0 {
			return f, true
		}
		if weighted>>k&1 == 0 {
			continue
		}
		sum := 0.0
		for i := range c.N {
			c.W = append(c.W, float64(text[i]%3))
			sum += c.W[i]
		}
		if sum == 0 {
			c.W[0], sum = 1, 1
		}
		for i := range c.W {
			c.W[i] /= sum
		}
	}
	// What the cut has left out does not count.
	for _, c := range []cloud.Cloud{f.X, f.Y} {
		for _, v := range c.X {
			bad = bad || v != v
		}
	}
	return f, bad
}

// largest is the size of the largest coordinate.
func largest(f Family) float64 {
	size := 0.0
	for _, c := range []cloud.Cloud{f.X, f.Y} {
		for _, v := range c.X {
			size = max(size, math.Abs(float64(v)))
		}
	}
	return size
}

// Clouds of the numbers at which formulas break give an error that says why, or
// the value of the definition and finite gradients.
func FuzzLosses(f *testing.F) {
	for _, seed := range []string{"", "\x02\x00\x01\x02\x03\x04\x05\x06\x07\x08", "\x00\x03abcdefghijklmnopqrstuvwxyz",
		"\x02\x01\x05\x06\x07\x06\x05\x07\x00\x00\x05\x05\x06\x06", "\x01\x02\x04\x08\x08\x04\x00\x09\x09\x00\x04\x04",
		"\x03\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		f.Add([]byte(seed))
	}
	all := losses("cpu")[1:]
	f.Fuzz(func(t *testing.T, text []byte) {
		pair, bad := fuzzed(text)
		for _, l := range all {
			r, err := l.call(pair.X, pair.Y, call{threads: 1})
			if bad {
				if !errors.Is(err, apmlgpu.ErrNotFinite) && !errors.Is(err, apmlgpu.ErrEmpty) && !errors.Is(err, apmlgpu.ErrShape) {
					t.Fatalf("%s of bad clouds: %v, %v", l.name, r.Value, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s of %v and %v: %v", l.name, pair.X, pair.Y, err)
			}
			for _, g := range [][]float32{r.GradX, r.GradY} {
				for _, v := range g {
					if v-v != 0 {
						t.Fatalf("%s of %v and %v: gradient %v", l.name, pair.X, pair.Y, g)
					}
				}
			}
			// Gradients add numbers that differ by sixty orders: values are compared.
			abs := absValue
			if l.fixed { // projections keep 16 digits of the largest coordinate: nearer ones may change places
				abs = 1e-13 * math.Pow(largest(pair), l.degree)
			}
			if want := l.oracle(pair.X, pair.Y, "").value; !within(r.Value, want, sameMethod, abs) {
				t.Fatalf("%s of %v and %v: %v, by definition %v", l.name, pair.X, pair.Y, r.Value, want)
			}
		}
	})
}

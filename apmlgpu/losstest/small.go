package losstest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// smallNumbers are the coordinates of small clouds: those on which squares
// vanish or overflow, differences cancel, and points and distances are equal.
var smallNumbers = []float32{0, 1, 1e-30, 1e30, 0, 1, 2, -1, 0.5, float32(math.NaN())}

// smallClouds are two clouds of a few points made of bytes: sizes, then
// coordinates and weights by their index in a short list.
func smallClouds(code []byte) (x, y cloud.Cloud) {
	next := func() int {
		if len(code) == 0 {
			return 0
		}
		b := code[0]
		code = code[1:]
		return int(b)
	}
	d := 1 + next()%4
	for _, c := range []*cloud.Cloud{&x, &y} {
		n := next()
		c.D, c.N = d, 1+n%6
		for range c.N * d {
			c.X = append(c.X, smallNumbers[next()%len(smallNumbers)])
		}
		if n >= 192 { // a quarter of them
			sum := 0.0
			for range c.N {
				c.W = append(c.W, float64(next()%4))
				sum += c.W[len(c.W)-1]
			}
			for i := range c.W {
				c.W[i] /= max(sum, 1)
			}
		}
	}
	return x, y
}

// runSmall judges small clouds of drawn bytes.
func runSmall(t *testing.T, backend string) {
	const seed = 51
	rnd := rand.New(rand.NewPCG(1, seed))
	t.Logf("bytes from seed %d", seed)
	for range 400 {
		code := make([]byte, 56)
		for k := range code {
			code[k] = byte(rnd.IntN(256))
			if code[k]%10 == 9 && rnd.IntN(8) > 0 { // most clouds without NaN
				code[k]--
			}
		}
		judgeSmall(t, backend, code)
	}
}

// judgeSmall gives two small clouds to every loss: bad ones are refused by their
// cause, good ones have finite numbers, the same bits on several threads, the
// value of the definition, and APML those of the oracle.
func judgeSmall(t *testing.T, backend string, code []byte) {
	x, y := smallClouds(code)
	bad := slices.ContainsFunc(slices.Concat(x.X, y.X), func(v float32) bool { return v != v })
	weightless := func(c cloud.Cloud) bool {
		return c.W != nil && !slices.ContainsFunc(c.W, func(w float64) bool { return w > 0 })
	}
	for _, l := range losses(backend) {
		r, err := l.call(x, y, call{threads: 1})
		switch {
		case bad || weightless(x) || weightless(y):
			if !errors.Is(err, apmlgpu.ErrNotFinite) && !errors.Is(err, apmlgpu.ErrWeights) || r.GradX != nil {
				t.Errorf("%s of %v and %v: %v, want a refusal", l.name, x, y, err)
			}
			continue
		case err != nil:
			t.Errorf("%s of %v and %v: %v", l.name, x, y, err)
			continue
		}
		wrong := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
		if wrong(r.Value) || slices.ContainsFunc(r.GradX64, wrong) || slices.ContainsFunc(r.GradY64, wrong) {
			t.Errorf("%s of %v and %v: value %v, gradients %v, %v", l.name, x, y, r.Value, r.GradX64, r.GradY64)
		}
		again, err := l.call(x, y, call{threads: 3})
		if err != nil || again.Value != r.Value || !sameBits(again.GradX64, r.GradX64) || !sameBits(again.GradY64, r.GradY64) {
			t.Errorf("%s of %v and %v: %v on three threads, %v on one, %v", l.name, x, y, again.Value, r.Value, err)
		}
		if l.oracle != nil {
			smallAgainstDefinition(t, l, x, y, r.Value)
		}
	}
	if !bad && !weightless(x) && !weightless(y) {
		smallAgainstOracle(t, backend, Family{"small", x, y}, code)
	}
}

// smallAgainstDefinition compares a value with that of the definition. Projections
// keep 16 digits of the largest coordinate: among much smaller ones points that
// should not may change places. So may partners whose costs the largest cost rounds
// away: a certificate holds to the rounding of that.
func smallAgainstDefinition(t *testing.T, l loss, x, y cloud.Cloud, value float64) {
	t.Helper()
	abs, largest := absValue, 0.0
	for _, v := range slices.Concat(x.X, y.X) {
		largest = max(largest, math.Abs(float64(v)))
	}
	if l.entropic && largest > 1e6 {
		return // beside such costs a blur of the suite is rounding
	}
	if l.fixed || l.proven {
		abs = 1e-13 * math.Pow(largest, l.degree)
	}
	if want := l.oracle(x, y, "").value; !within(value, want, sameMethod, abs) {
		t.Errorf("%s of %v and %v: %v, by definition %v", l.name, x, y, value, want)
	}
}

// smallAgainstOracle compares every way to hold the plan, with rules by the last
// byte.
func smallAgainstOracle(t *testing.T, backend string, f Family, code []byte) {
	t.Helper()
	o := apmlgpu.APMLOptions{Backend: backend, Grad64: true}
	if len(code) > 0 {
		last := code[len(code)-1]
		o.Variant = []apmlgpu.Variant{apmlgpu.Faithful, apmlgpu.Reference}[last%2]
		o.Ties = []apmlgpu.Ties{"", apmlgpu.UniformRow, apmlgpu.Split}[last/2%3]
		o.Merge = []apmlgpu.Merge{"", apmlgpu.MergeHalf, apmlgpu.MergeCount}[last/6%3]
		o.Threshold = []float64{0, 1e-8, 1e-20, 0.5}[last/18%4]
		o.ScaleFree = last/72%2 == 1
	}
	o.Method = apmlgpu.MethodOracle
	want := mustAPML(t, f, o)
	scale := 0.0
	for _, v := range slices.Concat(f.X.X, f.Y.X) {
		scale = max(scale, math.Abs(float64(v)))
	}
	for _, m := range []apmlgpu.Method{apmlgpu.MethodAuto, apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodStreaming} {
		o.Method = m
		got := mustAPML(t, f, o)
		if !within(got.Value, want.Value, automatic, 1e-14*scale) || !within(got.Stats.Mass, want.Stats.Mass, automatic, 0) ||
			got.Stats.TiedRows != want.Stats.TiedRows || got.Stats.TiedCols != want.Stats.TiedCols {
			t.Errorf("%v and %v, %+v: value %v, mass %v, the oracle's %v, %v", f.X, f.Y, o, got.Value, got.Stats.Mass,
				want.Value, want.Stats.Mass)
		}
	}
}

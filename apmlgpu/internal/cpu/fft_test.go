package cpu

import (
	"context"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

// The transform is the sum of its definition, the inverse undoes it, and the
// threads do not matter.
func TestTransform(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 8, 6}, {9, 10, 1}, {1, 16, 15}} {
		b := newBox(size)
		x := make([]complex128, b.cells())
		for i := range x {
			x[i] = complex(rnd.Float64(), rnd.Float64())
		}
		var first []complex128
		for _, threads := range []int{1, 2, 3, 7} {
			got, c := slices.Clone(x), newCrew(context.Background(), threads)
			if err := b.transform(got, false, c); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = slices.Clone(got)
			} else if !slices.Equal(got, first) {
				t.Errorf("%v: %d threads give other bits than 1", size, threads)
			}
			if err := b.transform(got, true, c); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if !(cmplx.Abs(v/complex(float64(b.cells()), 0)-x[i]) <= 1e-14) {
					t.Fatalf("%v: the inverse of the transform is %v, want %v", size, v, x[i])
				}
			}
		}
		for k, v := range first {
			sum := complex128(0)
			at := func(k int) [3]int { return [3]int{k / size[2] / size[1], k / size[2] % size[1], k % size[2]} }
			for i, w := range x {
				phase := 0.0
				for a, n := range size {
					phase -= 2 * math.Pi * float64(at(i)[a]*at(k)[a]) / float64(n)
				}
				sum += w * cmplx.Rect(1, phase)
			}
			if !(cmplx.Abs(v-sum) <= 1e-13*float64(b.cells())) {
				t.Fatalf("%v: number %d is %v, want %v", size, k, v, sum)
			}
		}
	}
	for n, want := range map[int]int{1: 1, 7: 8, 11: 12, 39: 40, 63: 64, 77: 80, 127: 128} {
		if got := smooth(n); got != want {
			t.Errorf("smooth(%d) = %d, want %d", n, got, want)
		}
	}
}

func BenchmarkTransform(b *testing.B) {
	box, c := newBox([3]int{64, 64, 64}), newCrew(context.Background(), 1)
	x := make([]complex128, box.cells())
	for b.Loop() {
		if err := box.transform(x, false, c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(box.cells())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcells/s")
}

package apmlgpu

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

func never() bool { return false }

// Sorting by digits is sorting by comparisons, and stable.
func TestSort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 51))
	for _, n := range []int{1, 2, fewPoints - 1, fewPoints, 3000} {
		for name, draw := range map[string]func() float64{
			"even":   rnd.NormFloat64,
			"ties":   func() float64 { return float64(rnd.IntN(5) - 2) },
			"zeros":  func() float64 { return math.Copysign(0, float64(rnd.IntN(2))-0.5) },
			"wide":   func() float64 { return math.Ldexp(rnd.NormFloat64(), rnd.IntN(2000)-1000) },
			"equal":  func() float64 { return 7 },
			"narrow": func() float64 { return 1 + float64(rnd.IntN(300))*0x1p-52 },
		} {
			s := newSorted(n, nil)
			for k := range s.at {
				s.at[k] = draw()
			}
			want := make([]int32, n)
			for k := range want {
				want[k] = int32(k)
			}
			slices.SortStableFunc(want, func(i, j int32) int { return cmp.Compare(s.at[i], s.at[j]) })
			for range 2 { // the second time over what the first has left
				s.sort(never)
				if !slices.Equal(s.order, want) {
					t.Errorf("%s, %d numbers: another order", name, n)
				}
			}
		}
	}
}

// The fixed set: unit vectors, another for another seed, even in every
// dimension: Σ θ_i θ_j / L is near δ_ij / D, and that where frames are whole.
func TestDirectionSet(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 5, 20} {
		const l = 4000 // of 4, 5 and 20 whole frames
		set := directionSet(l, d, 3)
		if d > 1 && slices.Equal(set, directionSet(l, d, 4)) {
			t.Errorf("D = %d: the seed does nothing", d)
		}
		if !slices.Equal(set, directionSet(l, d, 3)) {
			t.Errorf("D = %d: another set for the same seed", d)
		}
		moment := make([]float64, d*d)
		for k := range l {
			v, size := set[k*d:(k+1)*d], 0.0
			for i, a := range v {
				size += a * a
				for j, b := range v {
					moment[i*d+j] += a * b / l
				}
			}
			if !(math.Abs(size-1) <= 1e-14) {
				t.Fatalf("D = %d: a direction of squared length %v", d, size)
			}
		}
		for k, m := range moment {
			want := 0.0
			if k/d == k%d {
				want = 1 / float64(d)
			}
			// Random directions would be off by some 1/(D √L), that is 0.005 in space.
			if tol := pick(d == 3, 5e-4, 1e-13); !(math.Abs(m-want) <= tol) {
				t.Errorf("D = %d: moment %d, %d is %v, want %v", d, k/d, k%d, m, want)
			}
		}
	}
}

// Lists of different lengths are matched by mass, none of which is lost.
func TestLineMass(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 52))
	for range 300 {
		n, m := 1+rnd.IntN(40), 1+rnd.IntN(40)
		l := line{cost: Euclidean, halt: never}
		var mass [2][]float64
		for k, count := range []int{n, m} {
			if rnd.IntN(2) == 0 {
				continue
			}
			sum := 0.0
			for range count {
				mass[k] = append(mass[k], rnd.Float64()+1e-9)
				sum += mass[k][len(mass[k])-1]
			}
			for i := range mass[k] {
				mass[k][i] /= sum
			}
		}
		l.px, l.py = newSorted(n, mass[0]), newSorted(m, mass[1])
		for i := range l.px.at { // all of x below all of y: every slope is −1
			l.px.at[i] = -1 - rnd.Float64()
		}
		for j := range l.py.at {
			l.py.at[j] = 1 + rnd.Float64()
		}
		gx, gy := make([]float64, n), make([]float64, m)
		l.solve(gx, gy, func(i, j int32) float64 { return l.px.at[i] - l.py.at[j] })
		for k, g := range [][]float64{gx, gy} {
			for i, v := range g {
				want := 1 / float64(len(g))
				if mass[k] != nil {
					want = mass[k][i]
				}
				if !(math.Abs(math.Abs(v)-want) <= 1e-14) {
					t.Fatalf("%d and %d points: point %d of cloud %d has moved %v of its %v", n, m, i, k, v, want)
				}
			}
		}
	}
}

// MaxBytes at the peak is enough and one byte less is not; less memory than all
// threads want changes no bit.
func TestOwnMemory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 53))
	x, y := cloud.Sphere(rnd, 3000), cloud.Cube(rnd, 2000)
	for _, l := range Losses() {
		if l.Name == "apml" || l.Name == "emd" || l.Name == "sinkhorn" { // which hold less where less fits
			continue
		}
		call := func(threads int, most int64) (Result, error) {
			return l.Run(x, y, withFields(l.Usual(), threads, most))
		}
		full, err := call(7, 0)
		if err != nil {
			t.Fatal(err)
		}
		one, err := call(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		least, err := call(7, one.Stats.PeakBytes)
		if err != nil {
			t.Errorf("%s: with the %d bytes of its peak: %v", l.Name, one.Stats.PeakBytes, err)
		}
		if _, err := call(1, one.Stats.PeakBytes-1); !errors.Is(err, ErrMemory) {
			t.Errorf("%s: a byte less than its peak: %v", l.Name, err)
		}
		if full.Value != least.Value || full.Value != one.Value || !slices.Equal(full.GradX, least.GradX) ||
			!slices.Equal(full.GradY, one.GradY) {
			t.Errorf("%s: %v, with one thread %v, with little memory %v", l.Name, full.Value, one.Value, least.Value)
		}
	}
}

// What a loss says it takes for itself is what the heap sees, within a fifth;
// what its pair takes is the pair's to say.
func TestOwnPeakIsTheHeap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 54))
	x, y := cloud.Sphere(rnd, 100000), cloud.Sphere(rnd, 100000)
	c, err := common{threads: 1}.resolve("test")
	if err != nil {
		t.Fatal(err)
	}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.TotalAlloc)
	}
	s, err := c.find("test", "test", x, y, false, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	alive, before := s.work.alive, heap()
	value, err := s.prices(false, true, func(w *way) (float64, error) {
		return w.add(w.total, func(i int) (price, pull float64) { return squared(w.near.Square[i]) })
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.result(value, false, false)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(name string, grown, said float64) {
		if !(grown <= 1.2*said && said <= 1.2*grown) {
			t.Errorf("%s says %.2f MB with its gradients, the heap has seen %.2f MB", name, said/1e6, grown/1e6)
		}
	}
	compare("Chamfer", heap()-before, float64(s.work.peak-alive+r.Stats.OutputBytes))
	for _, opt := range []SlicedOptions{{L: 4}, {L: 4, NoGrad: true}} {
		before = heap()
		if r, err = Sliced(x, y, opt); err != nil {
			t.Fatal(err)
		}
		compare("Sliced", heap()-before, float64(r.Stats.PeakBytes+r.Stats.OutputBytes))
	}
}

// withFields sets options that every loss has.
func withFields(o any, threads int, most int64) any {
	v := reflect.ValueOf(o).Elem()
	v.FieldByName("Threads").SetInt(int64(threads))
	v.FieldByName("MaxBytes").SetInt(most)
	return o
}

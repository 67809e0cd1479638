package apmlgpu

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// Two points of x, at 0 and 4 on a line, one of y at 1: distances 1 and 3, back 1.
func TestFamilyByHand(t *testing.T) {
	x, y := cloud.FromRows([][]float32{{0}, {4}}), cloud.FromRows([][]float32{{1}})
	heavy := x.Clone()
	heavy.W = []float64{3, 1} // so that the mean over x is (3·f(1) + f(3))/4
	gone := cloud.Cloud{N: 3, D: 1, X: []float32{0, 4, 1}, W: []float64{1, 1, 0}}
	arcosh := func(d float64) float64 { return math.Acosh(1 + 2*d*d) }
	dcd := func(d, ratio, n float64) float64 { return 1 - math.Exp(-d*d)*ratio/(n+1e-6) }
	hyper := func(o HyperCDOptions) func(x cloud.Cloud) (Result, error) {
		o.Alpha = 2
		return func(x cloud.Cloud) (Result, error) { return HyperCD(x, y, o) }
	}
	info := func(o InfoCDOptions) func(x cloud.Cloud) (Result, error) {
		o.Lambda = 0.1
		return func(x cloud.Cloud) (Result, error) { return InfoCD(x, y, o) }
	}
	density := func(o DCDOptions) func(x cloud.Cloud) (Result, error) {
		o.Alpha = 1
		return func(x cloud.Cloud) (Result, error) { return DCD(x, y, o) }
	}
	logs := func(e ...float64) float64 {
		sum := 0.0
		for _, v := range e {
			sum += v
		}
		return 0.1 * math.Log(sum)
	}
	e1, e3 := math.Exp(-0.5), math.Exp(-1.5) // of distances 1 and 3 over τ = 2
	for _, tt := range []struct {
		name string
		call func(x cloud.Cloud) (Result, error)
		x    cloud.Cloud
		want float64
	}{
		{"hypercd", hyper(HyperCDOptions{}), x, (arcosh(1)+arcosh(3))/2 + arcosh(1)},
		{"hypercd, weights", hyper(HyperCDOptions{}), heavy, (3*arcosh(1)+arcosh(3))/4 + arcosh(1)},
		{"hypercd, weight 0", hyper(HyperCDOptions{}), gone, (arcosh(1)+arcosh(3))/2 + arcosh(1)},
		{"hypercd, weighted sum", hyper(HyperCDOptions{Sum: true, OneWay: true}), heavy, 3*arcosh(1) + arcosh(3)},
		{"infocd", info(InfoCDOptions{}), x, (1 + logs(e1, e3) + 0.5 + logs(e1)) / 2},
		{"infocd, weights", info(InfoCDOptions{OneWay: true}), heavy, (0.75 + logs(1.5*e1, 0.5*e3)) / 2},
		{"infocd, published", info(InfoCDOptions{Reference: true}), x,
			(2 + 2*logs(e1, e3, 0.2) + 0.5 + logs(e1, 0.1)) / 2},
		{"infocd, weight 0", info(InfoCDOptions{Reference: true}), gone,
			(2 + 2*logs(e1, e3, 0.2) + 0.5 + logs(e1, 0.1)) / 2},
		{"dcd", density(DCDOptions{}), x, ((dcd(1, 2, 2)+dcd(3, 2, 2))/2 + dcd(1, 0.5, 1)) / 2},
		{"dcd, not regularised", density(DCDOptions{NonReg: true}), x,
			((dcd(1, 2, 2)+dcd(3, 2, 2))/2 + dcd(1, 1, 1)) / 2},
		{"dcd, weights", density(DCDOptions{OneWay: true}), heavy, (3*dcd(1, 2, 2) + dcd(3, 2, 2)) / 4 / 2},
		{"dcd, weight 0", density(DCDOptions{}), gone, ((dcd(1, 2, 2)+dcd(3, 2, 2))/2 + dcd(1, 0.5, 1)) / 2},
		{"dcd, root of the counts", density(DCDOptions{Lambda: 0.5, OneWay: true}), x,
			(dcd(1, 2, math.Sqrt2) + dcd(3, 2, math.Sqrt2)) / 4},
	} {
		r, err := tt.call(tt.x)
		if err != nil || !(math.Abs(r.Value-tt.want) <= 1e-14*math.Abs(tt.want)+1e-15) {
			t.Errorf("%s: %.17g, %v, want %.17g", tt.name, r.Value, err, tt.want)
		}
		if r.Stats.N != 2 || r.Stats.M != 1 || len(r.GradX) != len(tt.x.X) {
			t.Errorf("%s: %d and %d points, %d numbers of a gradient", tt.name, r.Stats.N, r.Stats.M, len(r.GradX))
		}
	}
}

// What is far too small or too large for a formula still has its value.
func TestFamilyLimits(t *testing.T) {
	x, far := cloud.FromRows([][]float32{{0}}), cloud.FromRows([][]float32{{3e38}})
	near := cloud.FromRows([][]float32{{1e-40}})
	d := float64(near.X[0])
	for _, tt := range []struct {
		name string
		y    cloud.Cloud
		call func(x, y cloud.Cloud) (Result, error)
		want float64
	}{
		// 2 ln(√2·d) each way; and arcosh(1 + z) ≈ √(2z) where 1 + z is 1.
		{"hypercd", far, func(x, y cloud.Cloud) (Result, error) { return HyperCD(x, y, HyperCDOptions{Alpha: 1e300}) },
			4 * (math.Log(math.Sqrt2*1e150) + math.Log(float64(far.X[0])))},
		{"hypercd", near, func(x, y cloud.Cloud) (Result, error) { return HyperCD(x, y, HyperCDOptions{}) },
			2 * math.Sqrt2 * d},
		// (1 − λ) d/τ each way, though exp(−d/τ) is 0.
		{"infocd", far, func(x, y cloud.Cloud) (Result, error) { return InfoCD(x, y, InfoCDOptions{Lambda: 0.5}) },
			float64(far.X[0]) / 4},
		{"dcd", far, func(x, y cloud.Cloud) (Result, error) { return DCD(x, y, DCDOptions{Alpha: 1e300}) }, 1},
		{"dcd", near, func(x, y cloud.Cloud) (Result, error) { return DCD(x, y, DCDOptions{}) }, 1e-6 / (1 + 1e-6)},
	} {
		r, err := tt.call(x, tt.y)
		if err != nil || !(math.Abs(r.Value-tt.want) <= 1e-9*tt.want) {
			t.Errorf("%s: %.17g, %v, want %.17g", tt.name, r.Value, err, tt.want)
		}
		for _, g := range append(r.GradX, r.GradY...) {
			if g-g != 0 {
				t.Errorf("%s: gradient %v", tt.name, r.GradX)
			}
		}
	}
}

// A gradient that float32 cannot hold is its largest number, and a note says so.
func TestGradientBeyondFloat32(t *testing.T) {
	x, y := cloud.FromRows([][]float32{{-3e38}}), cloud.FromRows([][]float32{{3e38}})
	for name, call := range map[string]func() (Result, error){
		"Chamfer": func() (Result, error) { return Chamfer(x, y, ChamferOptions{Grad64: true}) },
		"Sliced":  func() (Result, error) { return Sliced(x, y, SlicedOptions{Grad64: true}) },
	} {
		r, err := call()
		if err != nil || r.GradX[0] != -math.MaxFloat32 || r.GradY[0] != math.MaxFloat32 || len(r.Stats.Notes) != 1 ||
			!(r.GradX64[0] < -1e39) {
			t.Errorf("%s: %v and %v (%v), %v, %v", name, r.GradX, r.GradY, r.GradX64, r.Stats.Notes, err)
		}
	}
}

// Where α reaches nobody, as the default among few points, a note says what to do.
func TestDCDNote(t *testing.T) {
	x, y := cloud.Fibonacci(50), cloud.Turned(60)
	for alpha, notes := range map[float64]int{0: 1, 10: 0, 1e5: 1} {
		r, err := DCD(x, y, DCDOptions{Alpha: alpha})
		if err != nil || len(r.Stats.Notes) != notes {
			t.Errorf("α = %g: %v, %v", alpha, r.Stats.Notes, err)
		}
	}
}

func TestMetricsByHand(t *testing.T) {
	// Distances of x: 0, 1, 2, 2, 3; of y: 0 and, from 9 to 6, 3.
	x := cloud.FromRows([][]float32{{0}, {-1}, {-2}, {2}, {6}})
	y := cloud.FromRows([][]float32{{0}, {9}})
	weighted := x.Clone()
	weighted.W = []float64{1, 1, 1, 1, 4}
	for _, tt := range []struct {
		x           cloud.Cloud
		q           float64
		want        float64 // from x
		far         int     // whose distance it is, of x
		back, cover float64
	}{
		{x, 0, 3, 4, 3, 1}, {x, 1, 3, 4, 3, 1}, {x, 0.8, 2, 2, 3, 1}, {x, 0.4, 1, 1, 0, 1}, {x, 0.41, 2, 2, 0, 1},
		{x, 1e-9, 0, 0, 0, 1}, {x, 0.5, 2, 2, 0, 1}, {weighted, 0.5, 2, 2, 0, 1}, {weighted, 0.51, 3, 4, 3, 1},
	} {
		m, err := Metrics(tt.x, y, MetricsOptions{Radius: 2, Quantile: tt.q})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Stats.Metrics
		if s.HausdorffX != tt.want || s.HausdorffY != tt.back || s.Hausdorff != max(tt.want, tt.back) ||
			m.Value != s.Hausdorff {
			t.Errorf("quantile %g: %+v, want %g there and %g back", tt.q, s, tt.want, tt.back)
		}
		if s.Coverage != tt.cover || s.Uncovered != 1-tt.cover || len(s.Hits) != 2 {
			t.Errorf("coverage %g and %g, hits %v", s.Coverage, s.Uncovered, s.Hits)
		}
		r, err := Hausdorff(tt.x, y, HausdorffOptions{Quantile: tt.q, OneWay: true})
		if err != nil || r.Value != tt.want || (r.GradX[tt.far] == 0) != (tt.want == 0) {
			t.Errorf("quantile %g, one way: %g with gradient %v, %v; want %g at point %d", tt.q, r.Value, r.GradX, err,
				tt.want, tt.far)
		}
	}
	// A distance of exactly the radius does not count: 0 and 1 do.
	r, err := FScore(x, y, FScoreOptions{Radius: 2})
	if p := r.Stats.Metrics; err != nil || p.Precision != 0.4 || p.Recall != 0.5 || !(math.Abs(r.Value-4./9) <= 1e-15) {
		t.Errorf("%+v, %v", p, err)
	}
	if r, err = FScore(x, cloud.FromRows([][]float32{{50}}), FScoreOptions{Radius: 2}); err != nil || r.Value != 0 {
		t.Errorf("far away the F-score is %v, %v", r.Value, err)
	}
}

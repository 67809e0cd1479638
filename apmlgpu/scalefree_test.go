package apmlgpu

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// A scale-free loss follows its clouds by any power of two to the last bits, and
// by any factor to the coordinates' rounding; with an absolute margin it does not.
func TestScaleFree(t *testing.T) {
	x, y := cloud.Fibonacci(120), cloud.Turned(150)
	x.W = make([]float64, 120)
	for i := range x.W {
		x.W[i] = float64(i%3) / 120
	}
	for _, v := range []Variant{Faithful, Reference} {
		for _, m := range []Method{MethodSparse, MethodOracle} {
			value := func(by float64, free bool) float64 {
				a, b := x.Scale(by), y.Scale(by)
				a.X[0], a.X[1] = 1e6, -1e6 // its weight is zero: it is not there
				r, err := APML(a, b, APMLOptions{Variant: v, Method: m, ScaleFree: free, Threshold: 1e-10})
				if err != nil {
					t.Fatal(err)
				}
				return r.Value / by
			}
			want := value(1, true)
			for _, by := range []float64{0x1p-40, 0x1p40} {
				if got := value(by, true); !(math.Abs(got/want-1) <= 1e-14) {
					t.Errorf("%s, %s: scaled by %g the value is %.17g of its scale, want %.17g", v, m, by, got, want)
				}
			}
			if got := value(1e-8, true); !(math.Abs(got/want-1) <= 1e-5) {
				t.Errorf("%s, %s: scaled by 1e-8 the value is %.17g of its scale, want %.17g", v, m, got, want)
			}
			if got := value(1e-8, false); math.Abs(got/want-1) <= 0.01 {
				t.Errorf("%s, %s: with an absolute margin the value is %.17g of its scale, as without", v, m, got)
			}
		}
	}
	spot := cloud.FromRows([][]float32{{1, 1, 1}, {1, 1, 1}})
	for _, ties := range []Ties{UniformRow, Split} {
		if r, err := APML(spot, spot, APMLOptions{ScaleFree: true, Ties: ties}); err != nil || r.Value != 0 {
			t.Errorf("all in one spot, %s: %v, %v", ties, r.Value, err)
		}
	}
	// 3-4-12: the box of (0,0,0), (3,0,12) and (0,4,0).
	if d := jointDiameter(cloud.FromRows([][]float32{{0, 0, 0}, {3, 0, 12}}), cloud.FromRows([][]float32{{0, 4, 0}})); d != 13 {
		t.Errorf("joint diameter is %v, want 13", d)
	}
}

func TestTransportCost(t *testing.T) {
	x, y := cloud.Fibonacci(30), cloud.Turned(40)
	r, err := APML(x, y, APMLOptions{PerPoint: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	p.Each(func(i, j int, v float64) { want += v * euclid(x.X[3*i:3*i+3], y.X[3*j:3*j+3]) })
	if got, err := r.TransportCost(); err != nil || !(math.Abs(got-want) <= 1e-12*want) || !(math.Abs(got/40-r.Value) <= 1e-15*got) {
		t.Errorf("transport cost is %v, %v, the plan costs %v, the value %v", got, err, want, r.Value)
	}
	if _, err := (Result{loss: "Chamfer"}).TransportCost(); !errors.Is(err, ErrOption) {
		t.Errorf("transport cost of Chamfer: %v", err)
	}
}

// The tables say what the stats do, in words.
func TestTables(t *testing.T) {
	x, y := cloud.Fibonacci(60), cloud.Turned(70)
	copy(x.X[:9], x.X[9:18])
	for _, tt := range []struct {
		opt  APMLOptions
		want []string
	}{
		{APMLOptions{Method: MethodSparse}, []string{"60 (57 different) and 70", "faithful, threshold ", "of the value", "rounds", "20", "row error", "column error"}},
		{APMLOptions{Method: MethodDense}, []string{"faithful, every pair kept", "dense on cpu", "tie: see Ties"}},
		{APMLOptions{Method: MethodOracle, Threshold: 1e-3}, []string{"faithful, threshold 0.001\n"}},
		{APMLOptions{Variant: Reference}, []string{"reference, threshold 1e-10, below it at most "}},
	} {
		r, err := APML(x, y, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(r.String(), want) {
				t.Errorf("%+v: %q is not in\n%s", tt.opt, want, r)
			}
		}
	}
	r, err := Chamfer(x, y, ChamferOptions{})
	if err != nil || strings.Contains(r.String(), "row error") || strings.Contains(r.String(), "threshold") {
		t.Errorf("Chamfer has no plan: %v\n%s", err, r)
	}
	b, err := APMLBatch(batchOf(t, x, x), batchOf(t, y, x), APMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.MIMEBundle()
	if err != nil || !strings.Contains(b.String(), "pairs         2\n") || !strings.Contains(m["text/html"].(string), "<th>largest</th>") {
		t.Errorf("batch: %v\n%s", err, b)
	}
	if s := (BatchResult{loss: "APML"}).String(); !strings.Contains(s, "pairs") {
		t.Errorf("no pairs: %q", s)
	}
}

func batchOf(t *testing.T, c ...cloud.Cloud) cloud.Batch {
	t.Helper()
	b, err := cloud.Join(c...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

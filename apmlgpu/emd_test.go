package apmlgpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// What other losses have no proof of they refuse by name.
func TestNoCertificate(t *testing.T) {
	x := cloud.FromRows([][]float32{{0, 0, 0}, {1, 0, 0}})
	r, err := Chamfer(x, x, ChamferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, certificate := r.Certificate()
	_, potentials := r.Potentials()
	for _, err := range []error{certificate, potentials} {
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "Chamfer has no") {
			t.Errorf("error is %v", err)
		}
	}
}

// A weight too small to count is told.
func TestDust(t *testing.T) {
	x := cloud.FromRows([][]float32{{0, 0, 0}, {100, 0, 0}})
	x.W = []float64{1, 1e-14}
	y := cloud.FromRows([][]float32{{3, 4, 0}})
	r, err := EMD(x, y, EMDOptions{})
	if err != nil || r.Value != 5 || r.Stats.N != 1 || len(r.Stats.Notes) != 1 || r.GradX[3] != 0 {
		t.Errorf("value %v, N %d, notes %q, gradient %v: %v", r.Value, r.Stats.N, r.Stats.Notes, r.GradX, err)
	}
}

// Clouds in float32's farthest corners have finite potentials, and gradients that
// do not fit are told.
func TestEMDBeyond(t *testing.T) {
	x := cloud.FromRows([][]float32{{-3e38, 1e-40, 0}})
	y := cloud.FromRows([][]float32{{3e38, 0, 1}})
	r, err := EMD(x, y, EMDOptions{Cost: SqEuclidean, Grad64: true})
	if err != nil || !finite(r.GradX64) || !finite(r.potentials.F) || len(r.Stats.Notes) != 1 {
		t.Errorf("value %v, notes %q: %v", r.Value, r.Stats.Notes, err)
	}
}

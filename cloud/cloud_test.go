package cloud

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func nan32() float32 { return float32(math.NaN()) }

func TestValidate(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name string
		c    Cloud
		want error
		text string // part of the message
	}{
		{"good", Cloud{N: 2, D: 1, X: []float32{1, 2}}, nil, ""},
		{"good weights", Cloud{N: 2, D: 1, X: []float32{1, 2}, W: []float64{0, 3}}, nil, ""},
		{"NaN in an attribute", Cloud{N: 1, D: 1, X: []float32{1}, Attr: map[string][]float32{"nx": {nan32()}}}, nil, ""},
		{"no points", Cloud{}, ErrEmpty, "no points"},
		{"no points in 3-D", Cloud{D: 3}, ErrEmpty, "no points"},
		{"no dimension", Cloud{N: 2, X: []float32{1, 2}}, ErrShape, "2 numbers for 2 points in 0"},
		{"too few numbers", Cloud{N: 2, D: 3, X: make([]float32, 5)}, ErrShape, "5 numbers"},
		{"too many numbers", Cloud{N: 1, D: 3, X: make([]float32, 5)}, ErrShape, "5 numbers"},
		{"negative N", Cloud{N: -1, D: 1, X: []float32{1}}, ErrShape, "-1 points"},
		{"rows of different length", FromRows([][]float32{{1, 2, 3}, {4}}), ErrShape, "4 numbers"},
		{"NaN", Cloud{N: 2, D: 2, X: []float32{1, 2, 3, nan32()}}, ErrNotFinite, "coordinate 1 of point 1 is NaN"},
		{"Inf", Cloud{N: 1, D: 1, X: []float32{inf}}, ErrNotFinite, "+Inf"},
		{"short weights", Cloud{N: 2, D: 1, X: []float32{1, 2}, W: []float64{1}}, ErrShape, "1 weights"},
		{"negative weight", Cloud{N: 2, D: 1, X: []float32{1, 2}, W: []float64{1, -1}}, ErrWeights, "weight 1 is -1"},
		{"NaN weight", Cloud{N: 1, D: 1, X: []float32{1}, W: []float64{math.NaN()}}, ErrWeights, "NaN"},
		{"zero weights", Cloud{N: 2, D: 1, X: []float32{1, 2}, W: []float64{0, 0}}, ErrWeights, "all 2 are zero"},
		{"short attribute", Cloud{N: 1, D: 1, X: []float32{1}, Attr: map[string][]float32{"r": {}}}, ErrShape, `"r"`},
	} {
		err := tt.c.Validate()
		if !errors.Is(err, tt.want) || (tt.want != nil) != (err != nil) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			continue
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Hint() == "" || !strings.Contains(err.Error(), tt.text)) {
			t.Errorf("%s: %q has no hint or not the text %q", tt.name, err, tt.text)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		e    Error
		want string
	}{
		{Error{Op: "cloud.Sub", Err: ErrShape}, "cloud.Sub: shapes do not match"},
		{Error{Op: "cloud.Open", File: "a.ply", Format: "ply", Line: 7, Offset: 90, Err: ErrFormat},
			"cloud.Open: a.ply: ply line 7: format is not understood"},
		{Error{Op: "cloud.Read", Format: "pcd", Offset: 90, Err: ErrTruncated},
			"cloud.Read: pcd byte 90: file ends too early"},
		{Error{Op: "cloud.Read", Format: "npz", Err: ErrLimit}, "cloud.Read: npz: limit is passed"},
	} {
		if got := tt.e.Error(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestFrom64(t *testing.T) {
	c, err := From64([]float64{1, 2, 3, 4}, 2)
	if err != nil || c.N != 2 || c.D != 2 || c.X[3] != 4 {
		t.Errorf("%v, %v", c, err)
	}
	for _, tt := range []struct {
		x    []float64
		d    int
		want error
	}{
		{[]float64{1, 2, 3}, 2, ErrShape},
		{[]float64{1}, 0, ErrShape},
		{[]float64{1, 1e39}, 2, ErrNotFinite}, // above the range of float32
		{[]float64{math.NaN()}, 1, ErrNotFinite},
	} {
		if _, err := From64(tt.x, tt.d); !errors.Is(err, tt.want) {
			t.Errorf("From64(%v, %d): %v, want %v", tt.x, tt.d, err, tt.want)
		}
	}
}

func TestEqual(t *testing.T) {
	zero := float32(0)
	a := Cloud{N: 2, D: 1, X: []float32{nan32(), zero}, Attr: map[string][]float32{"r": {1, 2}}}
	b := a.Clone()
	b.X[1] = -zero
	b.W = []float64{.5, .5}
	if !a.Equal(b) || !b.Equal(a) {
		t.Error("NaN, −0 or uniform weights make a difference")
	}
	for name, change := range map[string]func(*Cloud){
		"coordinate":   func(c *Cloud) { c.X[1] = 3 },
		"weight":       func(c *Cloud) { c.W[0] = .4 },
		"short weight": func(c *Cloud) { c.W = c.W[:1] },
		"attribute":    func(c *Cloud) { c.Attr["r"][0] = 3 },
		"name":         func(c *Cloud) { c.Attr = map[string][]float32{"g": {1, 2}} },
		"no attribute": func(c *Cloud) { c.Attr = nil },
		"dimension":    func(c *Cloud) { c.N, c.D = 1, 2 },
	} {
		c := b.Clone()
		change(&c)
		if a.Equal(c) || c.Equal(a) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

func TestMass(t *testing.T) {
	for _, tt := range []struct {
		c    Cloud
		want float64
	}{
		{Cloud{}, 0},
		{Cloud{N: 7}, 1},
		{Cloud{N: 2, W: []float64{1, 2.5}}, 3.5},
	} {
		if got := tt.c.Mass(); got != tt.want {
			t.Errorf("mass of %v is %g, want %g", tt.c, got, tt.want)
		}
	}
	if got := (Cloud{N: 4}).Weight(3); got != .25 {
		t.Errorf("weight %g, want 1/4", got)
	}
}

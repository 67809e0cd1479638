package losstest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/gondola-lab/gondola/cloud"
)

// recipe is how a file of cases describes a cloud: as points, by a generator,
// from a file, or from other clouds; then what is done to it, in order.
type recipe struct {
	Gen         string
	N, M        int
	Seed        uint64
	Phi         float64
	Off         json.RawMessage // a number, or one a coordinate
	Lo, Hi      float64
	Mean, Std   float64
	Points      [][]float64
	File        string
	Of          string
	Concat      []string
	ConcatPoint *struct {
		Of    string
		Point []float64
	} `json:"concat_point"`
	Then    []json.RawMessage
	Weights json.RawMessage
	Sum     string `json:"sha256_f32le_first8"`
}

// errFile says that a cloud's file is not at hand.
type errFile struct{ path string }

func (e errFile) Error() string { return "no file " + e.path }

// kitchen makes the clouds of a file of cases, each in float64.
type kitchen struct {
	recipes map[string]json.RawMessage
	dir     string // of the file of cases
}

// recipe decodes the named recipe by itself, so that one that is not understood
// spoils its own cases only.
func (k kitchen) recipe(name string) (r recipe, err error) {
	text, ok := k.recipes[name]
	if !ok {
		return r, fmt.Errorf("no cloud %q", name)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("cloud %s: %w", name, err)
	}
	return r, nil
}

// cloud makes the named cloud, rounds it to float32 and checks its sum.
func (k kitchen) cloud(name string) (cloud.Cloud, error) {
	r, err := k.recipe(name)
	if err != nil {
		return cloud.Cloud{}, err
	}
	p, err := k.points(name, 0)
	if err != nil {
		return cloud.Cloud{}, err
	}
	c := cloud.Cloud{N: len(p), D: 3}
	if len(p) > 0 {
		c.D = len(p[0])
	}
	for i, q := range p {
		if len(q) != c.D {
			return c, fmt.Errorf("cloud %s: point %d has %d coordinates, point 0 has %d", name, i, len(q), c.D)
		}
		for _, v := range q {
			c.X = append(c.X, float32(v))
		}
	}
	if got := checksum(c.X); r.Sum != "" && got != r.Sum {
		return c, fmt.Errorf("cloud %s has the sum %s, want %s", name, got, r.Sum)
	}
	c.W, err = r.weights(c)
	return c, err
}

// weights are those that belong to a cloud whoever uses it: written out, as a
// formula, or of the generator.
func (r recipe) weights(c cloud.Cloud) (w []float64, err error) {
	if string(r.Weights) != `"see generators"` {
		return weights(r.Weights, c.N)
	}
	if r.Gen != "gaussgrid" || r.Std == 0 {
		return nil, fmt.Errorf("generator %q has no weights", r.Gen)
	}
	sum := 0.0
	for i := range c.N {
		z := (r.line(i) - r.Mean) / r.Std
		w = append(w, math.Exp(-z*z/2))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, nil
}

// line is place i of the generator of points on a line.
func (r recipe) line(i int) float64 { return r.Lo + (r.Hi-r.Lo)*float64(i)/float64(max(r.N-1, 1)) }

// checksum is the first 8 bytes of SHA-256 over little-endian float32, −0 as 0.
func checksum(x []float32) string {
	b := make([]byte, 0, 4*len(x))
	for _, v := range x {
		if v == 0 {
			v = 0
		}
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:8])
}

func (k kitchen) points(name string, depth int) (p [][]float64, err error) {
	if depth > 16 {
		return nil, fmt.Errorf("cloud %q is made of itself", name)
	}
	r, err := k.recipe(name)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Points != nil:
		p = r.Points
	case r.File != "":
		p, err = k.file(r.File)
	case r.Of != "":
		p, err = k.points(r.Of, depth+1)
	case r.Concat != nil:
		for _, part := range r.Concat {
			q, err := k.points(part, depth+1)
			if err != nil {
				return nil, err
			}
			p = append(p, q...)
		}
	case r.ConcatPoint != nil:
		p, err = k.points(r.ConcatPoint.Of, depth+1)
		p = append(slices.Clip(p), r.ConcatPoint.Point)
	default:
		p, err = r.generate()
	}
	if err != nil {
		return nil, err
	}
	for _, step := range r.Then {
		if p, err = changes(p, step); err != nil {
			return nil, fmt.Errorf("cloud %s: %w", name, err)
		}
	}
	return p, nil
}

// file reads a cloud of the data folder: GONDOLA_DATA, or the folder that the
// case's path names two levels above the file of cases.
func (k kitchen) file(path string) (p [][]float64, err error) {
	places := []string{
		filepath.Join(k.dir, "..", "..", path), filepath.Join(k.dir, path), filepath.Join(k.dir, "..", path),
		filepath.Join(k.dir, "..", "..", "data", filepath.Base(path)),
	}
	if dir := os.Getenv("GONDOLA_DATA"); dir != "" {
		places = []string{filepath.Join(dir, filepath.Base(path))}
	}
	at := places[0]
	for _, place := range slices.Backward(places) {
		if _, err := os.Stat(place); err == nil {
			at = place
		}
	}
	if _, err := os.Stat(at); err != nil {
		return nil, errFile{at}
	}
	c, err := cloud.Open(at)
	if err != nil {
		return nil, err
	}
	for i := range c.N {
		p = append(p, make([]float64, c.D))
		for j, v := range c.X[i*c.D : (i+1)*c.D] {
			p[i][j] = float64(v)
		}
	}
	return p, nil
}

func (r recipe) generate() (p [][]float64, err error) {
	s := splitmix(r.Seed)
	off, err := three(r.Off)
	if err != nil {
		return nil, fmt.Errorf("off: %w", err)
	}
	switch r.Gen {
	case "fib":
		for k := range r.N {
			z := 1 - (2*float64(k)+1)/float64(r.N)
			a, rad := float64(k)*math.Pi*(3-math.Sqrt(5)), math.Sqrt(1-float64(z*z))
			p = append(p, []float64{rad * math.Cos(a), rad * math.Sin(a), z})
		}
	case "ngon":
		for k := range r.N {
			a := float64(2*math.Pi*float64(k))/float64(r.N) + r.Phi
			p = append(p, []float64{math.Cos(a), math.Sin(a), 0})
		}
	case "grid":
		for i := range r.M * r.M * r.M {
			p = append(p, []float64{float64(i/(r.M*r.M)) + off[0], float64(i/r.M%r.M) + off[1], float64(i%r.M) + off[2]})
		}
	case "zeros":
		p = origins(r.N, 3)
	case "gaussgrid":
		for k := range r.N {
			p = append(p, []float64{r.line(k), 0, 0})
		}
	case "cube":
		for range r.N {
			p = append(p, []float64{s.next(), s.next(), s.next()})
		}
	case "sphere":
		for range r.N {
			z := 2*s.next() - 1
			a, rad := 2*math.Pi*s.next(), math.Sqrt(1-float64(z*z))
			p = append(p, []float64{rad * math.Cos(a), rad * math.Sin(a), z})
		}
	default:
		return nil, fmt.Errorf("no generator %q", r.Gen)
	}
	return p, nil
}

// splitmix is the source of the random clouds of a file of cases.
type splitmix uint64

func (s *splitmix) next() float64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}

// three reads a number, or three, as three; nothing is zero.
func three(text json.RawMessage) (v [3]float64, err error) {
	var all []float64
	if len(text) == 0 || json.Unmarshal(text, &v[0]) == nil {
		return [3]float64{v[0], v[0], v[0]}, nil
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all) != 3 {
		return v, fmt.Errorf("%s is neither a number nor three", text)
	}
	return [3]float64(all), nil
}

// origins are n points at the origin.
func origins(n, d int) [][]float64 {
	p := make([][]float64, n)
	for i := range p {
		p[i] = make([]float64, d)
	}
	return p
}

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

	"github.com/gondola-lab/gondola/cloud"
)

// recipe is how a file of cases describes a cloud: as points, by a generator,
// from a file, or from other clouds; then what is done to it, in order.
type recipe struct {
	Gen         string
	N, M        int
	Seed        uint64
	Phi         float64
	Off         float64
	Lo, Hi      float64
	Points      [][]float64
	File        string
	Of          string
	Concat      []string
	ConcatPoint *struct {
		Of    string
		Point []float64
	} `json:"concat_point"`
	Then []map[string]json.RawMessage
	Sum  string `json:"sha256_f32le_first8"`
}

// errFile says that a cloud's file is not at hand.
type errFile struct{ path string }

func (e errFile) Error() string { return "no file " + e.path }

// kitchen makes the clouds of a file of cases, each in float64.
type kitchen struct {
	recipes map[string]recipe
	dir     string // of the file of cases
}

// cloud makes the named cloud, rounds it to float32 and checks its sum.
func (k kitchen) cloud(name string) (cloud.Cloud, error) {
	p, err := k.points(name, 0)
	if err != nil {
		return cloud.Cloud{}, err
	}
	c := cloud.Cloud{N: len(p), D: 3}
	for _, q := range p {
		c.X = append(c.X, float32(q[0]), float32(q[1]), float32(q[2]))
	}
	if want := k.recipes[name].Sum; want != "" {
		if got := checksum(c.X); got != want {
			return c, fmt.Errorf("cloud %s has the sum %s, want %s", name, got, want)
		}
	}
	return c, nil
}

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

func (k kitchen) points(name string, depth int) (p [][3]float64, err error) {
	r, ok := k.recipes[name]
	if !ok || depth > 8 {
		return nil, fmt.Errorf("no cloud %q", name)
	}
	switch {
	case r.Points != nil:
		for _, q := range r.Points {
			p = append(p, [3]float64{q[0], q[1], q[2]})
		}
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
		q := r.ConcatPoint.Point
		p = append(p, [3]float64{q[0], q[1], q[2]})
	default:
		p, err = r.generate()
	}
	if err != nil {
		return nil, err
	}
	for _, step := range r.Then {
		for verb, arg := range step {
			if p, err = change(p, verb, arg); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// file reads a cloud of the data folder: GONDOLA_DATA, or the folder that the
// case's path names two levels above the file of cases.
func (k kitchen) file(path string) (p [][3]float64, err error) {
	at := filepath.Join(k.dir, "..", "..", path)
	if dir := os.Getenv("GONDOLA_DATA"); dir != "" {
		at = filepath.Join(dir, filepath.Base(path))
	}
	if _, err := os.Stat(at); err != nil {
		return nil, errFile{at}
	}
	c, err := cloud.Open(at)
	if err != nil {
		return nil, err
	}
	for i := range c.N {
		p = append(p, [3]float64{float64(c.X[i*c.D]), float64(c.X[i*c.D+1]), float64(c.X[i*c.D+2])})
	}
	return p, nil
}

func (r recipe) generate() (p [][3]float64, err error) {
	s := splitmix(r.Seed)
	switch r.Gen {
	case "fib":
		for k := range r.N {
			z := 1 - (2*float64(k)+1)/float64(r.N)
			a, rad := float64(k)*math.Pi*(3-math.Sqrt(5)), math.Sqrt(1-float64(z*z))
			p = append(p, [3]float64{rad * math.Cos(a), rad * math.Sin(a), z})
		}
	case "ngon":
		for k := range r.N {
			a := float64(2*math.Pi*float64(k))/float64(r.N) + r.Phi
			p = append(p, [3]float64{math.Cos(a), math.Sin(a), 0})
		}
	case "grid":
		for i := range r.M * r.M * r.M {
			a, b, c := i/(r.M*r.M), i/r.M%r.M, i%r.M
			p = append(p, [3]float64{float64(a) + r.Off, float64(b) + r.Off, float64(c) + r.Off})
		}
	case "zeros":
		p = make([][3]float64, r.N)
	case "gaussgrid":
		for k := range r.N {
			p = append(p, [3]float64{r.Lo + (r.Hi-r.Lo)*float64(k)/float64(r.N-1), 0, 0})
		}
	case "cube":
		for range r.N {
			p = append(p, [3]float64{s.next(), s.next(), s.next()})
		}
	case "sphere":
		for range r.N {
			z := 2*s.next() - 1
			a, rad := 2*math.Pi*s.next(), math.Sqrt(1-float64(z*z))
			p = append(p, [3]float64{rad * math.Cos(a), rad * math.Sin(a), z})
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

// change does one step of a recipe.
func change(p [][3]float64, verb string, arg json.RawMessage) (q [][3]float64, err error) {
	var f float64
	var n int
	var v []float64
	var jitter struct {
		Amp  float64
		Seed uint64
	}
	into := map[string]any{"scale": &f, "rotz": &f, "shift": &v, "jitter": &jitter,
		"repeat": &n, "pad": &n, "perm": &n, "head": &n, "every": &n}[verb]
	if into == nil {
		return nil, fmt.Errorf("no step %q", verb)
	}
	if err := json.Unmarshal(arg, into); err != nil {
		return nil, err
	}
	s := splitmix(jitter.Seed)
	for i, a := range p {
		switch verb {
		case "scale":
			q = append(q, [3]float64{a[0] * f, a[1] * f, a[2] * f})
		case "rotz":
			c, d := math.Cos(f), math.Sin(f)
			q = append(q, [3]float64{float64(c*a[0]) - float64(d*a[1]), float64(d*a[0]) + float64(c*a[1]), a[2]})
		case "shift":
			q = append(q, [3]float64{a[0] + v[0], a[1] + v[1], a[2] + v[2]})
		case "jitter":
			for k := range a {
				a[k] += jitter.Amp * (2*s.next() - 1)
			}
			q = append(q, a)
		case "repeat":
			for range n {
				q = append(q, a)
			}
		case "perm":
			q = append(q, p[(i*n+1)%len(p)])
		case "every":
			if i%n == 0 {
				q = append(q, a)
			}
		}
	}
	switch verb {
	case "pad":
		q = append(append(q, p...), make([][3]float64, n)...)
	case "head":
		q = p[:n]
	}
	return q, nil
}

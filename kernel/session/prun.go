package session

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/native"
)

const prunRows = 20 // functions in the table

// prun runs code under the CPU profiler and shows where the time went, a
// function a row. The code is compiled where that can be done: of interpreted
// code the profiler sees the interpreter.
func (r *run) prun(code string) *engine.CellError {
	if _, err := native.Find(r.ctx, native.Config{Notice: r.notice}); err == nil && r.s.policy != Interpret {
		r.forced = "%prun"
		defer func() { r.forced = "" }()
	}
	var raw bytes.Buffer
	begun, profiled := time.Duration(0), errors.New("")
	failed := r.profiled(&raw, &profiled, func() *engine.CellError {
		t := time.Now()
		defer func() { begun = time.Since(t) }()
		return r.piece(code, false)
	})
	if failed != nil {
		return failed
	}
	if profiled != nil {
		return plainError("MagicError", "%prun: "+profiled.Error())
	}
	rows, err := readProfile(&raw)
	if err != nil {
		return r.internal("%prun: "+err.Error(), nil)
	}
	if len(rows) == 0 {
		r.say("no samples in %s: the profiler looks 100 times a second", span(begun))
		return nil
	}
	r.say("%s", profileTable(rows, begun))
	return nil
}

// profiled runs do under the profiler, whose own error goes to err.
func (r *run) profiled(to io.Writer, err *error, do func() *engine.CellError) *engine.CellError {
	if *err = pprof.StartCPUProfile(to); *err != nil {
		return nil
	}
	defer pprof.StopCPUProfile()
	return do()
}

// spent is the CPU time of a function: in it, and below it too.
type spent struct {
	name      string
	flat, cum time.Duration
}

// profileTable is the functions that took the most, by their own time.
func profileTable(rows []spent, wall time.Duration) string {
	var total time.Duration
	for _, s := range rows {
		total += s.flat
	}
	slices.SortFunc(rows, func(a, b spent) int {
		return cmp.Or(cmp.Compare(b.flat, a.flat), cmp.Compare(b.cum, a.cum), strings.Compare(a.name, b.name))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "CPU %s in %s\n", span(total), span(wall))
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "own\tshare\twith calls\tfunction")
	for _, s := range rows[:min(len(rows), prunRows)] {
		fmt.Fprintf(w, "%s\t%.0f %%\t%s\t%s\n", span(s.flat), 100*float64(s.flat)/float64(max(total, 1)), span(s.cum), s.name)
	}
	w.Flush()
	if n := len(rows) - prunRows; n > 0 {
		fmt.Fprintf(&b, "and %d more\n", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// field is one field of a protocol buffer: a number or bytes.
type field struct {
	tag   int
	num   uint64
	bytes []byte
}

var errProfile = errors.New("the profile is broken")

// fields reads a message of a protocol buffer.
func fields(b []byte) (out []field, err error) {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errProfile
		}
		b = b[n:]
		f := field{tag: int(key >> 3)}
		f.num, n = binary.Uvarint(b)
		if n <= 0 {
			return nil, errProfile
		}
		b = b[n:]
		switch key & 7 {
		case 0:
		case 2:
			if f.num > uint64(len(b)) {
				return nil, errProfile
			}
			f.bytes, b = b[:f.num], b[f.num:]
		default: // profiles have no others
			return nil, errProfile
		}
		out = append(out, f)
	}
	return out, nil
}

// numbers are the values of a repeated field, packed or single.
func (f field) numbers() (out []uint64) {
	if f.bytes == nil {
		return []uint64{f.num}
	}
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return out
		}
		out, b = append(out, v), b[n:]
	}
	return out
}

// profile is what is read of one (github.com/google/pprof/proto/profile.proto).
type profile struct {
	texts     []string
	functions map[uint64]uint64   // id → place of its name
	locations map[uint64][]uint64 // id → functions, the innermost first
	samples   [][2][]uint64       // locations, values
}

// readProfile sums the samples of a CPU profile by function.
func readProfile(r io.Reader) ([]spent, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	top, err := fields(raw)
	if err != nil {
		return nil, err
	}
	p := profile{functions: map[uint64]uint64{}, locations: map[uint64][]uint64{}}
	for _, f := range top {
		if f.tag == 6 {
			p.texts = append(p.texts, string(f.bytes))
			continue
		}
		if f.tag != 2 && f.tag != 4 && f.tag != 5 {
			continue
		}
		inner, err := fields(f.bytes)
		if err != nil {
			return nil, err
		}
		if err := p.take(f.tag, inner); err != nil {
			return nil, err
		}
	}
	return p.sum(), nil
}

// take reads a sample, a location or a function.
func (p *profile) take(tag int, inner []field) error {
	var id, name uint64
	var sample [2][]uint64
	var lines []uint64
	for _, g := range inner {
		switch {
		case tag == 2 && (g.tag == 1 || g.tag == 2):
			sample[g.tag-1] = append(sample[g.tag-1], g.numbers()...)
		case tag == 4 && g.tag == 4:
			line, err := fields(g.bytes)
			if err != nil {
				return err
			}
			for _, h := range line {
				if h.tag == 1 {
					lines = append(lines, h.num)
				}
			}
		case g.tag == 1:
			id = g.num
		case tag == 5 && g.tag == 2:
			name = g.num
		}
	}
	switch tag {
	case 2:
		p.samples = append(p.samples, sample)
	case 4:
		p.locations[id] = lines
	case 5:
		p.functions[id] = name
	}
	return nil
}

// sum adds the samples up. The last value of a sample is its nanoseconds.
func (p *profile) sum() []spent {
	by := map[string]*spent{}
	for _, s := range p.samples {
		if len(s[1]) == 0 {
			continue
		}
		took, first, seen := time.Duration(s[1][len(s[1])-1]), true, map[string]bool{}
		for _, l := range s[0] {
			for _, f := range p.locations[l] {
				name := p.name(f)
				if by[name] == nil {
					by[name] = &spent{name: name}
				}
				if first {
					by[name].flat += took
				}
				if !seen[name] { // recursion counts once
					by[name].cum += took
				}
				first, seen[name] = false, true
			}
		}
	}
	var out []spent
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, *by[name])
	}
	return out
}

// name is a function as a person calls it: the last part of its path.
func (p *profile) name(id uint64) string {
	i := p.functions[id]
	if i >= uint64(len(p.texts)) || p.texts[i] == "" {
		return "?"
	}
	full := p.texts[i]
	if plain, ok := cellapi.PlainName(full); ok {
		return cmp.Or(plain, "(statements of the cell)")
	}
	if strings.HasPrefix(full, "github.com/traefik/yaegi/") {
		return "(interpreter)"
	}
	return path.Base(full)
}

// seed declares a generator of random numbers with a seed that is told: Go's own
// top-level functions cannot be given one.
func (r *run) seed(args string) error {
	n, err := rand.Uint64N(1_000_000), error(nil)
	if args != "" {
		if n, err = strconv.ParseUint(args, 10, 64); err != nil {
			return fmt.Errorf("%%seed %s: it takes a number, or draws one", args)
		}
	}
	code := fmt.Sprintf("rng := rand.New(rand.NewPCG(1, %d))", n)
	if failed := r.piece(code, false); failed != nil {
		return failed
	}
	r.say("%s", code)
	return nil
}

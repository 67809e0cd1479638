package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"github.com/gondola-lab/gondola/cloud"
)

// denseGoals are the targets of dense torch / ours, CPU time, by the number of
// points, for the two forms of torch: at t = 1e-10, and half of it at the
// threshold chosen.
var denseGoals = []struct {
	n            int
	plain, tuned float64
}{{2048, 80, 60}, {4096, 250, 90}, {16384, 1200, 400}}

// denseBytes is what dense torch needs for a pair of points, and denseLimit what
// the benchmark lets it have; where it needs more its time is told by the
// exponent between the sizes before.
const (
	denseBytes = 24
	denseLimit = 20e9
)

// dense compares with dense torch: value and both gradients.
func (b *lossBench) dense(show func(lossRow) error) error {
	for _, form := range []string{"plain", "tuned"} {
		for _, pages := range []string{"", ", hugetlb"} {
			if err := b.denseForm(form, pages, show); err != nil {
				return err
			}
		}
	}
	return nil
}

// denseForm is the rows of one form of torch and one allocator. The targets are
// for the default allocator: half of torch's time are page faults, which large
// pages take away.
func (b *lossBench) denseForm(form, pages string, show func(lossRow) error) error {
	name := func(n int, threshold string) string {
		return fmt.Sprintf("APML, cube, %d, %s: dense torch, %s%s / ours, CPU", n, threshold, form, pages)
	}
	var before []float64 // seconds by size
	for k, goal := range denseGoals {
		if !b.wants(name(goal.n, "t = 1e-10")) && !b.wants(name(goal.n, "t chosen")) {
			before = append(before, math.NaN())
			continue
		}
		x, y, err := b.clouds("cube", goal.n)
		if err != nil {
			return err
		}
		theirs, note := b.torch(x, y, goal.n, form, pages, before)
		before = append(before, theirs.CPU)
		for _, threshold := range []string{"1e-10", "0"} {
			row := lossRow{Row: name(goal.n, "t = "+threshold), Unit: "x", AtLeast: true, NoGoal: pages != "", Theirs: theirs}
			row.Target = []float64{goal.plain, goal.tuned}[map[string]int{"plain": 0, "tuned": 1}[form]]
			if threshold == "0" {
				row.Row, row.Target = name(goal.n, "t chosen"), row.Target/2
			}
			if row.Row += note; !b.wants(row.Row) {
				continue
			}
			if row.Skipped = theirs.Skip; theirs.Skip == "" {
				for range peerTurns {
					r, err := b.ours(x, y, 1<<15/goal.n, "-threshold", threshold)
					if err != nil {
						return err
					}
					row.Ours = best(row.Ours, r)
				}
				row.Value = theirs.CPU / row.Ours.CPU
			} else {
				row.Theirs = nil
			}
			if err := show(row); err != nil {
				return err
			}
			if err := b.denseMemory(denseGoals[k].n, row, threshold+form+pages, show); err != nil {
				return err
			}
		}
	}
	return nil
}

// torch runs dense torch, or tells its time by those of the sizes before.
func (b *lossBench) torch(x, y string, n int, form, pages string, before []float64) (*benched, string) {
	if k := len(before); float64(n)*float64(n)*denseBytes > min(denseLimit, available()) && k >= 2 {
		a, c := denseGoals[k-2], denseGoals[k-1]
		exponent := math.Log(before[k-1]/before[k-2]) / math.Log(float64(c.n)/float64(a.n))
		return &benched{CPU: before[k-1] * math.Pow(float64(n)/float64(c.n), exponent)},
			fmt.Sprintf(", told by the exponent %.2f from %d to %d", exponent, a.n, c.n)
	}
	var env []string
	if pages != "" {
		env = []string{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}
	}
	var theirs *benched
	for range max(1, min(peerTurns, 1<<13/n)) {
		t, err := b.process(env, b.python, filepath.Join(b.scripts, "apml_dense_torch.py"), x, y, form,
			strconv.Itoa(max(1, min(3, 1<<13/n))))
		if err != nil {
			t = &benched{Skip: err.Error()}
		}
		if theirs = best(theirs, t); t.Skip != "" {
			break
		}
	}
	return theirs, ""
}

// available is the memory that processes may still have; +Inf where the system does
// not tell.
func available() float64 {
	if v := memoryIn("/proc/meminfo", "MemAvailable"); v > 0 {
		return float64(v)
	}
	return math.Inf(1)
}

// denseMemory is the row of the memory, once, at 4,096 points.
func (b *lossBench) denseMemory(n int, cpu lossRow, which string, show func(lossRow) error) error {
	const name = "APML, cube, 4096, t chosen: dense torch, plain / ours, memory"
	if n != 4096 || which != "0plain" || !b.wants(name) {
		return nil
	}
	row := lossRow{Row: name, Unit: "x", Target: 50, AtLeast: true, Ours: cpu.Ours, Theirs: cpu.Theirs, Skipped: cpu.Skipped}
	switch {
	case row.Skipped != "":
	case row.Ours.Memory <= 0 || row.Theirs.Memory <= 0:
		row.Skipped = untold
	default:
		row.Value = float64(row.Theirs.Memory) / float64(row.Ours.Memory)
	}
	return show(row)
}

// chamfer compares with cKDTree, which makes no gradients.
func (b *lossBench) chamfer(show func(lossRow) error) error {
	for _, shape := range []string{"cube", "sphere"} {
		name := "Chamfer, " + shape + ", 131,072: cKDTree without gradients / ours with both, CPU"
		if !b.wants(name) {
			continue
		}
		x, y, err := b.clouds(shape, 1<<17)
		if err != nil {
			return err
		}
		row := lossRow{Row: name, Unit: "x", Target: 2, AtLeast: true}
		for range peerTurns {
			o, err := b.ours(x, y, 2, "-loss", "chamfer")
			if err != nil {
				return err
			}
			t, err := b.process(nil, b.python, filepath.Join(b.scripts, "chamfer_ckdtree.py"), x, y, "2")
			if err != nil {
				t = &benched{Skip: err.Error()}
			}
			row.Ours, row.Theirs = best(row.Ours, o), best(row.Theirs, t)
			if row.Skipped = t.Skip; t.Skip != "" {
				row.Theirs = nil
				break
			}
			row.Value = row.Theirs.CPU / row.Ours.CPU
		}
		if err := show(row); err != nil {
			return err
		}
	}
	return nil
}

// search compares the quadratic search of the published variant, written here, with
// the whole of our call.
func (b *lossBench) search(show func(lossRow) error) error {
	const n = 1 << 14
	name := "APML, cube, 16,384, t = 1e-10: quadratic search of the support / our whole call"
	if !b.wants(name) {
		return nil
	}
	x, y, err := b.clouds("cube", n)
	if err != nil {
		return err
	}
	var clouds [2]cloud.Cloud
	for k, path := range []string{x, y} {
		if clouds[k], err = cloud.OpenWith(path, cloud.Options{Format: "raw", Stride: 3}); err != nil {
			return err
		}
	}
	row := lossRow{Row: name, Unit: "x", Target: 50, AtLeast: true}
	seconds, entries := math.Inf(1), 0
	for range 2 {
		start := cpuSeconds()
		entries = quadratic(clouds[0].X, clouds[1].X, 1e-10) + quadratic(clouds[1].X, clouds[0].X, 1e-10)
		seconds = min(seconds, cpuSeconds()-start)
		r, err := b.ours(x, y, 4, "-threshold", "1e-10")
		if err != nil {
			return err
		}
		row.Ours = best(row.Ours, r)
	}
	row.Theirs = &benched{CPU: seconds, NNZ: int64(entries)}
	row.Value = seconds / row.Ours.CPU
	return show(row)
}

// quadratic counts the pairs that the rows of x keep among those of y, as the
// published code finds them: one pass over all pairs for the two nearest, and
// one that keeps a pair whose similarity is above the threshold.
func quadratic(x, y []float32, threshold float64) (entries int) {
	logit := math.Log(float64(len(y)/3-1) / 0.2)
	for i := 0; i < len(x); i += 3 {
		px, py, pz := x[i], x[i+1], x[i+2]
		d1, d2 := float32(math.Inf(1)), float32(math.Inf(1))
		for j := 0; j+2 < len(y); j += 3 {
			a, b, c := px-y[j], py-y[j+1], pz-y[j+2]
			switch s := a*a + b*b + c*c; {
			case s < d1:
				d1, d2 = s, d1
			case s < d2:
				d2 = s
			}
		}
		first := math.Sqrt(float64(d1))
		sharp := logit / max(math.Sqrt(float64(d2))-first, 1e-8)
		for j := 0; j+2 < len(y); j += 3 {
			a, b, c := px-y[j], py-y[j+1], pz-y[j+2]
			if math.Exp((first-math.Sqrt(float64(a*a+b*b+c*c)))*sharp) > threshold {
				entries++
			}
		}
	}
	return entries
}

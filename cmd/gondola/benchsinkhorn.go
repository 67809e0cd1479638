package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

type sinkhornPeer struct {
	name, script, form string
	steady             bool // it works where exp(−C/ε) is 0 for whole rows
	quick              bool // it is fast enough to be tried in every row
}

// sinkhornPeers are the other libraries' ways to the same plan: a script and its form.
// POT's form of logarithms takes twenty times the time of OTT-JAX's, and is left out.
var sinkhornPeers = []sinkhornPeer{
	{"POT plain", "sinkhorn_pot.py", "plain", false, true},
	{"POT stabilized", "sinkhorn_pot.py", "stabilized", true, false},
	{"GeomLoss", "sinkhorn_geomloss.py", "", true, true},
	{"OTT-JAX log", "sinkhorn_ott.py", "log", true, true},
	{"OTT-JAX kernel", "sinkhorn_ott.py", "kernel", false, true},
}

// sinkhornRow is one problem of the rows of entropic transport.
type sinkhornRow struct {
	shape   string
	n       int
	share   float64 // ε as a share of the largest cost of one cloud
	largest float64
	tol     float64
	target  float64
	far     bool // plain scaling underflows
}

func (r sinkhornRow) name(peer string) string {
	return fmt.Sprintf("Sinkhorn, %s, %d, ε %g of the largest cost, error %.0e: %s / ours, CPU", r.shape, r.n, r.share, r.tol, peer)
}

// sinkhornRows are unit spheres, whose largest cost is 4, and spheres so far apart
// that exp(−C/ε) is zero.
func sinkhornRows() (rows []sinkhornRow) {
	for _, n := range []int{2048, 4096} {
		for _, share := range []float64{0.05, 0.01} {
			for _, tol := range []float64{1e-3, 1e-6} {
				rows = append(rows, sinkhornRow{"sphere", n, share, 4, tol, 4, false})
			}
		}
	}
	return append(rows, sinkhornRow{"sphere, shift by 10", 2048, 3e-4, 144, 1e-3, 20, true})
}

// sinkhorn compares the time to the same marginal error, without self-terms, ours with
// both gradients.
func (b *lossBench) sinkhorn(show func(lossRow) error) error {
	for _, r := range sinkhornRows() {
		if err := b.sinkhornRow(r, show); err != nil {
			return err
		}
	}
	return nil
}

func (b *lossBench) sinkhornRow(r sinkhornRow, show func(lossRow) error) error {
	const fastest = "fastest peer"
	if !b.wants(r.name(fastest)) && !slices.ContainsFunc(sinkhornPeers, func(p sinkhornPeer) bool { return b.wants(r.name(p.name)) }) {
		return nil
	}
	x, y, err := b.clouds(r.shape, r.n)
	if err != nil {
		return err
	}
	eps := strconv.FormatFloat(r.share*r.largest, 'g', -1, 64)
	tol := strconv.FormatFloat(r.tol, 'g', -1, 64)
	whole := lossRow{Row: r.name(fastest), Unit: "x", Target: r.target, AtLeast: true, Skipped: "no peer has run"}
	var ours *benched
	var all []lossRow
	for _, p := range sinkhornPeers {
		row := lossRow{Row: r.name(p.name), Unit: "x", NoGoal: true}
		if r.far && !p.steady || !r.far && !p.quick || !b.wants(row.Row) && !b.wants(r.name(fastest)) {
			continue
		}
		rounds := "3"
		if r.far { // one that does not get there takes long
			rounds = "1"
		}
		args := []string{filepath.Join(b.scripts, p.script), x, y, eps, tol, p.form, rounds}
		if p.form == "" {
			args = append(args[:5], args[6])
		}
		o, err := b.ours(x, y, 5, "-loss", "sinkhorn", "-epsilon", eps, "-tol", tol)
		if err != nil {
			return err
		}
		ours = best(ours, o)
		t, err := b.process(nil, b.python, args...)
		if err != nil {
			t = &benched{Skip: err.Error()}
		}
		if row.Theirs, row.Skipped = t, t.Skip; t.Skip != "" {
			row.Theirs = nil
		} else if off := math.Abs(o.Value - t.Value); !(off <= 4*r.tol*r.largest) {
			return fmt.Errorf("%s: our plan costs %.15g, theirs %.15g", row.Row, o.Value, t.Value)
		} else if whole.Theirs == nil || t.CPU < whole.Theirs.CPU {
			whole.Theirs, whole.Skipped = t, ""
			whole.Row = r.name(fastest) + " (" + p.name + ")"
		}
		all = append(all, row)
	}
	for _, row := range all {
		if row.Ours = ours; row.Theirs != nil {
			row.Value = row.Theirs.CPU / ours.CPU
		}
		if err := show(row); err != nil {
			return err
		}
	}
	if whole.Ours = ours; whole.Theirs != nil {
		whole.Value = whole.Theirs.CPU / ours.CPU
	}
	if !b.wants(r.name(fastest)) {
		return nil
	}
	return show(whole)
}

// entropic are the rows of Sinkhorn that need no peer.
func (b *lossBench) entropic(show func(lossRow) error) error {
	if err := b.slider(show); err != nil {
		return err
	}
	return b.truncated(show)
}

// slider is the time on the clock of a call after ε has moved by a tenth, with the
// potentials of the call before, and without.
func (b *lossBench) slider(show func(lossRow) error) error {
	const warmName, coldName = "Sinkhorn, sphere, 256, ε moved by 10 %, warm: time", "Sinkhorn, sphere, 256, cold: time"
	if !b.wants(warmName) && !b.wants(coldName) {
		return nil
	}
	rnd := rand.New(rand.NewPCG(1, 256))
	x, y := cloud.Sphere(rnd, 256), cloud.Sphere(rnd, 256)
	var least [2]float64 // seconds, warm and cold
	for turn := range 10 {
		o := apmlgpu.SinkhornOptions{Epsilon: 0.04}
		r, err := apmlgpu.Sinkhorn(x, y, o)
		if err != nil {
			return err
		}
		p, err := r.Potentials()
		if err != nil {
			return err
		}
		o.Epsilon *= 1.1
		for k, from := range []*apmlgpu.Potentials{&p, nil} {
			o.Warm = from
			start := time.Now()
			if _, err := apmlgpu.Sinkhorn(x, y, o); err != nil {
				return err
			}
			if s := time.Since(start).Seconds(); turn == 0 || s < least[k] {
				least[k] = s
			}
		}
	}
	if err := show(lossRow{Row: warmName, Value: 1e3 * least[0], Unit: "ms", Target: 5}); err != nil {
		return err
	}
	return show(lossRow{Row: coldName, Value: 1e3 * least[1], Unit: "ms", NoGoal: true})
}

// truncated compares a round over the pairs that matter with one over all, at 50,000
// points, where all of them cannot be stored.
func (b *lossBench) truncated(show func(lossRow) error) error {
	const n, share = 50000, 1e-3
	name := fmt.Sprintf("Sinkhorn, sphere, %d, ε %g of the largest cost, one round: all pairs / those that matter", n, share)
	if !b.wants(name) {
		return nil
	}
	rnd := rand.New(rand.NewPCG(1, n))
	x, y := cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)
	o := apmlgpu.SinkhornOptions{Epsilon: 4 * share, Threads: 1, Biased: true, Tol: 1e-5}
	all, err := roundSeconds(x, y, apmlgpu.MethodStreaming, 2, o)
	if err != nil {
		return err
	}
	some, err := roundSeconds(x, y, apmlgpu.MethodTruncated, 5, o)
	if err != nil {
		return err
	}
	return show(lossRow{Row: name, Value: all / some, Unit: "x", Target: 5, AtLeast: true, Ours: &benched{CPU: some},
		Theirs: &benched{CPU: all}})
}

// roundSeconds is the CPU time of a round after the first, the least of some; the call
// is ended then.
func roundSeconds(x, y cloud.Cloud, m apmlgpu.Method, rounds int, o apmlgpu.SinkhornOptions) (float64, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	least, before := math.Inf(1), math.NaN()
	o.Method, o.Context = m, ctx
	o.Trace = func(s apmlgpu.Step) {
		now := cpuSeconds()
		if s.Iteration > 1 {
			least = min(least, now-before)
		}
		if before = now; s.Iteration > rounds {
			cancel()
		}
	}
	if _, err := apmlgpu.Sinkhorn(x, y, o); err != nil && ctx.Err() == nil {
		return 0, err
	}
	return least, nil
}

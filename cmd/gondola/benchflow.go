package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/apmlgpu/flow"
	"github.com/gondola-lab/gondola/cloud"
)

// flows measures gradient flows: how many steps of APML a second, between clouds alike and
// from a clump, whose support is nearly every pair on the way; and what warm starts save
// exact transport and Sinkhorn.
func (b *lossBench) flows(show func(lossRow) error) error {
	threads := min(2, runtime.NumCPU())
	apml := apmlgpu.APMLOptions{Threads: threads, Context: b.ctx}
	for _, from := range []string{"cube", "clump"} {
		name := fmt.Sprintf("APML, flow of 2,048 points from a %s, %d threads: steps a second", from, threads)
		if !b.wants(name) {
			continue
		}
		const steps = 60
		least := math.Inf(1)
		for range peerTurns {
			took, err := b.flow(from, 2048, steps, flow.APML(apml))
			if err != nil {
				return err
			}
			least = min(least, took)
		}
		if err := show(lossRow{Row: name, Value: steps / least, Unit: "1/s", Target: 30, AtLeast: true}); err != nil {
			return err
		}
	}
	emd := apmlgpu.EMDOptions{Threads: 1, Context: b.ctx}
	sinkhorn := apmlgpu.SinkhornOptions{Threads: 1, Epsilon: 0.05, Context: b.ctx}
	for _, l := range []struct {
		name       string
		cold, warm flow.Loss
	}{
		{"EMD", func(x, y cloud.Cloud) (apmlgpu.Result, error) { return apmlgpu.EMD(x, y, emd) }, flow.EMD(emd)},
		{"Sinkhorn", func(x, y cloud.Cloud) (apmlgpu.Result, error) { return apmlgpu.Sinkhorn(x, y, sinkhorn) },
			flow.Sinkhorn(sinkhorn)},
	} {
		name := l.name + ", flow of 1,024 points, 20 steps, one thread: time without warm starts / with"
		if !b.wants(name) {
			continue
		}
		var cold, warm float64
		for range peerTurns {
			c, err := b.flow("clump", 1024, 20, l.cold)
			if err != nil {
				return err
			}
			w, err := b.flow("clump", 1024, 20, l.warm)
			if err != nil {
				return err
			}
			cold, warm = cold+c, warm+w
		}
		if err := show(lossRow{Row: name, Value: cold / warm, Unit: "x", NoGoal: true}); err != nil {
			return err
		}
	}
	return nil
}

// flow is the time on the clock that so many steps take: from a random cube to another,
// or from a clump to the sphere.
func (b *lossBench) flow(from string, n, steps int, loss flow.Loss) (seconds float64, err error) {
	x, y := cloud.Cap(n), cloud.Fibonacci(n)
	if from == "cube" {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		x, y = cloud.Cube(rnd, n), cloud.Cube(rnd, n)
	}
	start := time.Now()
	_, err = flow.Run(x, y, loss, flow.Options{Steps: steps, Step: 0.05, Context: b.ctx})
	return time.Since(start).Seconds(), err
}

package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/apmlgpu/flow"
	"github.com/gondola-lab/gondola/cloud"
)

// flows measures gradient flows from a clump to the sphere: how many steps of APML a
// second, and what warm starts save exact transport and Sinkhorn.
func (b *lossBench) flows(show func(lossRow) error) error {
	threads := min(2, runtime.NumCPU())
	name := fmt.Sprintf("APML, flow of 2,048 points, %d threads: steps a second", threads)
	if b.wants(name) {
		loss := func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.APML(x, y, apmlgpu.APMLOptions{Threads: threads, Context: b.ctx})
		}
		const steps = 60
		least := 0.0
		for turn := range peerTurns {
			took, err := b.flow(2048, steps, loss)
			if err != nil {
				return err
			}
			if turn == 0 || took < least {
				least = took
			}
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
			c, err := b.flow(1024, 20, l.cold)
			if err != nil {
				return err
			}
			w, err := b.flow(1024, 20, l.warm)
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

// flow is the time on the clock that so many steps take.
func (b *lossBench) flow(n, steps int, loss flow.Loss) (seconds float64, err error) {
	start := time.Now()
	_, err = flow.Run(cloud.Cap(n), cloud.Fibonacci(n), loss, flow.Options{Steps: steps, Step: 0.05, Context: b.ctx})
	return time.Since(start).Seconds(), err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// cancelCalls are calls that work for long, by the part that takes most of their time.
var cancelCalls = []struct {
	name string
	n, m int
	call func(ctx context.Context, x, y cloud.Cloud) error
}{
	{"APML, trees and lists", 1 << 18, 1 << 18, apmlUnder(apmlgpu.MethodSparse)},
	{"APML, stored", 5000, 5000, apmlUnder(apmlgpu.MethodDense)},
	{"APML, recomputed", 3000, 3000, apmlUnder(apmlgpu.MethodStreaming)},
	{"Chamfer", 1 << 18, 1 << 18, func(ctx context.Context, x, y cloud.Cloud) error {
		_, err := apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{Context: ctx})
		return err
	}},
	{"Sliced", 1 << 18, 1 << 18, func(ctx context.Context, x, y cloud.Cloud) error {
		_, err := apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Context: ctx})
		return err
	}},
	{"EMD, auction", 10000, 10000, emdUnder},
	{"EMD, simplex over lists", 4000, 3000, emdUnder},
	{"EMD, trees of many points", 300000, 300000, emdUnder},
	{"Sinkhorn, stored", 5000, 5000, sinkhornUnder(apmlgpu.MethodStored, 0.02)},
	{"Sinkhorn, pairs that matter", 30000, 30000, sinkhornUnder(apmlgpu.MethodTruncated, 2e-3)},
	{"Sinkhorn, recomputed", 6000, 6000, sinkhornUnder(apmlgpu.MethodStreaming, 0.02)},
}

func apmlUnder(m apmlgpu.Method) func(ctx context.Context, x, y cloud.Cloud) error {
	return func(ctx context.Context, x, y cloud.Cloud) error {
		_, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Context: ctx, Method: m})
		return err
	}
}

func emdUnder(ctx context.Context, x, y cloud.Cloud) error {
	_, err := apmlgpu.EMD(x, y, apmlgpu.EMDOptions{Context: ctx})
	return err
}

func sinkhornUnder(m apmlgpu.Method, eps float64) func(ctx context.Context, x, y cloud.Cloud) error {
	return func(ctx context.Context, x, y cloud.Cloud) error {
		_, err := apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Context: ctx, Method: m, Epsilon: eps})
		return err
	}
}

// cancelTimes is how often a call is canceled, evenly over its time or the first
// cancelMost of it.
const (
	cancelTimes = 12
	cancelMost  = 4 * time.Second
)

// cancel is how long calls go on after they have been canceled, at worst.
func (b *lossBench) cancel(show func(lossRow) error) error {
	for _, c := range cancelCalls {
		name := fmt.Sprintf("%s, %d × %d: longest time from a cancel to the end", c.name, c.n, c.m)
		if !b.wants(name) {
			continue
		}
		rnd := rand.New(rand.NewPCG(1, uint64(c.n)))
		x, y := cloud.Sphere(rnd, c.n), cloud.Sphere(rnd, c.m)
		ctx, end := context.WithTimeout(b.ctx, cancelMost)
		start := time.Now()
		err := c.call(ctx, x, y)
		whole := min(time.Since(start), cancelMost)
		end()
		if err != nil && !errors.Is(err, apmlgpu.ErrCanceled) {
			return err
		}
		longest := time.Duration(0)
		for k := range cancelTimes {
			took, err := ended(b.ctx, whole*time.Duration(k+1)/(cancelTimes+1), func(ctx context.Context) error { return c.call(ctx, x, y) })
			if err != nil {
				return err
			}
			longest = max(longest, took)
		}
		row := lossRow{Row: name, Value: 1e3 * longest.Seconds(), Unit: "ms", Target: 50}
		if err := show(row); err != nil {
			return err
		}
	}
	return b.ctx.Err()
}

// ended cancels a call after a while and says how long it went on.
func ended(ctx context.Context, after time.Duration, call func(ctx context.Context) error) (time.Duration, error) {
	runtime.GC()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- call(ctx) }()
	select {
	case err := <-result: // sooner than it took before
		return 0, err
	case <-time.After(after):
	}
	cancel()
	start := time.Now()
	if err := <-result; err != nil && !errors.Is(err, apmlgpu.ErrCanceled) {
		return 0, err
	}
	return time.Since(start), nil
}

package losstest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runTransportCancel ends every way of both transports anywhere: by the number of
// questions whether to go on, and by ever later deadlines until a call is done. A call
// ends with ErrCanceled and no number, and no goroutine stays behind.
func runTransportCancel(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 81))
	few := weighted(Families(90, 81)[0])
	some := Family{"some", cloud.Sphere(rnd, 700), cloud.Sphere(rnd, 800)}
	many := Family{"many", cloud.Sphere(rnd, 1600), cloud.Cube(rnd, 1600)}
	deep := lifted(many, 5)
	for name, call := range map[string]func(ctx context.Context) (apmlgpu.Result, error){
		"emd, all pairs":     emdUnder(backend, few),
		"emd, lists":         emdUnder(backend, some),
		"emd, auction":       emdUnder(backend, many),
		"emd, 5 dimensions":  emdUnder(backend, Family{"deep", cloud.Cloud{N: 400, D: 5, X: deep.X.X[:2000]}, deep.Y}),
		"sinkhorn, stored":   sinkhornUnder(backend, some, apmlgpu.SinkhornOptions{Method: apmlgpu.MethodStored}),
		"sinkhorn, float64":  sinkhornUnder(backend, few, apmlgpu.SinkhornOptions{Tol: 1e-9, MaxIter: 100}),
		"sinkhorn, lists":    sinkhornUnder(backend, some, apmlgpu.SinkhornOptions{Method: apmlgpu.MethodTruncated}),
		"sinkhorn, no store": sinkhornUnder(backend, some, apmlgpu.SinkhornOptions{Method: apmlgpu.MethodStreaming}),
		"sinkhorn, reach":    sinkhornUnder(backend, some, apmlgpu.SinkhornOptions{Reach: 0.5}),
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			questions(t, func(c *countedContext) error { return emptyHanded(c, t, call) })
			done := false
			for wait := 100 * time.Microsecond; wait < time.Hour && !done; wait += wait / 2 {
				ctx, cancel := context.WithTimeout(t.Context(), wait)
				err := emptyHanded(ctx, t, call)
				cancel()
				if done = err == nil; !done && !errors.Is(err, apmlgpu.ErrCanceled) {
					t.Errorf("ended after %v: %v", wait, err)
				}
			}
			for range 10000 { // those that end have some time to
				if runtime.NumGoroutine() <= before {
					return
				}
				time.Sleep(time.Millisecond)
			}
			t.Errorf("%d goroutines, %d before the calls", runtime.NumGoroutine(), before)
		})
	}
}

// emptyHanded makes a call that may be canceled, and then has no result.
func emptyHanded(ctx context.Context, t *testing.T, call func(ctx context.Context) (apmlgpu.Result, error)) error {
	t.Helper()
	r, err := call(ctx)
	if unlessLate(err) == nil {
		return nil
	}
	if r.Value != 0 || r.GradX != nil {
		t.Errorf("a canceled call has given %v", r.Value)
	}
	return err
}

func emdUnder(backend string, f Family) func(ctx context.Context) (apmlgpu.Result, error) {
	return func(ctx context.Context) (apmlgpu.Result, error) {
		return apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, Context: ctx, Threads: 3})
	}
}

func sinkhornUnder(backend string, f Family, o apmlgpu.SinkhornOptions) func(ctx context.Context) (apmlgpu.Result, error) {
	return func(ctx context.Context) (apmlgpu.Result, error) {
		o.Backend, o.Context, o.Threads = backend, ctx, 3
		return apmlgpu.Sinkhorn(f.X, f.Y, o)
	}
}

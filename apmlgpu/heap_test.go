package apmlgpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	heaps "runtime/metrics"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// heapRise is how far a call lets the heap rise at most, garbage collected as soon as it
// is some; a goroutine looks all the time.
func heapRise(t *testing.T, call func() error) float64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	heap := func() float64 {
		s := []heaps.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		heaps.Read(s)
		return float64(s[0].Value.Uint64())
	}
	runtime.GC()
	before, most := heap(), 0.0
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			default:
				most = max(most, heap())
				runtime.Gosched()
			}
		}
	}()
	err := call()
	close(end)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	return most - before
}

// What transport says it takes, the heap sees, within a fifth. What the heap has grown by
// has garbage that is not collected yet, and small buffers of rows; lists of pairs, whose
// length nobody knows before, grow and are copied. Exact transport asks
// for lists that may all be full, before it knows: it says more than it takes.
func TestTransportPeakIsTheHeap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 91))
	x, y := cloud.Sphere(rnd, 1200), cloud.Sphere(rnd, 1500)
	far, near := cloud.Sphere(rnd, 5000), cloud.Sphere(rnd, 5000)
	for _, tt := range []struct {
		name string
		over float64 // what is seen over what is said, at most
		most float64 // and what is said over what is seen
		call func() (Result, error)
	}{
		{"Sinkhorn, stored", 1.2, 1.2, func() (Result, error) { return Sinkhorn(x, y, SinkhornOptions{Biased: true, Threads: 1}) }},
		{"Sinkhorn, float64", 1.2, 1.2, func() (Result, error) {
			return Sinkhorn(x, y, SinkhornOptions{Biased: true, Threads: 1, Tol: 1e-8})
		}},
		{"Sinkhorn, truncated", 1.4, 1.2, func() (Result, error) {
			return Sinkhorn(far, near, SinkhornOptions{Biased: true, Threads: 1, Epsilon: 0.008, Method: MethodTruncated})
		}},
		{"EMD, auction", 1.2, 2, func() (Result, error) { return EMD(far, near, EMDOptions{Threads: 1}) }},
		{"EMD, simplex", 1.2, 3, func() (Result, error) { return EMD(x, y, EMDOptions{Threads: 1}) }},
	} {
		var r Result
		grown, said := math.Inf(1), 0.0
		for try := 0; try < 5 && !(grown <= tt.over*said+1e6); try++ { // a busy machine collects late
			grown = min(grown, heapRise(t, func() (err error) { r, err = tt.call(); return err }))
			said = float64(r.Stats.PeakBytes + r.Stats.OutputBytes)
		}
		t.Logf("%s says %.2f MB, the heap has seen %.2f MB", tt.name, said/1e6, grown/1e6)
		if !(grown <= tt.over*said+1e6) {
			t.Errorf("%s says %.2f MB, the heap has seen %.2f MB", tt.name, said/1e6, grown/1e6)
		}
		if !(said <= tt.most*grown+1e6) {
			t.Errorf("%s says %.2f MB, the heap has seen only %.2f MB", tt.name, said/1e6, grown/1e6)
		}
	}
}

package flow

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// A threshold that is passed on saves trying twice, and changes a call by no more than
// what a threshold may leave out.
func TestThresholdIsPassedOn(t *testing.T) {
	warm, cold := APML(apmlgpu.APMLOptions{}), apmlgpu.APMLOptions{}
	calls, twice, passed := 0, 0, 0
	loss := func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		r, err := warm(x, y)
		if err != nil {
			return r, err
		}
		want, err := apmlgpu.APML(x, y, cold)
		if err != nil {
			return r, err
		}
		if !(left(r) <= leftMost) || !(math.Abs(r.Value-want.Value) <= 2*leftMost*want.Value) {
			t.Errorf("call %d: value %.12g, alone %.12g; left out %.3g", calls, r.Value, want.Value, left(r))
		}
		for i, g := range want.GradX {
			if !(math.Abs(float64(r.GradX[i]-g)) <= 1e-4) {
				t.Fatalf("call %d: gradient %d is %g, alone %g", calls, i, r.GradX[i], g)
			}
		}
		calls++
		if want.Stats.Retries > 0 {
			twice++
			if r.Stats.Retries == 0 {
				passed++
			}
		}
		return r, nil
	}
	if _, err := Run(cloud.Cap(400), cloud.Fibonacci(400), loss, Options{Steps: 12, Step: 0.05}); err != nil {
		t.Fatal(err)
	}
	if twice < 8 || 3*passed < 2*twice {
		t.Errorf("of %d calls %d try twice alone, and %d of those at once", calls, twice, passed)
	}
}

// A threshold that leaves out too much is not used: a cloud that leaps away gets the
// result of a call by itself.
func TestThresholdIsGivenUp(t *testing.T) {
	y := cloud.Fibonacci(300)
	loss := APML(apmlgpu.APMLOptions{})
	for _, x := range []cloud.Cloud{cloud.Turned(300), cloud.Cap(300)} {
		got, err := loss(x, y)
		if err != nil {
			t.Fatal(err)
		}
		want, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Value != want.Value || got.Stats.Threshold != want.Stats.Threshold {
			t.Errorf("value %.12g at threshold %g, alone %.12g at %g", got.Value, got.Stats.Threshold, want.Value,
				want.Stats.Threshold)
		}
	}
}

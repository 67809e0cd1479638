package losstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runLong balances for so many rounds that scalings would leave float64: parts
// of the plan, and whole plans, have more points on one side than on the other.
func runLong(t *testing.T, backend string) {
	crowd := scaled(cloud.Sphere(rand.New(rand.NewPCG(1, 22)), 40), 0.1)
	near := joined(crowd, cloud.FromRows([][]float32{{9, 0, 0}}))
	apart := cloud.FromRows([][]float32{{0, 0, .1}, {9, .1, .1}, {9.2, 0, 0}, {9, .3, 0}})
	tied := joined(apart, cloud.FromRows([][]float32{{9, 0, .1}, {9, 0, -.1}}))
	few := Families(300, 22)[0]
	few.X = cloud.Cloud{N: 2, D: 3, X: few.X.X[:6]}
	pinned := apmlgpu.APMLOptions{Backend: backend, Grad64: true, Threshold: 0.5}
	reference, uniform := pinned, pinned
	reference.Variant = apmlgpu.Reference
	uniform.Variant, uniform.Ties = apmlgpu.Reference, apmlgpu.UniformRow
	automatic := apmlgpu.APMLOptions{Backend: backend, Grad64: true}
	for _, f := range []Family{{"two parts", near, apart}, {"with ties", near, tied}} {
		for _, o := range []apmlgpu.APMLOptions{pinned, reference, uniform} {
			// The crowd shares one column, 5 powers of two a round. Just after scalings
			// were brought back, everything must be as it was.
			for o.Iterations = 70; o.Iterations < 150; o.Iterations++ {
				longAgainstOracle(t, f, o, apmlgpu.MethodSparse, apmlgpu.MethodStreaming)
			}
		}
	}
	for _, f := range []Family{{"two parts", near, apart}, {"with ties", near, tied}, {"2 against many", few.X, few.Y}} {
		for _, o := range []apmlgpu.APMLOptions{pinned, reference, uniform, automatic} {
			o.Iterations = 1500
			longAgainstOracle(t, f, o, apmlgpu.MethodAuto, apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodStreaming)
		}
	}
}

func longAgainstOracle(t *testing.T, f Family, o apmlgpu.APMLOptions, methods ...apmlgpu.Method) {
	t.Helper()
	o.Method = apmlgpu.MethodOracle
	want := mustAPML(t, f, o)
	for _, m := range methods {
		o.Method = m
		what := fmt.Sprintf("%s, threshold %g %s%s, %d rounds, %s", f.Name, o.Threshold, o.Variant, o.Ties, o.Iterations, m)
		closeTo(t, what, mustAPML(t, f, o), want, sameMethod)
	}
}

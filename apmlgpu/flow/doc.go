// Package flow moves a cloud down the gradient of a loss: what a loss does to a
// prediction, step by step.
//
// [Run] takes the cloud, its target and a [Loss], which is any call of package
// apmlgpu with its options, and returns a [Path]: the value, the norm of the
// gradient and the row error of each step, and every k-th cloud.
//
//	path, err := flow.Run(cloud.Cap(256), cloud.Fibonacci(256), flow.EMD(apmlgpu.EMDOptions{}), flow.Options{})
//
// [EMD], [Sinkhorn] and [Of] make losses that start each call from the
// potentials of the one before.
package flow

//go:build !cgo || !linux

package cudatest

const cgo = false

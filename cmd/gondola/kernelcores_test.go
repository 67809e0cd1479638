//go:build cgo

package main

import "testing"

// A kernel starts and answers where there is one core.
func TestOneCore(t *testing.T) {
	p := startKernel(t, "/usr/bin/env", "GOMAXPROCS=1")
	c := connect(t, p.Conn)
	shows(t, c, "runtime.GOMAXPROCS(0)", "=[1]")
	shows(t, c, "fmt.Println(6 * 7)", "42\n")
}

//go:build !cgo

package main

import (
	"strings"
	"testing"
)

// Without cgo the kernel says what is missing, whatever its connection file is.
func TestKernelWithoutCgo(t *testing.T) {
	code, out, errs := dispatched("kernel", "-f", "/dev/null")
	if code != exitMissing || out != "" || !strings.Contains(errs, "built without cgo") || strings.Count(errs, "\n") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
}

package losstest

import (
	"os"
	"testing"
)

func TestValues(t *testing.T) {
	path := os.Getenv("GONDOLA_CASES")
	if path == "" {
		t.Skip("GONDOLA_CASES does not name a file of right values")
	}
	RunValues(t, "cpu", path)
}

func TestValuesGPU(t *testing.T) {
	path := os.Getenv("GONDOLA_CASES")
	if path == "" {
		t.Skip("GONDOLA_CASES does not name a file of right values")
	}
	standIn(t)
	RunValues(t, "gpu", path)
}

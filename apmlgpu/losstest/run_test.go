package losstest

import "testing"

func TestCPU(t *testing.T) { Run(t, "cpu") }

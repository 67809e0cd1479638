package losstest

import "testing"

func TestCPU(t *testing.T) { Run(t, "cpu") }

func BenchmarkCPU(b *testing.B) { Bench(b, "cpu") }

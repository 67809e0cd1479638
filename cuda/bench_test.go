//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// batch is a job of so many pairs of random clouds of n points.
func batch(pairs, n int) Job {
	j := job(pairs*n, pairs*n, int64(n)*int64(n) > BruteMost)
	j.Pairs = nil
	for k := range pairs {
		p := pair(n, n)
		p.X0, p.Y0 = int64(k*n), int64(k*n)
		j.Pairs = append(j.Pairs, p)
	}
	return j
}

// BenchmarkDevice times whole calls with their copies, on the real device alone. With
// -short only the smallest sizes.
func BenchmarkDevice(b *testing.B) {
	if !*device {
		b.Skip("needs a GPU: -device runs it")
	}
	d, err := Open()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	for _, size := range [][2]int{{1, 256}, {32, 2048}, {32, 4096}, {32, 8192}, {1, 16_384}, {1, 131_072}, {1, 1_000_000}} {
		pairs, n := size[0], size[1]
		if testing.Short() && n > 256 {
			break
		}
		b.Run(fmt.Sprintf("apml/%dx%d", pairs, n), func(b *testing.B) {
			j := batch(pairs, n)
			for b.Loop() {
				if _, err := call(ctx, d, j, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, n := range []int{256, 10_000, 100_000} {
		if testing.Short() && n > 256 {
			break
		}
		x, y := points(n, 1), points(n, 2)
		b.Run(fmt.Sprintf("nearest/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Nearest(ctx, x, y, math.MaxInt64); err != nil {
					b.Fatal(err)
				}
			}
		})
		for name, wide := range map[string]bool{"softmin": false, "softmin, wide": true} {
			s := Soft{X: x, Y: y, H: make([]float64, n), Scale: 100, Wide: wide, Limit: math.MaxInt64}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := d.Softmin(ctx, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

package apmlgpu

import (
	"sync"
	"sync/atomic"
)

// chunkPoints is the points of a chunk: well below 50 ms of work, so that a call
// ends soon when it is stopped. Sums are taken chunk by chunk: their bits do not
// depend on the number of threads.
const chunkPoints = 1 << 13

// chunks is how many chunks of a size n points make.
func chunks(n, size int) int { return (n + size - 1) / size }

// each calls f for the chunks [lo, hi) of [0, n), size long but for the last, on
// c.threads goroutines; k is the number of the chunk. It waits for all of them.
// When the call is stopped some chunks are left out, and it returns the reason.
func (c common) each(n, size int, f func(k, lo, hi int)) error {
	count := chunks(n, size)
	threads := min(c.threads, count)
	if threads <= 1 {
		for k := range count {
			if err := c.goOn(); err != nil {
				return err
			}
			f(k, k*size, min(k*size+size, n))
		}
		return nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	reasons := make([]error, threads)
	for w := range threads {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= count {
					return
				}
				if reasons[w] = c.goOn(); reasons[w] != nil {
					return
				}
				f(k, k*size, min(k*size+size, n))
			}
		})
	}
	wg.Wait()
	for _, err := range reasons {
		if err != nil {
			return err
		}
	}
	return nil
}

// addUp adds f over the chunks of [0, n), each summed by itself, in their order.
func (c common) addUp(n int, f func(lo, hi int) float64) (float64, error) {
	parts := make([]float64, chunks(n, chunkPoints))
	err := c.each(n, chunkPoints, func(k, lo, hi int) { parts[k] = f(lo, hi) })
	total := 0.0
	for _, v := range parts {
		total += v
	}
	return total, err
}

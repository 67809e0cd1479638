package cellapi

import (
	"sync"
	"testing"
)

// grow calls itself until the stack has been moved several times.
func grow(n int, pad [64]byte) uintptr {
	if n == 0 {
		return self() + uintptr(pad[0])
	}
	return grow(n-1, pad)
}

func TestSelfTellsGoroutinesApart(t *testing.T) {
	seen := map[uintptr]bool{}
	var mu sync.Mutex
	var all, ready sync.WaitGroup
	ready.Add(50)
	for range 50 {
		all.Go(func() {
			before := self()
			ready.Done()
			ready.Wait() // all live at once
			if after := grow(20_000, [64]byte{}); after != before {
				t.Errorf("self was %#x and is %#x when the stack has grown", before, after)
			}
			mu.Lock()
			defer mu.Unlock()
			if seen[before] {
				t.Errorf("two goroutines are %#x", before)
			}
			seen[before] = true
		})
	}
	all.Wait()
}

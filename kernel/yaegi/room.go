package yaegi

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// OutOfMemory is the panic of a make that cannot be had: to try it would end
// the process, and with it all values.
type OutOfMemory struct {
	Asked   uint64 // bytes
	Allowed uint64 // bytes, of all values together
	Used    uint64 // bytes of values in use
}

func (e *OutOfMemory) Error() string {
	s := fmt.Sprintf("make of %s, %s are allowed", inMB(e.Asked), inMB(e.Allowed))
	if e.Asked <= e.Allowed {
		s += fmt.Sprintf(" and %s are in use", inMB(e.Used))
	}
	return s
}

// RuntimeError marks it as the runtime's.
func (*OutOfMemory) RuntimeError() {}

// Hint is the advice.
func (*OutOfMemory) Hint() string {
	return "make less at once, forget large values by %reset NAME, or start the kernel with a higher --mem-limit"
}

// largeMake is from how many bytes on a make is looked at.
const largeMake = 256 << 20

// room panics with *OutOfMemory where n elements of size bytes more would pass
// the memory limit of the process, garbage not counted.
func room(n, size int) {
	asked := uint64(n) * uint64(size)
	allowed := uint64(debug.SetMemoryLimit(-1))
	if asked < largeMake || allowed >= math.MaxInt64 {
		return
	}
	if asked+inUse() <= allowed {
		return
	}
	runtime.GC()
	if used := inUse(); asked+used > allowed {
		panic(&OutOfMemory{asked, allowed, used})
	}
}

// inUse is the memory of all objects of the heap, in bytes.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func inMB(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

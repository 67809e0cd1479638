package yaegi

import (
	"runtime"
	"strings"
)

// maxDepth bounds the frames of Go that Depth looks at.
const maxDepth = 4 << 20

// Depth returns how many calls of interpreted functions the calling goroutine
// is in.
func Depth() int {
	pcs := make([]uintptr, 1<<12)
	n := runtime.Callers(1, pcs)
	for n == len(pcs) && n < maxDepth {
		pcs = make([]uintptr, 8*len(pcs))
		n = runtime.Callers(1, pcs)
	}
	calls := map[uintptr]bool{} // by place: is it the interpreter's function for a call
	depth := 0
	for _, pc := range pcs[:n] {
		is, known := calls[pc]
		if !known {
			f := runtime.FuncForPC(pc - 1)
			is = f != nil && strings.HasSuffix(f.Name(), "/interp.runCfg")
			calls[pc] = is
		}
		if is {
			depth++
		}
	}
	return depth
}

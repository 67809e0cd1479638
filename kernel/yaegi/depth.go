package yaegi

import (
	"runtime"
	"strings"
)

// maxDepth bounds the frames of Go that Depth looks at.
const maxDepth = 4 << 20

// runs is the interpreter's function for a call of an interpreted one.
const runs = "/interp.runCfg"

// Runs tells whether a function, by its name in a stack, is the interpreter's
// for a call of an interpreted one.
func Runs(name string) bool { return strings.HasSuffix(name, runs) }

// Depth returns how many calls of functions of cells, interpreted or native,
// the calling goroutine is in.
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
			is = f != nil && (Runs(f.Name()) || strings.HasPrefix(f.Name(), "gondola.session/"))
			calls[pc] = is
		}
		if is {
			depth++
		}
	}
	return depth
}

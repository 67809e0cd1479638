package session

import (
	"runtime"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/native"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// framesOf are the user's frames of a fault, innermost first: those of native
// code come from the stack of the goroutine, those of interpreted functions from
// the interpreter's own trace, in the order in which its calls stand in the
// stack. number is the cell of frames without a file.
func framesOf(f *yaegi.Fault, number int) []frame {
	var out []frame
	interpreted := f.Frames
	compiled := false
	for i := range f.Stack {
		if list := native.Frames(f.Stack[i : i+1]); len(list) > 0 {
			compiled = true
			for _, x := range list {
				n, ok := cellNumber(x.File)
				if !ok {
					n = number
				}
				out = append(out, frame{fn: x.Func, cell: n, line: x.Line})
			}
			continue
		}
		if fn := runtime.FuncForPC(f.Stack[i] - 1); fn != nil && yaegi.Runs(fn.Name()) && len(interpreted) > 0 {
			out = append(out, frames(interpreted[:1], number)...)
			interpreted = interpreted[1:]
		}
	}
	if !compiled {
		return frames(f.Frames, number)
	}
	for i := range out {
		out[i].fn = spoken(out[i].fn)
	}
	return append(out, frames(interpreted, number)...)
}

// spoken is a function as the user calls it: a method that was built alone has
// its own name.
func spoken(fn string) string {
	head, rest, _ := strings.Cut(fn, ".")
	if m, ok := front.MethodOf(head); ok {
		if rest != "" {
			m += "." + rest
		}
		return m
	}
	return fn
}

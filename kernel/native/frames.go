package native

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// Frame is a function of a cell in a trace of native code.
type Frame struct {
	Func string // "" for the statements, "f", "f.func" for a literal in it, "P.M", "(*P).M"
	File string // "cell[3]", or the file of a program
	Line int
}

// Frames gives the functions of cells among some callers, innermost first, as
// the cell has them: what the emitter made, the runtime and packages are cut.
func Frames(pcs []uintptr) []Frame {
	var out []Frame
	if len(pcs) == 0 {
		return nil
	}
	for frames, more := runtime.CallersFrames(pcs), true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		out = appendFrame(out, f.Function, f.File, f.Line)
	}
	return out
}

// StackFrames is [Frames] of the text of one goroutine's trace.
func StackFrames(stack string) []Frame {
	var out []Frame
	name := ""
	for line := range strings.Lines(stack) {
		line = strings.TrimRight(line, "\n")
		place, ok := strings.CutPrefix(line, "\t")
		if !ok {
			name = strings.TrimPrefix(line, "created by ")
			if i := strings.LastIndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
				name = name[:i]
			}
			if i := strings.Index(name, " in goroutine "); i > 0 {
				name = "" // its go statement
			}
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		if i := strings.LastIndexByte(place, ':'); i > 0 {
			n, err := strconv.Atoi(place[i+1:])
			if err == nil {
				out = appendFrame(out, name, place[:i], n)
			}
		}
	}
	return out
}

func appendFrame(out []Frame, name, file string, line int) []Frame {
	plain, ok := cellapi.PlainName(name)
	if !ok || file == madeFile || strings.HasSuffix(file, "/"+madeFile) {
		return out
	}
	if i := strings.LastIndex(file, "/cell["); i >= 0 {
		file = file[i+1:]
	}
	return append(out, Frame{folded(plain), file, line})
}

var literalName = regexp.MustCompile(`\.(func|gowrap|deferwrap)\d.*$`)

// folded gives all literals of a function one name.
func folded(name string) string {
	name = strings.ReplaceAll(name, "[...]", "")
	return strings.TrimPrefix(literalName.ReplaceAllString(name, ".func"), ".")
}

var (
	hiddenNames = regexp.MustCompile(`\b` + hidden + `(\pL)`)
	unitNames   = regexp.MustCompile(`\b(` + regexp.QuoteMeta(prefix) + `|` + hidden + `)c\d+(n\d+)?\.`)
	pointerTo   = regexp.MustCompile(`\(\*` + local + `p\d+_(\pL[\pL\pN_]*)\)`)
	functions   = regexp.MustCompile(`\b` + local + `f_(\pL)`)
)

// Words turns the names that the emitter made in a message of Go back into those
// of the cell: "missing method XG_norm" is "missing method norm".
func Words(text string) string {
	if !strings.Contains(text, hidden) && !strings.Contains(text, prefix) && !strings.Contains(text, local) {
		return text
	}
	text = pointerTo.ReplaceAllString(text, "$1")
	text = functions.ReplaceAllString(text, "$1")
	text = unitNames.ReplaceAllString(text, "")
	return hiddenNames.ReplaceAllString(text, "$1")
}

package cellapi

import (
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Names that the emitter of native cells gives to functions, and what they are
// in the cell.
const (
	units     = "gondola.session/"
	madeName  = "XG_"  // before small-letter methods and generic functions
	localName = "_g1"  // before functions of the unit
	bodyName  = "cell" // behind it: the statements
)

var methodBody = regexp.MustCompile(`^_g\d(m|mp|v|vp)(\d+)_`)

// PlainName is what a function of a native cell is called in the cell, by its
// name in a trace: "f", "f.func1", "P.M", "(*P).M", "init", and for the
// statements "" or ".func1". ok is false for other functions.
func PlainName(name string) (plain string, ok bool) {
	rest, ok := strings.CutPrefix(name, units)
	if !ok {
		return name, false
	}
	if _, rest, ok = strings.Cut(rest, "."); !ok {
		return name, false
	}
	base, literal := rest, ""
	if m := literalName.FindStringIndex(rest); m != nil {
		base, literal = rest[:m[0]], rest[m[0]:]
	}
	switch {
	case base == localName+bodyName:
		base = ""
	case strings.HasPrefix(base, localName+"init"):
		base = "init"
	default:
		base = plainMethod(base)
	}
	return base + literal, true
}

var literalName = regexp.MustCompile(`\.(func|gowrap|deferwrap)\d`)

// plainMethod turns the names of method bodies, exported functions, small-letter
// methods and generic functions back: _g1mp1_P_M, _g1f_F and (*P).XG_m.
func plainMethod(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(name, localName+"f_"), madeName, "")
	m := methodBody.FindStringSubmatch(name)
	if m == nil {
		return name
	}
	n, err := strconv.Atoi(m[2])
	rest := name[len(m[0]):]
	if err != nil || n >= len(rest) || rest[n] != '_' {
		return name
	}
	t := rest[:n]
	if strings.HasSuffix(m[1], "p") {
		t = "(*" + t + ")"
	}
	return t + "." + rest[n+1:]
}

// FuncName stands in native cells for the method value f.Name of a
// *runtime.Func: functions of cells are those of package main.
func FuncName(f *runtime.Func) func() string {
	return func() string { return InMain(f.Name()) }
}

// InMain gives a function of a cell the name that it has in a program.
func InMain(name string) string {
	plain, ok := PlainName(name)
	switch {
	case !ok:
		return name
	case plain == "" || plain[0] == '.':
		plain = "main" + plain
	}
	return "main." + plain
}

// Stack stands in native cells for runtime.Stack: its own frame and those of
// the runner below the cell's are not in the trace, and functions of cells are
// those of package main.
func Stack(buf []byte, all bool) int {
	text := make([]byte, 2*len(buf)+1<<14) // names are longer before, and frames go
	return copy(buf, inMain(string(text[:runtime.Stack(text, all)])))
}

// inMain takes the frame of Stack out of a trace of goroutines and gives each
// the frames and names that it has in a program.
func inMain(text string) string {
	blocks := strings.SplitAfter(text, "\n\n")
	for i, b := range blocks {
		lines := strings.SplitAfter(b, "\n")
		if i == 0 && len(lines) > 3 {
			lines = append(lines[:1], lines[3:]...)
		}
		blocks[i] = strings.Join(goroutineInMain(lines), "")
	}
	return strings.Join(blocks, "")
}

// goroutineInMain does so with the lines of one goroutine: its head, two for
// each frame, two for what created it, and perhaps an empty one.
func goroutineInMain(lines []string) []string {
	last := 0 // behind the frames of cells
	for i, line := range lines {
		by, rest := "", line
		if after, ok := strings.CutPrefix(line, "created by "); ok {
			by, rest = "created by ", after
		}
		if !strings.HasPrefix(rest, units) {
			continue
		}
		end := strings.LastIndexByte(rest, '(')
		if by != "" {
			end = strings.Index(rest, " in goroutine ")
		} else {
			last = i + 2
		}
		if end > 0 {
			lines[i] = by + InMain(rest[:end]) + rest[end:]
		}
	}
	if last == 0 || last >= len(lines) {
		return lines
	}
	kept := lines[:last:last]
	for i := last; i < len(lines); i++ {
		switch {
		case strings.HasPrefix(lines[i], "created by main."):
			return append(kept, lines[i:]...)
		case lines[i] == "\n" || lines[i] == "":
			kept = append(kept, lines[i])
		}
	}
	return kept
}

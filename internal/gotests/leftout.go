package main

// lines is of programs that know in which line of their file they fail.
const lines = "compares its own lines with numbers"

// pathOfUnit is of programs that ask the runtime for "main", the import path
// of a program; that of a compiled cell is its own.
const pathOfUnit = "asks the runtime for the import path of its package"

// left are files that are not judged, with the reason, by mode; "" is all that
// run programs.
var left = map[string]map[string]string{
	"": {
		"fixedbugs/bug348.go":     pathOfUnit,
		"fixedbugs/issue10332.go": pathOfUnit,
		"nilptr.go":               "wants its variable at a low address, where no plugin has any",
		"fixedbugs/bug347.go":     pathOfUnit,
		"fixedbugs/issue22662.go": "moves its lines by directives, which no cell does",
	},
	"errors": {
		"syntax/topexpr.go": "has an expression at the top, which a cell may have",
	},
	"cell": {
		"fixedbugs/issue22083.go": "looks for its own file in a trace",
		"fixedbugs/issue27201.go": "looks for its own file in a trace",
	},
	"cut": {
		"devirtualization_nil_panics.go": lines,
		"fixedbugs/issue14646.go":        lines,
		"fixedbugs/issue22083.go":        lines,
		"fixedbugs/issue27201.go":        lines,
	},
}

// leftOut says why a file is not judged in a mode, or "".
func leftOut(f *file, mode string) string {
	if why := left[""][f.name]; why != "" && mode != "errors" {
		return why
	}
	for _, m := range []string{"cell", "cut"} { // what is not judged as a cell is not as some
		if why := left[m][f.name]; why != "" && (mode == "again" || mode == "cut") {
			return why
		}
	}
	return left[mode][f.name]
}

package main

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
		"fixedbugs/issue27201.go": "looks for a line in the first kilobyte of a stack",
	},
	"errors": {
		"syntax/topexpr.go": "has an expression at the top, which a cell may have",
	},
	"cell": {},
	"cut": {
		"fixedbugs/issue14646.go": "compares its own lines with numbers",
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

package main

// Reasons of more than one file.
const (
	lines      = "compares its own lines with numbers"                                                // known from the file, and others when it is cut
	itself     = "looks for its own file in a trace"                                                  // which a cell has not
	directives = "moves its lines by directives, which no cell does"                                  // kernel/front takes places as they are
	pathOfUnit = "asks the runtime for the import path of its package"                                // "main" of a program, a unit's of a cell
	collector  = "watches what the collector frees of a function's frame"                             // an interpreted frame keeps more
	allocation = "counts allocations of the compiler's escape analysis"                               // an interpreted function has others
	compiler   = "needs a directive of the compiler at a caller elsewhere"                            // a function of a cell is called by its variable
	goexit     = "ends its main goroutine by runtime.Goexit"                                          // refused by name in a notebook
	small      = "asks for a small-letter method's name in a recovered text"                          // it has another one when cells share it
	twoCells   = "holds struct types without a name, of two cells, against each other"                // small-letter fields keep them apart
	depth      = "needs deeper calls than a cell may have"                                            // 256 MiB of stack
	addresses  = "looks by unsafe at where empty slices point"                                        // those that reflect cuts point elsewhere
	ends       = "has a package end the process"                                                      // which ends a notebook's worker
	nameOf     = "asks the runtime for an interpreted function's name or line"                        // reflect made its code
	order      = "wants one order of initialization over declarations"                                // cells have their own
	taint      = "recovers over functions in variables of earlier cells"                              // which are interpreted, and said to be
	inlined    = "defers recover itself, which the compiler gets wrong beside a call that it inlines" // our polls are such calls
	compute    = "computes for more than the limit when it is interpreted"                            // %%native runs it
)

// left are files that are not judged, with the reason, by mode; "" is all that
// run programs.
var left = map[string]map[string]string{
	"": {
		"fixedbugs/issue19040.go":  pathOfUnit,
		"fixedbugs/issue24491a.go": "needs a directive of the compiler at a go statement, where a guard stands",
		"fixedbugs/issue18149.go":  directives,
		"fixedbugs/issue22662.go":  directives,
		"fixedbugs/issue29504.go":  directives,
		"zerosize.go":              "compares addresses of variables without size, which Go leaves open",
		"nilptr.go":                "wants its variable at a low address, where no plugin has any",
	},
	"errors": {
		"syntax/topexpr.go": "has an expression at the top, which a cell may have",
	},
	"cell": {
		"fixedbugs/bug347.go":      itself,
		"fixedbugs/bug348.go":      itself,
		"fixedbugs/issue22083.go":  itself,
		"fixedbugs/issue24419.go":  depth,
		"fixedbugs/issue5856.go":   itself,
		"fixedbugs/issue27201.go":  itself,
		"fixedbugs/issue4562.go":   itself,
		"fixedbugs/issue7690.go":   itself,
		"fixedbugs/issue5963.go":   goexit,
		"abi/uglyfib.go":           compute,
		"abi/fibish.go":            compute,
		"ken/modconst.go":          compute,
		"fixedbugs/issue56990.go":  ends,
		"fixedbugs/issue24491b.go": compiler,
		"uintptrescapes3.go":       compiler,
		"recover3.go":              small,
		"fixedbugs/issue13169.go":  compute,
		"ken/divconst.go":          compute,
		"fixedbugs/issue16249.go":  compute,
	},
	"cut": {
		"devirtualization_nil_panics.go": lines,
		"fixedbugs/issue14646.go":        lines,
		"fixedbugs/issue34123.go":        lines,
		"fixedbugs/issue15281.go":        collector,
		"fixedbugs/issue4667.go":         allocation,
		"heapsampling.go":                allocation,
		"closure.go":                     allocation,
		"recover1.go":                    inlined,
		"slicecap.go":                    addresses,
		"copy.go":                        compute,
		"fixedbugs/issue59680.go":        compute,
		"fixedbugs/issue58300.go":        nameOf,
		"inline_literal.go":              nameOf,
		"fixedbugs/issue22326.go":        order,
		"fixedbugs/issue19113.go":        taint,
		"typeparam/equal.go":             twoCells,
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

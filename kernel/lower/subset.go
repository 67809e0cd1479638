package lower

import (
	"go/ast"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// row is one construct of the subset: the rule that lowers it, named after its
// file, and programs that prove it. "program x" is testdata/programs/x.txt of
// package yaegi, "compare f: x" the sample x of testdata/compare/f.txt; each
// runs interpreted and prints what the compiler's program prints.
type row struct {
	construct, rule string
	proof           proofs
}

type proofs []string

// unlisted are the constructs of a cell that the list does not have.
func (l *lowerer) unlisted(c *front.Cell) (refusals []Refusal) {
	for _, r := range roots(c) {
		ast.Inspect(r, func(n ast.Node) bool {
			if n == nil {
				return true
			}
			what := l.construct(n)
			if what == "" || what != l.without && listed[what] {
				return true
			}
			switch {
			case what == "?":
				what = describe(n)
			case strings.ContainsRune("aeio", rune(what[0])):
				what = "an " + what
			default:
				what = "a " + what
			}
			refusals = append(refusals, Refusal{l.fset.Position(n.Pos()), what})
			return true
		})
	}
	return refusals
}

// listed has the constructs of the list.
var listed = func() map[string]bool {
	m := map[string]bool{}
	for _, r := range subset {
		m[r.construct] = true
	}
	return m
}()

// subset is the list, sorted: a construct that is not in it is not interpreted.
var subset = []row{
	{"address of a field", "expr", proofs{"compare packages: scan", "compare values: ptrs"}},
	{"address of a literal", "expr", proofs{"program library", "program named"}},
	{"address of a variable", "expr", proofs{"program everyday", "program functions"}},
	{"address of an element", "expr", proofs{"program algorithms", "program functions"}},
	{"arithmetic of a float", "operator", proofs{"program algorithms", "program everyday"}},
	{"arithmetic of a string", "operator", proofs{"program algorithms", "program everyday"}},
	{"arithmetic of an integer", "operator", proofs{"program algorithms", "program everyday"}},
	{"assertion to a type", "builtin", proofs{"program algorithms", "program everyday"}},
	{"assertion to an interface", "builtin", proofs{"program everyday", "program library"}},
	{"assignment", "assign", proofs{"program algorithms", "program everyday"}},
	{"assignment of several values of one expression", "assign", proofs{"program algorithms", "program everyday"}},
	{"assignment to several places", "assign", proofs{"program algorithms", "program everyday"}},
	{"assignment with an operator", "assign", proofs{"program algorithms", "program everyday"}},
	{"block and expression statement", "statement", proofs{"program algorithms", "program everyday"}},
	{"break", "branch", proofs{"program algorithms", "program functions"}},
	{"break to a label", "branch", proofs{"program everyday", "program library"}},
	{"call of a function value", "call", proofs{"program algorithms", "program everyday"}},
	{"call of a function value with ...", "call", proofs{"program algorithms", "program values"}},
	{"call of a generic package function", "generic", proofs{"compare generic: a callback that panics"}},
	{"call of a method", "call", proofs{"program algorithms", "program everyday"}},
	{"call of a package function", "call", proofs{"program algorithms", "program everyday"}},
	{"call of a package function with ...", "call", proofs{"compare ranges: varargs"}},
	{"call of a session function", "call", proofs{"program algorithms", "program everyday"}},
	{"call of a session function with ...", "call", proofs{"program everyday", "compare ranges: varargs"}},
	{"call of append", "builtin", proofs{"program algorithms", "program everyday"}},
	{"call of cap", "builtin", proofs{"program everyday", "program functions"}},
	{"call of clear", "builtin", proofs{"program everyday", "compare statements: mapstruct"}},
	{"call of close", "builtin", proofs{"program algorithms", "program everyday"}},
	{"call of copy", "builtin", proofs{"program everyday", "program functions"}},
	{"call of delete", "builtin", proofs{"program everyday", "compare corners: namedslices"}},
	{"call of len", "builtin", proofs{"program algorithms", "program everyday"}},
	{"call of make", "builtin", proofs{"program algorithms", "program everyday"}},
	{"call of max", "builtin", proofs{"program algorithms", "program values"}},
	{"call of min", "builtin", proofs{"program values", "compare numbers: floatspecial"}},
	{"call of new", "builtin", proofs{"program named", "compare corners: anonconv"}},
	{"call of panic", "builtin", proofs{"program shadows", "compare generic: a callback that panics"}},
	{"call of print", "builtin", proofs{"session TestBuiltinPrint"}},
	{"call of println", "builtin", proofs{"session TestBuiltinPrint"}},
	{"comparison of a bool", "operator", proofs{"program values", "compare values: ifelse"}},
	{"comparison of a channel", "operator", proofs{"compare corners: chandirs"}},
	{"comparison of a float", "operator", proofs{"program functions", "program shadows"}},
	{"comparison of a pointer", "operator", proofs{"compare values: ptrs"}},
	{"comparison of a string", "operator", proofs{"program functions", "program methods"}},
	{"comparison of a struct", "operator", proofs{"program named", "compare corners: anonconv"}},
	{"comparison of an array", "operator", proofs{"program algorithms", "program everyday"}},
	{"comparison of an integer", "operator", proofs{"program algorithms", "program everyday"}},
	{"comparison of an interface", "operator", proofs{"program everyday", "program functions"}},
	{"comparison with nil", "operator", proofs{"program algorithms", "program everyday"}},
	{"constant", "constant", proofs{"program algorithms", "program everyday"}},
	{"continue", "branch", proofs{"program algorithms", "program functions"}},
	{"continue to a label", "branch", proofs{"program everyday", "program loops"}},
	{"conversion of a float to an integer", "call", proofs{"program everyday", "program library"}},
	{"conversion of a slice to a pointer to an array", "call", proofs{"compare more: convslice"}},
	{"conversion of a slice to a string", "call", proofs{"program algorithms", "program everyday"}},
	{"conversion of a slice to an array", "call", proofs{"compare more: convslice"}},
	{"conversion of a string to a slice", "call", proofs{"program algorithms", "program everyday"}},
	{"conversion of an integer to a float", "call", proofs{"program methods", "compare corners: floatloop"}},
	{"conversion of an integer to a string", "call", proofs{"program everyday", "program functions"}},
	{"conversion of nil", "call", proofs{"program functions", "compare generic: changes of a slice"}},
	{"conversion to an interface", "call", proofs{"program shadows", "compare corners: anonconv"}},
	{"conversion to another type of its shape", "call", proofs{"program everyday", "program functions"}},
	{"declaration in a function", "statement", proofs{"program algorithms", "program everyday"}},
	{"defer", "funclit", proofs{"program algorithms", "program everyday"}},
	{"dereference", "expr", proofs{"program everyday", "program functions"}},
	{"element of a map", "operator", proofs{"program algorithms", "program everyday"}},
	{"element of a pointer to an array", "operator", proofs{"program algorithms", "program functions"}},
	{"element of a slice", "operator", proofs{"program algorithms", "program everyday"}},
	{"element of a string", "operator", proofs{"program everyday", "program values"}},
	{"element of an array", "operator", proofs{"program algorithms", "program everyday"}},
	{"fallthrough", "branch", proofs{"compare branches: fallthrough", "compare branches: fallthrough makes closures"}},
	{"field", "operator", proofs{"program everyday", "program library"}},
	{"field behind a pointer", "operator", proofs{"program everyday", "program library"}},
	{"for", "control", proofs{"program algorithms", "program everyday"}},
	{"for, variable captured", "control", proofs{"program everyday", "program library"}},
	{"for, variable shared with its body", "control", proofs{"program loops", "compare corners: closures2"}},
	{"function literal", "funclit", proofs{"program algorithms", "program everyday"}},
	{"function of a generic package function", "generic", proofs{"compare generic: changes of a slice"}},
	{"function of a package", "expr", proofs{"program algorithms", "program everyday"}},
	{"function of the session", "expr", proofs{"program algorithms", "program everyday"}},
	{"go", "selectgo", proofs{"program algorithms", "program everyday"}},
	{"if", "control", proofs{"program algorithms", "program everyday"}},
	{"increment", "assign", proofs{"program algorithms", "program everyday"}},
	{"label", "branch", proofs{"program everyday", "program library"}},
	{"literal of a map", "builtin", proofs{"program algorithms", "program everyday"}},
	{"literal of a slice", "builtin", proofs{"program algorithms", "program everyday"}},
	{"literal of a struct", "builtin", proofs{"program everyday", "program library"}},
	{"literal of an array", "builtin", proofs{"program algorithms", "program everyday"}},
	{"local variable", "local", proofs{"program algorithms", "program everyday"}},
	{"logical operator", "operator", proofs{"program algorithms", "program functions"}},
	{"method", "call", proofs{"program algorithms", "program everyday"}},
	{"method expression", "call", proofs{"program methods", "compare goroutines: methodvals"}},
	{"method of an interface", "call", proofs{"program everyday", "program functions"}},
	{"operator ! before a bool", "expr", proofs{"program algorithms", "program everyday"}},
	{"operator + before an integer", "expr", proofs{"program functions"}},
	{"operator - before a float", "expr", proofs{"compare numbers: convs", "compare numbers: float32arith"}},
	{"operator - before an integer", "expr", proofs{"program everyday", "program functions"}},
	{"operator ^ before an integer", "expr", proofs{"program everyday", "program functions"}},
	{"order of a float", "operator", proofs{"program values", "compare corners: floatloop"}},
	{"order of a string", "operator", proofs{"program shadows", "program values"}},
	{"order of an integer", "operator", proofs{"program algorithms", "program everyday"}},
	{"range over a channel", "range", proofs{"program algorithms", "program everyday"}},
	{"range over a map", "range", proofs{"program algorithms", "program everyday"}},
	{"range over a pointer to an array", "range", proofs{"program functions", "program shadows"}},
	{"range over a slice", "range", proofs{"program algorithms", "program everyday"}},
	{"range over a string", "range", proofs{"program algorithms", "program everyday"}},
	{"range over an array", "range", proofs{"program everyday", "program shadows"}},
	{"range over an integer", "range", proofs{"program algorithms", "program everyday"}},
	{"receive", "builtin", proofs{"program algorithms", "program everyday"}},
	{"return", "statement", proofs{"program algorithms", "program everyday"}},
	{"select", "selectgo", proofs{"program algorithms", "program everyday"}},
	{"send", "statement", proofs{"program algorithms", "program everyday"}},
	{"shift", "operator", proofs{"program algorithms", "program everyday"}},
	{"slice of a pointer to an array", "operator", proofs{"compare corners: nilslicearr"}},
	{"slice of a slice", "operator", proofs{"program algorithms", "program everyday"}},
	{"slice of a string", "operator", proofs{"program everyday", "compare generic: sorts of every kind"}},
	{"slice of an array", "operator", proofs{"program everyday", "program shadows"}},
	{"switch over a basic value", "switch", proofs{"program named", "program values"}},
	{"switch over another value", "switch", proofs{"compare statements: switches"}},
	{"switch with fallthrough", "switch", proofs{"compare branches: fallthrough"}},
	{"switch with init", "switch", proofs{"program everyday", "program shadows"}},
	{"switch without tag", "switch", proofs{"program algorithms", "program everyday"}},
	{"type switch", "switch", proofs{"program everyday", "program functions"}},
	{"variable of a package", "expr", proofs{"program algorithms", "program everyday"}},
	{"variable of the session", "expr", proofs{"program algorithms", "program everyday"}},
}

package lower

import (
	"fmt"
	"go/types"
	"strings"
)

// Kind says what a symbol of the table stands for.
type Kind int

// The kinds of symbols. P is a pointer to memory, F a compiled function.
const (
	Variable    Kind = iota // P: a session variable or function, by its session name
	Slot                    // P: *int32, the line that function Name is at
	Finished                // P: *int, how many pieces of the cell are complete
	Export                  // P: takes what the cell hands out: a function of the cell, or its body
	Zero                    // P: a zero value of T[0]
	Named                   // (*T[0])(nil): a type under a hidden name
	Poll                    // P: *bool, the stop flag
	End                     // F: func(), what a poll calls
	Raise                   // F: func(any), panic
	Start                   // F: func(func()), the go statement
	NewDefers               // F: func() *cellapi.Defers
	Push                    // F: func(*cellapi.Defers, func())
	RunDefers               // F: func(*cellapi.Defers, func())
	Value                   // F: func(T...), takes the values that the cell shows
	Convert                 // F: func(T[0]) T[1]
	IsNil                   // F: func(T[0]) bool
	Equal                   // F: func(T[0], T[0]) bool
	Assert                  // F: func(T[0]) T[1], panics as x.(T) does
	AssertOK                // F: func(T[0]) (T[1], bool)
	TypeCase                // F: func(T[0]) int: number from 1 of the first of T[1:] that matches, else 0; nil is nil's
	Method                  // F: func(T[0], parameters…) results: method Name of T[0]
	MethodValue             // F: func(T[0]) f: method Name of the value, with the value bound
	Receive                 // F: func(T[0]) T[1]
	ReceiveOK               // F: func(T[0]) (T[1], bool)
	Send                    // F: func(T[0], T[1])
	Close                   // F: func(T[0])
	Select                  // F: chooses among the cases of Name; see selectStmt
	Struct                  // F: func(fields named by Name…) T[0]
	Elements                // F: func(...E) T[0], T[0] a slice or an array of E
	Copy                    // F: func(T[0]) *T[0]: a pointer to a copy
	MakeMap                 // F: func(int) T[0]
	MapGet                  // F: func(T[0], K) V
	MapGetOK                // F: func(T[0], K) (V, bool)
	MapSet                  // F: func(T[0], K, V)
	Delete                  // F: func(T[0], K)
	Clear                   // F: func(T[0])
	Iterate                 // F: func(T[0]) *reflect.MapIter
	Next                    // F: func(*reflect.MapIter) (K, V, bool) of map T[0]
	Rune                    // F: func(string, int) (rune, int)
	Smallest                // F: func(...T[0]) T[0], min
	Largest                 // F: func(...T[0]) T[0], max
	SliceArray              // F: func(*T[0]) []E: the whole array
	CopySlice               // F: func(T[0], T[1]) int, copy
	Variadic                // F: func(f) T[0]: f is T[0] with a slice for its last parameter
	Append                  // F: func(T[0], T[1]) T[0], append(x, y...)
	Guard                   // F: func(T[0]) T[0]: a function that may call itself, under a guard
	Print                   // F: func(T...), print or println by Name
)

// Symbol is one s.NAME that the text of a program uses.
type Symbol struct {
	ID   string // the name after "s."
	Kind Kind
	Name string       // session name, function, method, field names or cases, by Kind
	T    []types.Type // what it is made for
}

// symbol returns the text s.ID of a symbol, made on first use.
func (l *lowerer) symbol(kind Kind, name string, ts ...types.Type) string {
	for _, s := range l.prog.Symbols {
		if s.Kind == kind && s.Name == name && identical(s.T, ts) {
			return "s." + s.ID
		}
	}
	id := fmt.Sprintf("%s%d", kindNames[kind], len(l.prog.Symbols))
	l.prog.Symbols = append(l.prog.Symbols, Symbol{id, kind, name, ts})
	return "s." + id
}

// kindNames begins the hidden names; the text of a program is read by people.
var kindNames = map[Kind]string{
	Variable: "V", Slot: "Line", Finished: "Done", Export: "Out", Zero: "Zero", Named: "T", Poll: "Stop", End: "End",
	Raise: "Raise", Start: "Go", NewDefers: "Defers", Push: "Defer", RunDefers: "RunDefers", Value: "Show",
	Convert: "Conv", IsNil: "Nil", Equal: "Eq", Assert: "As", AssertOK: "Is", TypeCase: "Case", Method: "M",
	MethodValue: "Bound",
	Receive:     "Recv", ReceiveOK: "RecvOK", Send: "Send", Close: "Close", Select: "Select", Struct: "Lit",
	Elements: "List", Copy: "New", MakeMap: "MakeMap", MapGet: "Get", MapGetOK: "GetOK", MapSet: "Set",
	Delete: "Delete", Clear: "Clear", Iterate: "Iter", Next: "Next", Rune: "Rune", Smallest: "Min", Largest: "Max",
	SliceArray: "Array", Variadic: "Variadic", CopySlice: "CopyTo", Append: "AppendTo",
	Print: "Print", Guard: "Guard",
}

func identical(a, b []types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i] == nil || b[i] == nil || !types.Identical(a[i], b[i])) {
			return false
		}
	}
	return true
}

// named returns the session variable's or function's place: *s.V.
func (l *lowerer) session(obj types.Object) string {
	if !l.allowed(obj.Type()) {
		return ""
	}
	return "*" + l.symbol(Variable, obj.Name(), obj.Type())
}

// typ returns the text of a type in the lowered file. Basic types are spelled
// out, all others are compiled types under hidden names: Yaegi then builds
// none of its own.
func (l *lowerer) typ(t types.Type) string {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok {
		return strings.TrimPrefix(types.Default(b).String(), "untyped ")
	}
	return l.symbol(Named, "", t)
}

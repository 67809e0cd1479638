package lower

import (
	"go/types"

	"github.com/gondola-lab/gondola/kernel/front"
)

// allowed reports whether values of a type may be held by interpreted code:
// what reflect can build and hand over without a change of identity.
func (l *lowerer) allowed(t types.Type) bool { return l.banned(t) == "" }

// banned names what keeps a type out of the subset, or "".
//
// The list: basic types but complex, uintptr and unsafe.Pointer; named types
// of packs that a symbol or an exported variable has, and of earlier cells that
// are compiled; any and error; pointers, slices, arrays, maps,
// channels and functions of allowed types; struct types whose fields are all
// exported and not embedded. All others are refused.
func (l *lowerer) banned(t types.Type) string {
	if s, ok := l.verdicts[t]; ok {
		return s
	}
	l.verdicts[t] = "" // a type that refers to itself is judged by its other parts
	s := l.judge(t)
	l.verdicts[t] = s
	return s
}

func (l *lowerer) judge(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		if t.TypeArgs().Len() > 0 {
			return "the generic type " + l.typeString(t)
		}
		return l.banned(types.Unalias(t))
	case *types.Basic:
		switch {
		case t.Info()&types.IsComplex != 0:
			return "the type " + t.Name()
		case t.Kind() == types.Uintptr, t.Kind() == types.UnsafePointer:
			return "the type " + t.Name()
		}
		return ""
	case *types.Named:
		return l.judgeNamed(t)
	case *types.Pointer:
		return l.banned(t.Elem())
	case *types.Slice:
		return l.banned(t.Elem())
	case *types.Array:
		if t.Len() > 1<<20 {
			return "an array of more than a million elements"
		}
		return l.banned(t.Elem())
	case *types.Map:
		return first(l.banned(t.Key()), l.banned(t.Elem()))
	case *types.Chan:
		return l.banned(t.Elem())
	case *types.Signature:
		return l.judgeSignature(t)
	case *types.Struct:
		return l.judgeStruct(t)
	case *types.Interface:
		if t.Empty() {
			return ""
		}
		return "an interface type without a name"
	case *types.TypeParam:
		return "a type parameter"
	case *types.Tuple:
		for v := range t.Variables() {
			if s := l.banned(v.Type()); s != "" {
				return s
			}
		}
		return ""
	}
	return "the type " + l.typeString(t)
}

func (l *lowerer) judgeNamed(t *types.Named) string {
	obj := t.Obj()
	switch {
	case obj.Pkg() == nil: // error, any, comparable
		if obj.Name() == "error" {
			return ""
		}
		return "the type " + obj.Name()
	case t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0:
		if _, ok := front.InstanceType(t); ok {
			return ""
		}
		return "the generic type " + l.typeString(t)
	case obj.Pkg().Path() == "main":
		return "the type " + obj.Name()
	case obj.Pkg().Path() == "unsafe":
		return "unsafe." + obj.Name()
	case obj.Parent() != obj.Pkg().Scope() || !obj.Exported() && !hasVariable(t):
		return "the unexported type " + l.typeString(t)
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return l.banned(b)
	}
	return "" // compiled: what it is made of is its package's affair
}

// hasVariable reports whether an exported variable of its package has the type
// t: then reflect reaches it, exported or not, as with binary.LittleEndian.
func hasVariable(t *types.Named) bool {
	scope := t.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if v, ok := scope.Lookup(name).(*types.Var); ok && v.Exported() && types.Identical(v.Type(), t) {
			return true
		}
	}
	return false
}

func (l *lowerer) judgeSignature(t *types.Signature) string {
	if t.TypeParams().Len() > 0 {
		return "a generic function"
	}
	return first(l.banned(t.Params()), l.banned(t.Results()))
}

func (l *lowerer) judgeStruct(t *types.Struct) string {
	for f := range t.Fields() {
		switch {
		case f.Embedded():
			return "a struct type with an embedded field"
		case !f.Exported():
			return "a struct type with the unexported field " + f.Name()
		}
		if s := l.banned(f.Type()); s != "" {
			return s
		}
	}
	return ""
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// closedPackages may not be used from interpreted code: what they see of their
// caller, or do to the process, is not what a compiled program's calls would.
var closedPackages = map[string]string{
	"unsafe":            "it looks at memory",
	"runtime/debug":     "it sees the interpreter's stack and memory",
	"runtime/pprof":     "it sees the interpreter's functions",
	"runtime/trace":     "it sees the interpreter's functions",
	"runtime/metrics":   "it sees the interpreter's memory",
	"runtime/coverage":  "it sees the interpreter's functions",
	"plugin":            "it loads code",
	"testing":           "it names functions of its caller",
	"log/slog":          "it names the line of its caller",
	"text/template":     "it recovers panics of its caller's functions",
	"html/template":     "it recovers panics of its caller's functions",
	"syscall":           "it reaches the process",
	"os/signal":         "it takes the kernel's interrupts",
	"flag":              "it reads the process's arguments and exits",
	"expvar":            "it changes the process's server",
	"net/rpc":           "it looks at the methods of its caller's types",
	"testing/quick":     "it calls functions of its caller with recover",
	"testing/synctest":  "it runs goroutines of its own kind",
	"internal/synctest": "it runs goroutines of its own kind",
}

// closedNames are single names of open packages that are not in the subset.
var closedNames = map[string]bool{
	"runtime.Caller": true, "runtime.Callers": true, "runtime.CallersFrames": true, "runtime.FuncForPC": true,
	"runtime.Stack": true, "runtime.NumGoroutine": true, "runtime.GC": true, "runtime.ReadMemStats": true,
	"runtime.SetFinalizer": true, "runtime.AddCleanup": true, "runtime.LockOSThread": true,
	"runtime.NumCgoCall": true, "runtime.GoroutineProfile": true, "runtime.MemProfile": true,
	"reflect.MakeFunc": true, "log.Logger.SetFlags": true, "os.StartProcess": true,
}

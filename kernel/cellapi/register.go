package cellapi

import (
	"reflect"
	"sync"
)

// Frame is what the statements of a native cell tell while they run.
type Frame struct {
	Finished int   // pieces that are complete
	Shown    []any // values of the last expression
}

// Objects are what a native cell brings.
type Objects struct {
	Types   map[string]reflect.Type  // by name, or by a key that the emitter was given
	Funcs   map[string]reflect.Value // functions; instances under hidden names; methods "P.M" with the receiver first
	Methods map[string]reflect.Value // "P.M" → pointer to the variable that the method calls
	Vars    []string                 // names of the session whose pointers Bind wants
	Bind    func(lookup func(name string) reflect.Value)
	Body    func(f *Frame) // the statements; nil when there are none
}

var objects struct {
	mu sync.Mutex
	by map[string]Objects
}

// Register is called by an init function of every native cell.
func Register(path string, o Objects) {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	if objects.by == nil {
		objects.by = map[string]Objects{}
	}
	objects.by[path] = o
}

// Registered returns what the native cell of a path has registered.
func Registered(path string) (Objects, bool) {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	o, ok := objects.by[path]
	return o, ok
}

// Package yaegi runs lowered cells, each in an interpreter of its own over
// memory of the session. It is the only importer of Yaegi, and uses of it only
// what package lower writes; Yaegi's own cancel is never used: after one, all
// closures of an interpreter return zero values and say nothing.
package yaegi

import (
	"errors"
	"fmt"
	"go/parser"
	"go/types"
	"reflect"
	"sync"

	"github.com/traefik/yaegi/interp"

	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// Runner compiles lowered cells over the packages of one index.
type Runner struct {
	ix    *pack.Index
	types *Types
	// symbols has the maps of packages that were asked for: path to
	// map[string]reflect.Value.
	symbols sync.Map
}

// NewRunner returns a runner for cells that import from ix.
func NewRunner(ix *pack.Index) *Runner { return &Runner{ix: ix, types: NewTypes(ix)} }

// SetNamed sets who knows the types that cells declare.
func (r *Runner) SetNamed(f Named) { r.types.SetNamed(f) }

// Type returns the compiled type of t, for the memory of a session variable.
func (r *Runner) Type(t types.Type) (reflect.Type, error) {
	return r.types.Of(t)
}

// Storage gives a pointer to the memory of a variable or function of the
// session. It is asked once for each name that a program uses.
type Storage func(name string, t types.Type) (reflect.Value, error)

// Unit is a compiled cell: its functions, and its statements ready to run.
type Unit struct {
	Funcs map[string]reflect.Value // functions that the cell declares, by session name
	body  reflect.Value            // func(); invalid without statements
	done  int
	shown []reflect.Value
}

// ErrHole is wrapped by the error of a program that the interpreter does not
// compile: the subset has a hole, and nothing has run.
var ErrHole = errors.New("a fault of gondola: the interpreter refused lowered text")

// Compile compiles a program in an interpreter of its own. Nothing of the cell
// runs, and no memory of the session is written.
func (r *Runner) Compile(p *lower.Program, cell int, vars Storage) (u *Unit, err error) {
	defer func() {
		if v := recover(); v != nil { // v0.16.1 panics out of CompileAST on some inputs
			u, err = nil, fmt.Errorf("%w: %v", ErrHole, v)
		}
	}()
	u = &Unit{Funcs: map[string]reflect.Value{}}
	tab, out, err := r.table(p, u, vars)
	if err != nil {
		return nil, err
	}
	exports, err := r.exports(p.Names)
	if err != nil {
		return nil, err
	}
	exports["s//s"] = tab
	in := interp.New(interp.Options{Stderr: newTrace(p, tab)})
	if err := in.Use(exports); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHole, err)
	}
	f, err := parser.ParseFile(in.FileSet(), fmt.Sprintf("cell[%d]", cell), pollText(p.Text), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHole, err)
	}
	prog, err := in.CompileAST(f)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHole, err)
	}
	if _, err := in.Execute(prog); err != nil { // main only hands the functions out
		return nil, fmt.Errorf("%w: %w", ErrHole, err)
	}
	want := map[string]reflect.Type{}
	for _, s := range p.Symbols {
		if s.Kind == lower.Export {
			if want[s.Name], err = r.Type(s.T[0]); err != nil {
				return nil, err
			}
		}
	}
	for name, v := range out {
		if v.Elem().IsNil() {
			return nil, fmt.Errorf("%w: %q was not handed out", ErrHole, name)
		}
		if name == "" {
			u.body = v.Elem()
			continue
		}
		u.Funcs[name] = variadic(v.Elem(), want[name])
		if p.Recursive[name] {
			u.Funcs[name] = guarded(u.Funcs[name], want[name])
		}
	}
	return u, nil
}

// Run runs the statements in the calling goroutine and returns how they
// failed, or nil.
func (u *Unit) Run() *Fault {
	if !u.body.IsValid() {
		return nil
	}
	return Call(func() { u.body.Call(nil) })
}

// Finished returns how many pieces of the cell are complete.
func (u *Unit) Finished() int { return u.done }

// Shown returns the values of the cell's last expression, nil before it was
// evaluated. Each has its static type: a value of an interface type is a Value
// of kind Interface.
func (u *Unit) Shown() []reflect.Value { return u.shown }

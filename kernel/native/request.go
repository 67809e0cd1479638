package native

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/gondola-lab/gondola/kernel/front"
)

// Request asks [Emit] for the text of a checked cell. Cell and Path are
// demanded; every other field may be zero.
type Request struct {
	Cell *front.Cell // as Check or Recheck of package front gave it
	Path string      // of the package, gondola.session/c5: unique for ever in a process

	// Program makes a package of a whole program: its variables, functions and
	// methods are the package's own, as in a program that the go command
	// builds. Else variables and functions are memory of the session, reached
	// by pointers, and the bodies of methods can be replaced.
	Program bool
	// Funcs says which functions of the cell are compiled; the others are
	// called through the session's variables. Nil means all. Types, methods
	// and generic functions always are.
	Funcs func(name string) bool
	Body  bool   // the statements too, with variables, init functions and main
	Poll  bool   // with polls, so that the cell can be stopped
	File  string // name of the cell's own text in positions; empty: cell[N]

	// Home gives the unit that holds a type, alias or generic function of an
	// earlier cell. Nil means that there are none.
	Home func(types.Object) (path string, ok bool)
	// Structs gives the unit that holds a struct type without a name, by the
	// keys of Emitted.Structs of earlier units.
	Structs map[string]string

	// Known are the types of earlier cells that Home answers for, interfaces
	// among them: what the unit declares is paired with them. See pin.go.
	Known []*types.TypeName

	Types     map[string]types.Type // further types to register, by key
	Instances []Instance            // instances of generic functions to register
}

// Instance is a generic function of the session or of a package with its type
// arguments, to be registered in Objects.Funcs under Key.
type Instance struct {
	Key  string
	Func *types.Func
	Args []types.Type
}

// Emitted is the text of a cell and what the session has to know about it.
type Emitted struct {
	Unit
	// Structs are the keys of the struct types without a name that this unit
	// is the home of: later requests have them, with Path, in Request.Structs.
	Structs []string
	// Fixed are the methods, "P.M", that are not in Objects.Methods since
	// their bodies cannot be replaced: those of generic types, and those that
	// call recover, which would see nothing through another function.
	Fixed []string
	// Shown are the static types of the values in Frame.Shown.
	Shown []types.Type
}

// Refusal says that no Go text means what the cell means.
type Refusal struct {
	Pos       token.Position // of the cell
	Construct string         // with its article
	Reason    string
}

// Error gives the place, the construct and the reason.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s %s", r.Pos.Filename, r.Pos.Line, r.Pos.Column, r.Construct, r.Reason)
}

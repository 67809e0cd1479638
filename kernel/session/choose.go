package session

import (
	"errors"
	"fmt"
)

// Policy says where cells may run.
type Policy string

// The policies of %engine and of the flag --engine.
const (
	Auto      Policy = "auto"      // interpreted where that is proven right, else refused by name
	Interpret Policy = "interpret" // the same: no cell is ever compiled
	Native    Policy = "native"    // every cell compiled, which this version cannot
)

// ErrNative says that cells are not compiled yet.
var ErrNative = errors.New("native cells are not in this version: they come with the next one")

// ParsePolicy reads the name of a policy. It refuses native with [ErrNative].
func ParsePolicy(name string) (Policy, error) {
	switch p := Policy(name); p {
	case Auto, Interpret:
		return p, nil
	case Native:
		return "", ErrNative
	}
	return "", fmt.Errorf("%q is not one of auto, interpret, native", name)
}

package yaegi

import (
	"fmt"
	"reflect"

	"github.com/traefik/yaegi/interp"
)

// Bare has a function of a text that imports nothing run by the interpreter
// alone, without polls and positions: the baseline of the benchmark of both.
func Bare(text, name string) (reflect.Value, error) {
	i := interp.New(interp.Options{})
	if _, err := i.Eval(text); err != nil {
		return reflect.Value{}, fmt.Errorf("yaegi: %w", err)
	}
	v, err := i.Eval(name)
	if err != nil {
		return reflect.Value{}, fmt.Errorf("yaegi: %w", err)
	}
	return v, nil
}

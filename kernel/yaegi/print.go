package yaegi

import (
	"reflect"
	"sync"
)

// printing keeps the texts of two goroutines apart, as the runtime does.
var printing sync.Mutex

// builtinPrint is print or println of values of basic types, to the standard
// error of the process in the runtime's own format.
func builtinPrint(line bool, t rtypes) reflect.Value {
	return makeFunc(t, nil, func(in values) values {
		printing.Lock()
		defer printing.Unlock()
		for i, v := range in {
			if line && i > 0 {
				print(" ")
			}
			printBasic(v)
		}
		if line {
			print("\n")
		}
		return nil
	})
}

func printBasic(v reflect.Value) {
	switch {
	case v.CanInt():
		print(v.Int())
	case v.CanUint():
		print(v.Uint())
	case v.Kind() == reflect.Float32:
		print(float32(v.Float()))
	case v.CanFloat():
		print(v.Float())
	case v.Kind() == reflect.Bool:
		print(v.Bool())
	default:
		print(v.String())
	}
}

package yaegi

import (
	"errors"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// guardEvery is after how many calls within each other a guard ends the stack
// of a panic and lets it go on from a new one.
const guardEvery = 16

// guarded is a function that may call itself. The interpreter recovers a panic
// in each call and panics again on top of the old stack, which then is walked
// again from its beginning: 5 000 calls took 31 s. Here every 16th call recovers
// it for good.
func guarded(f reflect.Value, t reflect.Type) reflect.Value {
	call := f.Call
	if t.IsVariadic() {
		call = f.CallSlice
	}
	var calls atomic.Int32 // within each other, of all goroutines: it need not be exact
	return reflect.MakeFunc(t, func(in values) values {
		defer calls.Add(-1)
		if calls.Add(1)%guardEvery != 0 {
			return call(in)
		}
		out, passed := caught(call, in)
		if passed != nil {
			panic(passed)
		}
		return out
	})
}

// relayed is a panic whose stack has ended: what was seen of it while it was
// there. Only [NewFault] meets it: nothing that recovers runs interpreted code,
// or is run by it. To all others it has the text of the value.
type relayed struct {
	value   any
	outside bool      // what beganOutside said
	stack   []uintptr // where it began
}

func (r *relayed) Error() string { return textOf(r.value) }

// caught makes a call and returns the panic that it ended with. A stop and an
// exit are passed on as they are: they are looked for by their types.
func caught(call func(values) values, in values) (out values, passed any) {
	done := false
	defer func() {
		if done {
			return
		}
		passed = recover() // nil: runtime.Goexit goes on
		switch v := passed.(type) {
		case nil, *relayed, *cellapi.Stopped:
		case error:
			var exit *cellapi.ExitError
			if !errors.As(v, &exit) {
				passed = &relayed{v, beganIn(v), panicStack()}
			}
		default:
			passed = &relayed{v, beganIn(v), panicStack()}
		}
	}()
	out = call(in)
	done = true
	return out, nil
}

// beganIn is beganOutside where it matters.
func beganIn(v any) bool { return strings.HasPrefix(textOf(v), "reflect") && beganOutside() }

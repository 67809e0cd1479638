package yaegi

import (
	"reflect"
	"strings"
	"sync/atomic"
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

// relayed is a panic whose stack has ended; outside is what beganOutside said
// while it was there.
type relayed struct {
	value   any
	outside bool
}

// caught makes a call and returns the panic that it ended with.
func caught(call func(values) values, in values) (out values, passed any) {
	done := false
	defer func() {
		if done {
			return
		}
		if passed = recover(); passed == nil {
			return // runtime.Goexit goes on
		}
		keepStack()
		if _, ok := passed.(*relayed); ok {
			return
		}
		if raw := textOf(passed); strings.HasPrefix(raw, "reflect") {
			passed = &relayed{passed, beganOutside()}
		}
	}()
	out = call(in)
	done = true
	return out, nil
}

package yaegi

import (
	"reflect"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// ofChannels are the operations of channels. Those that must wait end when the
// cell of their goroutine is stopped.
func ofChannels(s lower.Symbol, t rtypes) reflect.Value {
	if s.Kind == lower.Select {
		return selectOf(s.Name, t)
	}
	c := t[0]
	switch s.Kind {
	case lower.Receive:
		return makeFunc(t, rtypes{c.Elem()}, func(in values) values { v, _ := receive(in[0]); return values{v} })
	case lower.ReceiveOK:
		return makeFunc(t, rtypes{c.Elem(), boolType}, func(in values) values {
			v, ok := receive(in[0])
			return values{v, reflect.ValueOf(ok)}
		})
	case lower.Send:
		return makeFunc(rtypes{c, c.Elem()}, nil, func(in values) values { send(in[0], in[1]); return nil })
	}
	return makeFunc(t, nil, func(in values) values {
		if in[0].IsNil() {
			panic(plainError("close of nil channel"))
		}
		in[0].Close()
		return nil
	})
}

// receive is <-c; where it must wait it ends with the cell of the goroutine.
func receive(c reflect.Value) (v reflect.Value, ok bool) {
	if v, ok := c.TryRecv(); v.IsValid() {
		return v, ok
	}
	if _, v, ok, done := wait([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: c}}); !done {
		return v, ok
	}
	return reflect.Zero(c.Type().Elem()), false
}

// send is c <- v; where it must wait it ends with the cell of the goroutine.
func send(c, v reflect.Value) {
	if !c.TrySend(v) {
		wait([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: c, Send: v}})
	}
}

// wait is reflect.Select that a stop of the goroutine's cell ends: it panics
// then, unless the stop has passed by meanwhile, which done reports.
func wait(cases []reflect.SelectCase) (chosen int, v reflect.Value, ok, done bool) {
	stop := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(cellapi.Done())}
	chosen, v, ok = reflect.Select(append(cases[:len(cases):len(cases)], stop))
	if chosen == len(cases) {
		cellapi.End()
		return 0, v, false, true
	}
	return chosen, v, ok, false
}

// selectOf chooses among cases: kinds lists send, receive and default in the
// order of the text, t the channel type of each that has one. The function
// takes the channels, and after a channel to send on the value; it returns the
// number of the case from 1, and for each receive what came and whether.
func selectOf(kinds string, t rtypes) reflect.Value {
	var in rtypes
	out := rtypes{intType}
	var dirs []string
	if kinds != "" {
		dirs = strings.Split(kinds, ",")
	}
	next := 0
	for _, d := range dirs {
		if d == "default" {
			continue
		}
		in = append(in, t[next])
		if d == "send" {
			in = append(in, t[next].Elem())
		} else {
			out = append(out, t[next].Elem(), boolType)
		}
		next++
	}
	return makeFunc(in, out, func(in values) values {
		var cases []reflect.SelectCase
		res := make(values, len(out))
		res[0] = reflect.ValueOf(0)
		at, place := 0, make([]int, len(dirs)) // of the results of a receive
		free := 1
		for i, d := range dirs {
			switch d {
			case "default":
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
			case "send":
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: in[at], Send: in[at+1]})
				at += 2
			default:
				cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: in[at]})
				place[i] = free
				res[free], res[free+1] = reflect.Zero(out[free]), reflect.ValueOf(false)
				at, free = at+1, free+2
			}
		}
		chosen, v, ok, done := choose(cases)
		if done {
			return res
		}
		res[0] = reflect.ValueOf(chosen + 1)
		if p := place[chosen]; p > 0 && v.IsValid() {
			res[p], res[p+1] = v, reflect.ValueOf(ok)
		}
		return res
	})
}

// choose is a select: one with a default never waits.
func choose(cases []reflect.SelectCase) (chosen int, v reflect.Value, ok, done bool) {
	for _, c := range cases {
		if c.Dir == reflect.SelectDefault {
			chosen, v, ok = reflect.Select(cases)
			return chosen, v, ok, false
		}
	}
	return wait(cases)
}

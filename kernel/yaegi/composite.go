package yaegi

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/lower"
)

// ofMaps are the operations of maps, and make of all that is made.
func ofMaps(s lower.Symbol, t rtypes) reflect.Value {
	m := t[0]
	switch s.Kind {
	case lower.MakeMap:
		return makeOf(s.Name, m)
	case lower.Clear:
		return makeFunc(rtypes{m}, nil, func(in values) values { in[0].Clear(); return nil })
	case lower.Iterate:
		return makeFunc(rtypes{m}, rtypes{iterType}, func(in values) values {
			return values{reflect.ValueOf(in[0].MapRange())}
		})
	}
	k, e := m.Key(), m.Elem()
	switch s.Kind {
	case lower.MapGet:
		return makeFunc(rtypes{m, k}, rtypes{e}, func(in values) values {
			v := in[0].MapIndex(in[1])
			if !v.IsValid() {
				v = reflect.Zero(e)
			}
			return values{v}
		})
	case lower.MapGetOK:
		return makeFunc(rtypes{m, k}, rtypes{e, boolType}, func(in values) values {
			v := in[0].MapIndex(in[1])
			ok := v.IsValid()
			if !ok {
				v = reflect.Zero(e)
			}
			return values{v, reflect.ValueOf(ok)}
		})
	case lower.MapSet:
		return makeFunc(rtypes{m, k, e}, nil, func(in values) values { in[0].SetMapIndex(in[1], in[2]); return nil })
	case lower.Delete:
		return makeFunc(rtypes{m, k}, nil, func(in values) values { remove(in[0], in[1]); return nil })
	}
	return makeFunc(rtypes{iterType}, rtypes{k, e, boolType}, func(in values) values {
		it := in[0].Interface().(*reflect.MapIter)
		if !it.Next() {
			return values{reflect.Zero(k), reflect.Zero(e), reflect.ValueOf(false)}
		}
		return values{it.Key(), it.Value(), reflect.ValueOf(true)}
	})
}

// remove deletes a key; of a nil map it does nothing, as delete.
func remove(m, k reflect.Value) {
	if !m.IsNil() {
		m.SetMapIndex(k, reflect.Value{})
	}
}

// makeOf is make with the number of sizes that name says.
func makeOf(name string, t reflect.Type) reflect.Value {
	n, err := strconv.Atoi(name)
	if err != nil {
		panic("yaegi: sizes " + name)
	}
	in := make(rtypes, n)
	for i := range in {
		in[i] = intType
	}
	return makeFunc(in, rtypes{t}, func(in values) values {
		size := func(i int) int {
			if i < len(in) {
				return int(in[i].Int())
			}
			return 0
		}
		switch t.Kind() {
		case reflect.Map:
			return values{reflect.MakeMapWithSize(t, max(0, size(0)))}
		case reflect.Chan:
			if size(0) < 0 {
				panic(plainError("makechan: size out of range"))
			}
			return values{reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), size(0)).Convert(t)}
		}
		length, capacity := size(0), max(size(0), size(1))
		limit := math.MaxInt / max(1, int(t.Elem().Size()))
		if length < 0 || length > limit {
			panic(runtimeError("makeslice: len out of range"))
		}
		if len(in) > 1 && (size(1) < length || size(1) > limit) {
			panic(runtimeError("makeslice: cap out of range"))
		}
		room(capacity, int(t.Elem().Size()))
		return values{reflect.MakeSlice(t, length, capacity)}
	})
}

// plainError is an error of the runtime whose text begins without "runtime error".
type plainError string

func (e plainError) Error() string { return string(e) }

// RuntimeError marks it as the runtime's.
func (plainError) RuntimeError() {}

// ofComposites are literals and the operations of slices that are not Yaegi's.
func ofComposites(s lower.Symbol, t rtypes) reflect.Value {
	switch s.Kind {
	case lower.Struct:
		return structOf(s.Name, t[0])
	case lower.Elements:
		return reflect.MakeFunc(reflect.FuncOf(rtypes{reflect.SliceOf(t[0].Elem())}, t[:1], true), func(in values) values {
			list := in[0]
			if t[0].Kind() == reflect.Array {
				a := reflect.New(t[0]).Elem()
				reflect.Copy(a, list)
				return values{a}
			}
			out := reflect.MakeSlice(t[0], list.Len(), list.Len())
			reflect.Copy(out, list)
			return values{out}
		})
	case lower.Copy:
		return makeFunc(t[:1], rtypes{reflect.PointerTo(t[0])}, func(in values) values {
			p := reflect.New(t[0])
			p.Elem().Set(in[0])
			return values{p}
		})
	case lower.Append:
		return makeFunc(t, t[:1], func(in values) values {
			return values{reflect.AppendSlice(in[0], bytesOf(in[1], t[0]))}
		})
	case lower.CopySlice:
		return makeFunc(t, rtypes{intType}, func(in values) values {
			return values{reflect.ValueOf(reflect.Copy(in[0], in[1]))}
		})
	}
	return makeFunc(rtypes{reflect.PointerTo(t[0])}, rtypes{reflect.SliceOf(t[0].Elem())}, func(in values) values {
		if in[0].IsNil() {
			panic(nilError())
		}
		return values{in[0].Elem().Slice(0, t[0].Len())}
	})
}

// bytesOf makes the second operand of append a slice of type t.
func bytesOf(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Kind() == reflect.String {
		return v.Convert(reflect.TypeFor[[]byte]()).Convert(t)
	}
	return v.Convert(t)
}

func structOf(names string, t reflect.Type) reflect.Value {
	var in rtypes
	var index [][]int
	if names != "" {
		for _, n := range strings.Split(names, ",") {
			f, ok := t.FieldByName(n)
			if !ok {
				panic("yaegi: no field " + n)
			}
			in, index = append(in, f.Type), append(index, f.Index)
		}
	}
	return makeFunc(in, rtypes{t}, func(in values) values {
		v := reflect.New(t).Elem()
		for i, x := range in {
			v.FieldByIndex(index[i]).Set(x)
		}
		return values{v}
	})
}

// extreme is min or max; floats with NaN and signed zeros as the language has them.
func extreme(largest bool, t reflect.Type) reflect.Value {
	less := func(a, b reflect.Value) bool { return a.Int() < b.Int() }
	switch t.Kind() {
	case reflect.String:
		less = func(a, b reflect.Value) bool { return a.String() < b.String() }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		less = func(a, b reflect.Value) bool { return a.Uint() < b.Uint() }
	case reflect.Float32, reflect.Float64:
		return floatExtreme(largest, t)
	}
	return reflect.MakeFunc(reflect.FuncOf(rtypes{reflect.SliceOf(t)}, rtypes{t}, true), func(in values) values {
		best := in[0].Index(0)
		for i := 1; i < in[0].Len(); i++ {
			if v := in[0].Index(i); largest && less(best, v) || !largest && less(v, best) {
				best = v
			}
		}
		return values{best}
	})
}

func floatExtreme(largest bool, t reflect.Type) reflect.Value {
	return reflect.MakeFunc(reflect.FuncOf(rtypes{reflect.SliceOf(t)}, rtypes{t}, true), func(in values) values {
		best := in[0].Index(0).Float()
		for i := 1; i < in[0].Len(); i++ {
			v := in[0].Index(i).Float()
			if cmp.Compare(best, best) != 0 {
				break
			}
			if largest {
				best = max(best, v)
			} else {
				best = min(best, v)
			}
		}
		return values{reflect.ValueOf(best).Convert(t)}
	})
}

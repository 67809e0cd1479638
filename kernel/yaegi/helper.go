package yaegi

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
)

var fileType, readerType = reflect.TypeFor[*os.File](), reflect.TypeFor[io.Reader]()

// makeFunc is reflect.MakeFunc with the types listed.
func makeFunc(in, out []reflect.Type, f func([]reflect.Value) []reflect.Value) reflect.Value {
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), f)
}

type (
	rtypes = []reflect.Type
	values = []reflect.Value
)

// helper makes the compiled function that a symbol stands for; t are its types.
func helper(s lower.Symbol, t rtypes) (reflect.Value, error) {
	switch s.Kind {
	case lower.Convert, lower.IsNil, lower.Equal, lower.Assert, lower.AssertOK, lower.TypeCase:
		return ofInterfaces(s, t), nil
	case lower.Receive, lower.ReceiveOK, lower.Send, lower.Close, lower.Select:
		return ofChannels(s, t), nil
	case lower.MakeMap, lower.MapGet, lower.MapGetOK, lower.MapSet, lower.Delete, lower.Clear, lower.Iterate, lower.Next:
		return ofMaps(s, t), nil
	case lower.Struct, lower.Elements, lower.Copy, lower.Append, lower.CopySlice, lower.SliceArray:
		return ofComposites(s, t), nil
	case lower.Smallest, lower.Largest:
		return extreme(s.Kind == lower.Largest, t[0]), nil
	case lower.Method:
		return method(s.Name, t[0])
	case lower.MethodValue:
		return methodValue(s.Name, t[0])
	case lower.Variadic:
		return makeFunc(rtypes{plain(t[0])}, t[:1], func(in values) values { return values{variadic(in[0], t[0])} }), nil
	case lower.Guard:
		return makeFunc(t[:1], t[:1], func(in values) values { return values{guarded(in[0], t[0])} }), nil
	case lower.Print:
		return builtinPrint(s.Name == "println", t), nil
	case lower.Rune:
		return reflect.ValueOf(func(s string, i int) (rune, int) { return utf8.DecodeRuneInString(s[i:]) }), nil
	case lower.End:
		return reflect.ValueOf(cellapi.End), nil
	case lower.Raise:
		return reflect.ValueOf(func(v any) { panic(v) }), nil
	case lower.Start:
		return reflect.ValueOf(cellapi.Go), nil
	case lower.NewDefers:
		return reflect.ValueOf(cellapi.NewDefers), nil
	case lower.Push:
		return reflect.ValueOf((*cellapi.Defers).Push), nil
	case lower.RunDefers:
		return reflect.ValueOf(cellapi.RunDefers), nil
	}
	return reflect.Value{}, fmt.Errorf("no helper of kind %d", s.Kind)
}

// plain is a function type with a slice where it was variadic.
func plain(t reflect.Type) reflect.Type {
	if !t.IsVariadic() {
		return t
	}
	var in, out rtypes
	for i := range t.NumIn() {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, false)
}

// variadic makes a function of the variadic type t of one of type plain(t).
func variadic(f reflect.Value, t reflect.Type) reflect.Value {
	if !t.IsVariadic() {
		return f
	}
	return reflect.MakeFunc(t, func(in values) values { return f.Call(in) })
}

// ofInterfaces are conversions, comparisons and assertions.
func ofInterfaces(s lower.Symbol, t rtypes) reflect.Value {
	switch s.Kind {
	case lower.Convert:
		if s.Name == "count" {
			return makeFunc(t[:1], t[1:], func(in values) values {
				if in[0].Int() < 0 {
					panic(runtimeError("negative shift amount"))
				}
				return values{in[0].Convert(t[1])}
			})
		}
		return makeFunc(t[:1], t[1:], func(in values) values { return values{convert(in[0], t[1])} })
	case lower.IsNil:
		return makeFunc(t, rtypes{boolType}, func(in values) values { return values{reflect.ValueOf(in[0].IsNil())} })
	case lower.Equal:
		return makeFunc(rtypes{t[0], t[0]}, rtypes{boolType}, func(in values) values {
			return values{reflect.ValueOf(in[0].Interface() == in[1].Interface())}
		})
	case lower.Assert:
		return makeFunc(t[:1], t[1:], func(in values) values {
			v, ok := assert(in[0], t[1])
			if !ok {
				panic(assertion(in[0], t[0], t[1]))
			}
			return values{v}
		})
	case lower.AssertOK:
		return makeFunc(t[:1], rtypes{t[1], boolType}, func(in values) values {
			v, ok := assert(in[0], t[1])
			if !ok {
				v = reflect.Zero(t[1])
			}
			return values{v, reflect.ValueOf(ok)}
		})
	}
	return typeCase(s.Name, t)
}

// convert is t(v). reflect takes floats to integers, and integers to float32,
// through 64 bits; the compiler does not. os.Stdin becomes a reader that asks.
func convert(v reflect.Value, t reflect.Type) reflect.Value {
	switch {
	case v.Type() == fileType && t.Kind() == reflect.Interface && t.Implements(readerType):
		if s, ok := cellapi.Asking(v.Interface().(*os.File)); ok && reflect.TypeOf(s).Implements(t) {
			return reflect.ValueOf(s).Convert(t)
		}
	case v.Kind() == reflect.Slice && v.Len() < arrayLen(t):
		panic(runtimeError(fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d",
			v.Len(), arrayLen(t))))
	case v.CanFloat():
		f := v.Float()
		switch t.Kind() {
		case reflect.Int8:
			return reflect.ValueOf(int8(f)).Convert(t)
		case reflect.Int16:
			return reflect.ValueOf(int16(f)).Convert(t)
		case reflect.Int32:
			return reflect.ValueOf(int32(f)).Convert(t)
		case reflect.Uint8:
			return reflect.ValueOf(uint8(f)).Convert(t)
		case reflect.Uint16:
			return reflect.ValueOf(uint16(f)).Convert(t)
		case reflect.Uint32:
			return reflect.ValueOf(uint32(f)).Convert(t)
		}
	case t.Kind() == reflect.Float32 && v.CanInt():
		return reflect.ValueOf(float32(v.Int())).Convert(t)
	case t.Kind() == reflect.Float32 && v.CanUint():
		return reflect.ValueOf(float32(v.Uint())).Convert(t)
	}
	return v.Convert(t)
}

// arrayLen is the length of an array, or of the one that a pointer points to.
func arrayLen(t reflect.Type) int {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Array {
		return 0
	}
	return t.Len()
}

// assert is v.(t): v is a value of interface type.
func assert(v reflect.Value, t reflect.Type) (reflect.Value, bool) {
	if v.IsNil() {
		return reflect.Value{}, false
	}
	e := v.Elem()
	if t.Kind() != reflect.Interface {
		if !cellapi.Same(e.Type(), t) {
			return e, false
		}
		return cellapi.As(e, t), true
	}
	if !e.Type().Implements(t) {
		return reflect.Value{}, false
	}
	return e.Convert(t), true
}

// typeCase answers which clause of a type switch a value belongs to. name is
// the clause of the default (0 for none), then the clause of each type of
// t[1:]; a nil type is the case nil.
func typeCase(name string, t rtypes) reflect.Value {
	var clause []int
	for _, s := range strings.Split(name, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			panic("yaegi: clause " + s)
		}
		clause = append(clause, n)
	}
	return makeFunc(t[:1], rtypes{intType}, func(in values) values {
		for i, c := range t[1:] {
			ok := c == nil && in[0].IsNil()
			if c != nil {
				_, ok = assert(in[0], c)
			}
			if ok {
				return values{reflect.ValueOf(clause[i+1])}
			}
		}
		return values{reflect.ValueOf(clause[0])}
	})
}

// runtimeError is an error of the runtime with Go's text.
type runtimeError string

func (e runtimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks it as the runtime's, as package runtime asks.
func (runtimeError) RuntimeError() {}

// assertionError is a failed type assertion with Go's text.
type assertionError string

func (e assertionError) Error() string { return "interface conversion: " + string(e) }

// RuntimeError marks it as the runtime's.
func (assertionError) RuntimeError() {}

// assertion is the panic of v.(t) where v has the interface type from.
func assertion(v reflect.Value, from, t reflect.Type) error {
	name := from.String()
	if from == anyType {
		name = "interface {}"
	}
	switch {
	case v.IsNil() && t.Kind() == reflect.Interface:
		return assertionError("interface is nil, not " + t.String())
	case v.IsNil():
		return assertionError(name + " is nil, not " + t.String())
	case t.Kind() == reflect.Interface:
		for i := range t.NumMethod() {
			if _, ok := v.Elem().Type().MethodByName(t.Method(i).Name); !ok {
				return assertionError(v.Elem().Type().String() + " is not " + t.String() + ": missing method " + t.Method(i).Name)
			}
		}
	}
	return assertionError(name + " is " + v.Elem().Type().String() + ", not " + t.String())
}

// method is the function that calls a method of t with the receiver first.
func method(name string, t reflect.Type) (reflect.Value, error) {
	if t == fileType && name == "Read" {
		return reflect.ValueOf(cellapi.ReadFile), nil
	}
	if with, ok := replacedMethods[t.String()+"."+name]; ok && t == with.Type().In(0) {
		return called(with), nil
	}
	m, ok := t.MethodByName(name)
	if !ok {
		return reflect.Value{}, fmt.Errorf("type %s has no method %s", t, name)
	}
	if t.Kind() != reflect.Interface {
		if t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Interface {
			if _, byValue := t.Elem().MethodByName(name); byValue {
				return throughPointer(name, t, m), nil
			}
		}
		return m.Func, nil
	}
	in := rtypes{t}
	for i := range m.Type.NumIn() {
		in = append(in, m.Type.In(i))
	}
	var out rtypes
	for i := range m.Type.NumOut() {
		out = append(out, m.Type.Out(i))
	}
	variadic := m.Type.IsVariadic()
	return reflect.MakeFunc(reflect.FuncOf(in, out, variadic), func(in values) values {
		if in[0].IsNil() {
			panic(nilError())
		}
		f := in[0].Method(m.Index)
		if variadic {
			return f.CallSlice(in[1:])
		}
		return f.Call(in[1:])
	}), nil
}

// methodValue is the function that binds a method to a copy of its receiver.
func methodValue(name string, t reflect.Type) (reflect.Value, error) {
	if with, ok := replacedMethods[t.String()+"."+name]; ok && t == with.Type().In(0) {
		return with, nil
	}
	m, ok := t.MethodByName(name)
	if !ok {
		return reflect.Value{}, fmt.Errorf("type %s has no method %s", t, name)
	}
	byValue := false
	if t.Kind() == reflect.Pointer {
		_, byValue = t.Elem().MethodByName(name)
		byValue = byValue && t.Elem().Kind() != reflect.Interface
	}
	out := m.Type
	if t.Kind() != reflect.Interface {
		out = reflect.Zero(t).Method(m.Index).Type() // without the receiver
	}
	return makeFunc(rtypes{t}, rtypes{out}, func(in values) values {
		v := in[0]
		if (byValue || t.Kind() == reflect.Interface) && v.IsNil() {
			panic(nilError())
		}
		if byValue {
			v = v.Elem()
		}
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		return values{c.MethodByName(name)}
	}), nil
}

// throughPointer calls a method with a value receiver by a pointer: Go's
// message for a nil one is of the dereference.
func throughPointer(name string, t reflect.Type, m reflect.Method) reflect.Value {
	return reflect.MakeFunc(m.Type, func(in values) values {
		if in[0].IsNil() {
			panic(nilError())
		}
		if m.Type.IsVariadic() {
			return m.Func.CallSlice(in)
		}
		return m.Func.Call(in)
	})
}

func nilError() error { return runtimeError("invalid memory address or nil pointer dereference") }

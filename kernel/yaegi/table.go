package yaegi

import (
	"fmt"
	"reflect"

	"github.com/traefik/yaegi/interp"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// table makes the values of the symbols of a program. out are the places that
// main hands functions out to, the body under "".
func (r *Runner) table(p *lower.Program, u *Unit, vars Storage) (tab, out map[string]reflect.Value, err error) {
	tab, out = map[string]reflect.Value{}, map[string]reflect.Value{}
	for _, s := range p.Symbols {
		var t rtypes
		for _, want := range s.T {
			if want == nil {
				t = append(t, nil)
				continue
			}
			rt, err := r.types.Of(want)
			if err != nil {
				return nil, nil, err
			}
			t = append(t, rt)
		}
		v, err := r.value(s, t, u, vars)
		if err != nil {
			return nil, nil, err
		}
		tab[s.ID] = v
		if s.Kind == lower.Export {
			out[s.Name] = v
		}
	}
	return tab, out, nil
}

// value makes the value of one symbol: memory, a type, or a compiled function.
func (r *Runner) value(s lower.Symbol, t rtypes, u *Unit, vars Storage) (reflect.Value, error) {
	switch s.Kind {
	case lower.Variable:
		v, err := vars(s.Name, s.T[0])
		if err != nil {
			return v, err
		}
		if v.Type() != reflect.PointerTo(t[0]) {
			if cellapi.Same(v.Type().Elem(), t[0]) {
				return reflect.NewAt(t[0], v.UnsafePointer()), nil
			}
			return v, fmt.Errorf("yaegi: memory of %s is %s, not *%s", s.Name, v.Type(), t[0])
		}
		return v, nil
	case lower.Slot:
		return reflect.ValueOf(new(int32)), nil
	case lower.Finished:
		return reflect.ValueOf(&u.done), nil
	case lower.Zero:
		return reflect.New(t[0]), nil
	case lower.Export:
		return reflect.New(plain(t[0])), nil
	case lower.Named:
		return reflect.Zero(reflect.PointerTo(t[0])), nil
	case lower.Poll:
		return pollValue(), nil
	case lower.Value:
		return makeFunc(t, nil, func(in values) values { u.shown = in; return nil }), nil
	}
	return helper(s, t)
}

// exports gives the names of packages that a program uses, and no others.
//
// The keys are spelled "fmt//fmt": a key "fmt/fmt" makes Yaegi load generic
// sources of its own and swap the functions of fmt.
func (r *Runner) exports(names map[string][]string) (interp.Exports, error) {
	e := interp.Exports{}
	for path, list := range names {
		p, ok := r.ix.Lookup(path)
		if !ok {
			return nil, fmt.Errorf("package %s is not built in", path)
		}
		all, ok := r.symbols.Load(path)
		if !ok {
			all, _ = r.symbols.LoadOrStore(path, p.Symbols())
		}
		used := map[string]reflect.Value{}
		for _, name := range list {
			v, ok := all.(map[string]reflect.Value)[name]
			if with, is := replaced[path+"."+name]; is {
				v, ok = with, true
			}
			if !ok {
				return nil, fmt.Errorf("%s.%s is not built in", path, name)
			}
			used[name] = v
		}
		e[path+"//"+p.Name] = used
	}
	return e, nil
}

// replacedMethods are the methods that would end the process, or whose
// goroutines would: functions of the receiver that give the method.
var replacedMethods = map[string]reflect.Value{
	"*log.Logger.Fatal":   reflect.ValueOf(cellapi.LoggerFatal),
	"*log.Logger.Fatalf":  reflect.ValueOf(cellapi.LoggerFatalf),
	"*log.Logger.Fatalln": reflect.ValueOf(cellapi.LoggerFatalln),
	"*sync.WaitGroup.Go":  reflect.ValueOf(cellapi.WaitGroupGo),
}

// called is the function that takes the receiver and the arguments of a method
// that with gives of the receiver.
func called(with reflect.Value) reflect.Value {
	m := with.Type().Out(0)
	in := rtypes{with.Type().In(0)}
	for i := range m.NumIn() {
		in = append(in, m.In(i))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, nil, m.IsVariadic()), func(in values) values {
		f := with.Call(in[:1])[0]
		if m.IsVariadic() {
			return f.CallSlice(in[1:])
		}
		return f.Call(in[1:])
	})
}

// replaced are the functions that would end the process or its goroutine, whose
// goroutines would, and those that read what a notebook does not have.
var replaced = map[string]reflect.Value{
	"os.Exit":           reflect.ValueOf(cellapi.Exit),
	"log.Fatal":         reflect.ValueOf(cellapi.Fatal),
	"log.Fatalf":        reflect.ValueOf(cellapi.Fatalf),
	"log.Fatalln":       reflect.ValueOf(cellapi.Fatalln),
	"runtime.Goexit":    reflect.ValueOf(cellapi.Goexit),
	"time.AfterFunc":    reflect.ValueOf(cellapi.AfterFunc),
	"context.AfterFunc": reflect.ValueOf(cellapi.ContextAfterFunc),
	"fmt.Scan":          reflect.ValueOf(cellapi.Scan),
	"fmt.Scanf":         reflect.ValueOf(cellapi.Scanf),
	"fmt.Scanln":        reflect.ValueOf(cellapi.Scanln),
}

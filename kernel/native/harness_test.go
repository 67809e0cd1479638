package native

import (
	"context"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/pack"
)

var (
	index = sync.OnceValue(func() *pack.Index {
		ix, err := pack.Merge(std.Set())
		if err != nil {
			panic(err)
		}
		return ix
	})
	checker = sync.OnceValue(func() *front.Checker { return front.New(index()) })
)

// book runs cells one after another, as a session does, but without
// redefinition of functions and types.
type book struct {
	tc      *Toolchain
	sc      *front.Scope
	n       int
	poll    bool
	vars    map[string]reflect.Value
	objects map[string]types.Object // whose memory it is
	homes   map[types.Object]string
	structs map[string]string
}

var books int

func newBook(tc *Toolchain) *book {
	books++
	return &book{tc: tc, sc: front.NewScope(), poll: true, n: 1000 * books, vars: map[string]reflect.Value{},
		objects: map[string]types.Object{}, homes: map[types.Object]string{}, structs: map[string]string{}}
}

// check and emit take a cell to its text.
func (b *book) emit(src string, program bool) (*front.Cell, *Emitted, error) {
	b.n++
	b.sc.Strict = program
	c, e := checker().Check(b.n, src, b.sc)
	if e != nil {
		return nil, nil, e
	}
	r := Request{Cell: c, Path: fmt.Sprintf("%sc%d", prefix, b.n), Program: program, Body: true, Poll: b.poll,
		Home:    func(o types.Object) (string, bool) { p, ok := b.homes[o]; return p, ok },
		Structs: b.structs, Types: map[string]types.Type{}}
	if !program {
		for _, d := range c.Decls {
			if d.Kind == "var" || d.Kind == "func" && d.Obj.(*types.Func).Signature().TypeParams().Len() == 0 {
				r.Types["var "+d.Name] = d.Obj.Type()
			}
		}
	}
	out, err := Emit(r)
	return c, out, err
}

// load makes a cell ready: memory is given, names enter the scope.
func (b *book) load(src string, program bool) (cellapi.Objects, error) {
	c, out, err := b.emit(src, program)
	if err != nil {
		return cellapi.Objects{}, err
	}
	p, err := b.tc.Build(context.Background(), out.Unit)
	if err != nil {
		if be, ok := err.(*BuildError); ok {
			return cellapi.Objects{}, fmt.Errorf("%w\n%s", err, be.Output)
		}
		return cellapi.Objects{}, err
	}
	o, err := b.tc.Load(p)
	if err == nil && !program {
		b.attach(c, out, o)
	}
	return o, err
}

// attach gives the names of a loaded cell memory and takes them into the scope.
func (b *book) attach(c *front.Cell, out *Emitted, o cellapi.Objects) {
	for _, k := range out.Structs {
		b.structs[k] = out.Path
	}
	b.sc = b.sc.Clone()
	for _, d := range c.Decls {
		if d.Kind == "method" {
			continue
		}
		b.homes[d.Obj] = out.Path
		b.sc.Names[d.Name] = front.Name{Obj: d.Obj, Cell: b.n, Line: d.Line, Col: d.Col, Source: d.Source}
		if t := o.Types["var "+d.Name]; t != nil {
			old, ok := b.objects[d.Name]
			if !ok || !types.Identical(old.Type(), d.Obj.Type()) {
				b.vars[d.Name], b.objects[d.Name] = reflect.New(t), d.Obj
			}
			if f, ok := o.Funcs[d.Name]; ok {
				b.vars[d.Name].Elem().Set(f)
			}
		}
	}
	for k, v := range c.Imports {
		b.sc.Imports[k] = v
	}
	b.sc.Dots = append(b.sc.Dots, c.Dots...)
	if o.Bind != nil {
		o.Bind(func(name string) reflect.Value { return b.vars[name] })
	}
}

// take lets later cells see the names of a cell that no unit is the home of.
func (b *book) take(c *front.Cell) {
	b.sc = b.sc.Clone()
	for _, d := range c.Decls {
		b.sc.Names[d.Name] = front.Name{Obj: d.Obj, Cell: b.n}
	}
}

// run runs a cell.
func (b *book) run(src string) (*cellapi.Frame, error) {
	o, err := b.load(src, false)
	if err != nil {
		return nil, err
	}
	f := &cellapi.Frame{}
	if o.Body != nil {
		o.Body(f)
	}
	return f, nil
}

// TestMain becomes, where the first argument says so, a process that runs one
// program: "program FILE" as a whole, "cell FILE" as a cell of a notebook,
// "cut FILE" as a cell for each declaration, "text MODE FILE" prints its text.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && slices.Contains([]string{"program", "cell", "cells", "cut", "text"}, os.Args[1]) {
		os.Exit(alone(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func alone(args []string) (status int) {
	if args[0] == "text" {
		src, err := os.ReadFile(args[2])
		if err != nil {
			panic(err)
		}
		_, out, err := newBook(nil).emit(string(src), args[1] == "program")
		if err != nil {
			fmt.Println("REFUSED", err)
			return 3
		}
		fmt.Print(out.Files["cell.go"])
		return 0
	}
	tc, err := Find(context.Background(), Config{})
	if err != nil {
		fmt.Println("REFUSED", err)
		return 3
	}
	src, err := os.ReadFile(args[1])
	if err != nil {
		panic(err)
	}
	b := newBook(tc)
	cells := []string{string(src)}
	if args[0] == "cells" {
		cells = strings.Split(string(src), "\n----\n")
	}
	if args[0] == "cut" {
		if cells, err = cut(string(src)); err != nil {
			fmt.Println("REFUSED", err)
			return 3
		}
	}
	cellapi.SetExit(os.Exit)
	cellapi.SetGuard(func(f cellapi.Fault) {
		fmt.Fprintf(os.Stderr, "panic: %v\n%s", f.Value, f.Stack)
		os.Exit(2)
	})
	for _, text := range cells {
		o, err := b.load(text, args[0] == "program")
		if err != nil {
			fmt.Println("REFUSED", err)
			return 3
		}
		if o.Body != nil {
			if s := start(o.Body); s != 0 {
				return s
			}
		}
	}
	return 0
}

// start runs the statements as the main goroutine of a cell.
func start(body func(*cellapi.Frame)) (status int) {
	defer cellapi.Enter(1)()
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", v, debug.Stack())
			status = 2
		}
	}()
	f := &cellapi.Frame{}
	body(f)
	for _, v := range f.Shown {
		fmt.Printf("=> %v\n", v)
	}
	return 0
}

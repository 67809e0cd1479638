package yaegi

import (
	"fmt"
	"go/types"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// index is the standard library, opened once.
var index = sync.OnceValue(func() *pack.Index {
	ix, err := pack.Merge(std.Set())
	if err != nil {
		panic(err)
	}
	return ix
})

// book runs cells one after another over one set of variables, as a session
// does, but without redefinition.
type book struct {
	k    *front.Checker
	sc   *front.Scope
	r    *Runner
	n    int
	vars map[string]reflect.Value
}

// checker and runner are shared: each keeps what it imported.
var (
	checker = sync.OnceValue(func() *front.Checker { return front.New(index()) })
	runner  = sync.OnceValue(func() *Runner { return NewRunner(index()) })
)

func newBook() *book {
	return &book{k: checker(), sc: front.NewScope(), r: runner(), vars: map[string]reflect.Value{}}
}

// outcome is what a cell came to: text and one of an error, refusals, a fault.
type outcome struct {
	stdout  string
	err     error
	refused []lower.Refusal
	fault   *Fault
	unit    *Unit
	prog    *lower.Program
}

func (b *book) memory(name string, t types.Type) (reflect.Value, error) {
	rt, err := b.r.Type(t)
	if err != nil {
		return reflect.Value{}, err
	}
	if v, ok := b.vars[name]; ok && v.Type().Elem() == rt {
		return v, nil
	}
	b.vars[name] = reflect.New(rt)
	return b.vars[name], nil
}

// compile takes a cell as far as it can be taken without running it.
func (b *book) compile(src string) (o outcome) {
	return b.compileWith(src, func(*lower.Program) {})
}

// compileWith changes the program before it is compiled.
func (b *book) compileWith(src string, change func(*lower.Program)) (o outcome) {
	b.n++
	c, e := b.k.Check(b.n, src, b.sc)
	if e != nil {
		o.err = e
		return o
	}
	o.prog, o.refused = lower.Lower(c)
	if len(o.refused) > 0 {
		return o
	}
	change(o.prog)
	o.unit, o.err = b.r.Compile(o.prog, b.n, b.memory)
	if o.err != nil {
		return o
	}
	for name, f := range o.unit.Funcs {
		v, err := b.memory(name, c.Pkg.Scope().Lookup(name).Type())
		if err != nil {
			o.err = err
			return o
		}
		v.Elem().Set(f)
	}
	b.sc = b.sc.Clone()
	for _, d := range c.Decls {
		b.sc.Names[d.Name] = front.Name{Obj: d.Obj, Cell: b.n, Source: d.Source}
	}
	for k, v := range c.Imports {
		b.sc.Imports[k] = v
	}
	return o
}

// run runs a cell and takes what it writes to os.Stdout.
func (b *book) run(src string) outcome {
	o := b.compile(src)
	if o.unit == nil {
		return o
	}
	o.stdout = captured(func() {
		defer cellapi.Enter(b.n)()
		o.fault = o.unit.Run()
	})
	return o
}

// captured returns what f writes to os.Stdout.
func captured(f func()) string {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	old := os.Stdout
	os.Stdout = w
	text := make(chan string)
	go func() {
		b, _ := io.ReadAll(r)
		text <- string(b)
	}()
	func() {
		defer func() { os.Stdout = old; w.Close() }()
		f()
	}()
	return <-text
}

// within fails the test if f takes longer than 10 s.
func within(t *testing.T, what string, f func()) bool {
	t.Helper()
	done := make(chan bool)
	go func() { f(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(10 * time.Second):
		t.Errorf("%s hangs", what)
		return false
	}
}

func (o outcome) String() string {
	switch {
	case o.err != nil:
		return fmt.Sprintf("ERROR %v", o.err)
	case len(o.refused) > 0:
		var s []string
		for _, r := range o.refused {
			s = append(s, r.String())
		}
		return "REFUSED " + strings.Join(s, "\n")
	case o.fault != nil:
		return o.stdout + "FAULT " + o.fault.Text
	}
	return o.stdout
}

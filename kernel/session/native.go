package session

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/native"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// sessions counts those of the process.
var sessions atomic.Int64

// unitPath is the import path of the next unit of a cell. A path can be loaded
// once in a process; the first unit of a cell of the first session has the
// number of the cell and nothing else, so that a session that is made again
// finds its cells in the cache.
func (s *Session) unitPath(cell int) string {
	path := fmt.Sprintf("gondola.session/c%d", cell)
	if s.serial > 1 {
		path = fmt.Sprintf("gondola.session/s%dc%d", s.serial, cell)
	}
	s.units[cell]++
	if n := s.units[cell]; n > 1 {
		path += fmt.Sprintf("n%d", n)
	}
	return path
}

// varKey is the key under which a unit registers the type of a variable.
func varKey(name string) string { return "var " + name }

// buildNative compiles a plan with the Go toolchain and loads it. The order is
// emit, build, load; then the types of the cell are known, its variables get
// storage, and the unit is bound to it.
func (r *run) buildNative(p *plan, c chosen) (*built, *engine.CellError) {
	tools, err := native.Find(r.ctx, native.Config{Notice: r.notice})
	if err != nil {
		return nil, r.lacks(c, err)
	}
	tools.SetNotice(r.notice)
	tools.SetLimit(r.s.buildLimit)
	em, err := native.Emit(r.request(p))
	if err != nil {
		return nil, r.notEmitted(err)
	}
	plugin, err := tools.Build(r.ctx, em.Unit)
	if err != nil {
		return nil, r.notBuilt(c, err)
	}
	objects, err := tools.Load(plugin)
	if err != nil {
		return nil, r.notBuilt(c, err)
	}
	s := r.s
	for _, key := range em.Structs {
		s.structs[key] = em.Path
	}
	s.settle(p, em, objects)
	if !r.cell.Program { // its variables and functions are the unit's own
		if err := s.allotNative(p, objects); err != nil {
			return nil, r.internal(err.Error(), nil)
		}
	}
	if objects.Bind != nil {
		objects.Bind(p.next.memory)
	}
	r.plugins++
	r.cached = r.cached && plugin.Cached
	r.tooMany()
	frame := &cellapi.Frame{}
	body := func() *yaegi.Fault { return nil }
	if objects.Body != nil {
		body = func() *yaegi.Fault { return yaegi.Call(func() { objects.Body(frame) }) }
	}
	took := fmt.Sprintf("built in %s", span(plugin.Compile+plugin.Link))
	if plugin.Cached {
		took = "from the cache"
	}
	why := c.why
	if c.at.Line > 0 {
		why = fmt.Sprintf("%s at cell [%d]:%d:%d is not interpreted", c.why, c.at.Cell, c.at.Line, c.at.Col)
	}
	return &built{plan: p, funcs: objects.Funcs, body: body, done: func() int { return frame.Finished },
		shown: func() []any { return frame.Shown }, on: "native", last: "native, " + took + ": " + why}, nil
}

// request is what the emitter is asked for.
func (r *run) request(p *plan) native.Request {
	s := r.s
	q := native.Request{
		Cell: p.cell, Path: s.unitPath(r.cell.Number), Body: true, Poll: !r.noPoll, Program: r.cell.Program,
		Home: s.homes.path, Known: s.homes.types(), Structs: s.structs, Types: map[string]types.Type{},
	}
	if r.cell.Program {
		q.File = programFile()
	}
	for _, e := range p.entries() {
		if e.kind == "var" && e.broken == "" && !r.cell.Program {
			q.Types[varKey(e.name)] = e.obj.Type()
		}
	}
	if v := p.cell.Value; v != nil {
		if t := p.cell.Info.Types[v].Type; t != nil {
			if _, many := t.(*types.Tuple); !many {
				q.Types[varKey(lastValue)] = types.Default(t)
			}
		}
	}
	return q
}

// programFile is the file of the program that this process runs, as the
// compiler would name it, or empty when it came from elsewhere.
func programFile() string {
	name := os.Args[0] // the name of the program, as it has it
	if filepath.Ext(name) != ".go" {
		return ""
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return abs
}

// settle notes where the types, generics and aliases of a plan live.
func (s *Session) settle(p *plan, em *native.Emitted, o cellapi.Objects) {
	for _, e := range p.entries() {
		if e.broken != "" || s.homes[e.obj] != nil {
			continue
		}
		if e.kind != "type" && !isGenericFunc(e.obj) {
			continue
		}
		h := &home{path: em.Path, typ: o.Types[e.name], methods: map[string]reflect.Value{}, fixed: map[string]bool{}}
		for name, v := range o.Methods {
			if typeOf(name) == e.name {
				h.methods[name] = v
			}
		}
		for _, name := range em.Fixed {
			h.fixed[name] = true
		}
		s.homes[e.obj] = h
	}
	s.shownType = o.Types[varKey(lastValue)]
}

// allotNative gives the entries of a plan their storage: that of the old
// meaning when kind and type are the same; the old memory, under the new type,
// of a variable that follows its type; else new memory.
func (s *Session) allotNative(p *plan, o cellapi.Objects) error {
	base := s.now.Load()
	for _, e := range p.follow {
		t, ok := o.Types[varKey(e.name)]
		if !ok {
			return fmt.Errorf("the type of %s was not built", e.name)
		}
		old := base.names[e.name].store
		if t.Size() != old.Type().Elem().Size() || t.Align() != old.Type().Elem().Align() || t.Kind() != old.Type().Elem().Kind() {
			return fmt.Errorf("the memory of %s is not that of its new type", e.name)
		}
		e.store = reflect.NewAt(t, old.UnsafePointer())
	}
	for _, e := range append(p.names, p.redone...) {
		_, e.native = o.Funcs[e.name]
		if s.inherits(e, base.names[e.name]) {
			continue
		}
		t, ok := o.Types[varKey(e.name)]
		if f, is := o.Funcs[e.name]; is && e.kind == "func" {
			t, ok = f.Type(), true
		}
		if !ok {
			var err error
			if t, err = s.runner.Type(e.obj.Type()); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
		e.store = reflect.New(t)
	}
	return nil
}

// manyPlugins is how many plugins of a session are told of: each keeps about
// 3 MB.
const manyPlugins = 200

// tooMany warns once of plugins, which are never unloaded.
func (r *run) tooMany() {
	if native.Loaded() > r.s.mostPlugins && !r.s.warnedMany {
		r.s.warnedMany = true
		r.warned = append(r.warned, fmt.Sprintf("warning: %s; %%restart frees their memory", loaded()))
	}
}

// loaded says how many plugins the process has, "" for none.
func loaded() string {
	switch n := native.Loaded(); n {
	case 0:
		return ""
	case 1:
		return "1 plugin of native code is loaded"
	default:
		return fmt.Sprintf("%d plugins of native code are loaded", n)
	}
}

// notice tells a person what a build waits for.
func (r *run) notice(text string) { r.sink.Stream(true, text+"\n") }

// lacks is the error of a cell that needs a toolchain which is not there: the
// construct, its place, and what is missing.
func (r *run) lacks(c chosen, err error) *engine.CellError {
	if r.reason() != "" {
		return r.stoppedError(nil)
	}
	what := c.why
	if c.at.Line == 0 {
		what = "native code"
	}
	d := c.at
	d.Msg = fmt.Sprintf("%s needs the Go toolchain: %v", what, err)
	if d.Line == 0 {
		d.Cell, d.Line, d.Col = r.cell.Number, 1, 1
	}
	e := r.compileError(frontError(d))
	e.Name = "Unsupported"
	if h := hint(err); h != "" {
		e.Traceback = append(e.Traceback, h)
	}
	r.s.last = fmt.Sprintf("cell [%d] did not run: %s", r.cell.Number, e.Value)
	return e
}

// notEmitted is the error of a cell that the emitter has no text for.
func (r *run) notEmitted(err error) *engine.CellError {
	var no *native.Refusal
	if !errors.As(err, &no) {
		return r.internal(err.Error(), nil)
	}
	_, words, _ := strings.Cut(no.Error(), ": ")
	d := frontDiag(no.Pos, r.cell.Number, words)
	e := r.compileError(frontError(d))
	e.Name = "Unsupported"
	return e
}

// notBuilt is the error of a build that failed: it was stopped, the toolchain
// went away, or the compiler refused what go/types had accepted, which is a
// fault of ours.
func (r *run) notBuilt(c chosen, err error) *engine.CellError {
	var lacks *native.Unavailable
	var bad *native.BuildError
	switch {
	case r.reason() != "":
		return r.stoppedError(nil)
	case errors.As(err, &lacks):
		return r.lacks(c, err)
	case errors.As(err, &bad):
		e := r.internal(bad.Error(), nil)
		e.Traceback = append(e.Traceback, strings.Split(strings.TrimSpace(bad.Output), "\n")...)
		return e
	}
	e := r.internal(err.Error(), nil)
	if h := hint(err); h != "" {
		e = plainError("BuildError", err.Error())
		e.Traceback = append(e.Traceback, h)
	}
	return e
}

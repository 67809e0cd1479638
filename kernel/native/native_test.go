package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A test binary holds cellapi and display as every program does, so plugins
// that import them load here.

var serial atomic.Int64

// text is a unit with a fresh path, whose body is given.
func text(imports []string, body string) Unit {
	path := fmt.Sprintf("%st%d", prefix, serial.Add(1))
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"reflect\"\n\t\"" + cellapiPath + "\"\n")
	for _, p := range imports {
		name := p[strings.LastIndex(p, "/")+1:]
		fmt.Fprintf(&b, "\t%s %q\n", name, p)
	}
	b.WriteString(")\n" + body + "\nfunc main() {}\n")
	s := strings.ReplaceAll(b.String(), "PATH", path)
	all := append([]string{"reflect", cellapiPath}, imports...)
	return Unit{Path: path, Files: map[string]string{"cell.go": s}, Imports: all}
}

const pointText = `
type point struct{ x, y float64 }
func (p point) Norm() float64 { return p.x*p.x + p.y*p.y }
type XG_point = point
func make_(x, y float64) point { return point{x, y} }
func init() {
	cellapi.Register("PATH", cellapi.Objects{
		Types: map[string]reflect.Type{"point": reflect.TypeFor[point]()},
		Funcs: map[string]reflect.Value{"make": reflect.ValueOf(make_)},
	})
}`

// find is a toolchain with a cache of this test's own.
func find(t testing.TB) *Toolchain {
	t.Helper()
	if !loads {
		t.Skip("this test binary loads no plugins: built without cgo")
	}
	tc, err := Find(t.Context(), Config{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

func build(t testing.TB, tc *Toolchain, u Unit) *Plugin {
	t.Helper()
	p, err := tc.Build(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUnits builds a unit and one that imports it by its path, though both are
// package main: types print as main.point, are one type in both, and a method
// of the first is there in the second. If a later Go refuses to import such a
// package, this fails; the second turn is what cells fall back on then.
func TestUnits(t *testing.T) {
	find(t)
	for _, clause := range []string{mainClause, cellClause} {
		t.Run(clause, func(t *testing.T) {
			tc, err := Find(t.Context(), Config{Cache: t.TempDir(), Clause: clause})
			if err != nil {
				t.Fatal(err)
			}
			twoUnits(t, tc, clause)
		})
	}
}

func twoUnits(t *testing.T, tc *Toolchain, clause string) {
	first := text(nil, pointText)
	p := build(t, tc, first)
	o, err := tc.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Types["point"].String(), clause+".point"; got != want {
		t.Errorf("the type prints as %s, want %s", got, want)
	}
	name := first.Path[len(prefix):]
	second := text([]string{first.Path, "strings"}, strings.ReplaceAll(`
type point = ONE.XG_point
func far(p point) string { return strings.Repeat("x", int(p.Norm())) }
func init() {
	cellapi.Register("PATH", cellapi.Objects{Funcs: map[string]reflect.Value{"far": reflect.ValueOf(far)}})
}`, "ONE", name))
	o2, err := tc.Load(build(t, tc, second))
	if err != nil {
		t.Fatal(err)
	}
	q := o.Funcs["make"].Call([]reflect.Value{reflect.ValueOf(2.0), reflect.ValueOf(1.0)})
	if got := o2.Funcs["far"].Call(q)[0].String(); got != "xxxxx" {
		t.Errorf("far(New(2, 1)) = %q, want five x", got)
	}
	if got := o2.Funcs["far"].Type().In(0); got != o.Types["point"] {
		t.Errorf("the second unit has another %v", got)
	}
}

// TestCache: a unit built before is found, a damaged one is made again, and
// another text, path or import is another unit.
func TestCache(t *testing.T) {
	tc := find(t)
	u := text(nil, pointText)
	p := build(t, tc, u)
	if p.Cached || !build(t, tc, u).Cached {
		t.Error("the first build was found, or the second was not")
	}
	for _, tt := range []struct {
		name   string
		damage func(so, a string) error
	}{
		{"the plugin is cut", func(so, _ string) error { return os.Truncate(so, 1000) }},
		{"the plugin is gone", func(so, _ string) error { return os.Remove(so) }},
		{"the archive is another", func(_, a string) error { return os.WriteFile(a, []byte("!<arch>"), 0o600) }},
		{"the sidecar is no JSON", func(so, _ string) error { return os.WriteFile(sidecarOf(so), []byte("{"), 0o600) }},
		{"the sidecar is another's", func(so, _ string) error {
			return os.WriteFile(sidecarOf(so), []byte(`{"SO":"x"}`), 0o600)
		}},
	} {
		a := strings.TrimSuffix(p.File, ".so") + ".a"
		if err := tt.damage(p.File, a); err != nil {
			t.Fatal(err)
		}
		if build(t, tc, u).Cached {
			t.Errorf("%s: it was loaded all the same", tt.name)
		}
		if !build(t, tc, u).Cached {
			t.Errorf("%s: it was not mended", tt.name)
		}
	}
	other := u
	other.Files = map[string]string{"cell.go": u.Files["cell.go"] + "\n// changed\n"}
	if build(t, tc, other).File == p.File {
		t.Error("another text has the same file")
	}
}

func sidecarOf(so string) string { return strings.TrimSuffix(so, ".so") + ".json" }

// TestSweep: the oldest use goes first, and a unit whose archive went is made
// again when a later one imports it.
func TestSweep(t *testing.T) {
	tc := find(t)
	first := text(nil, pointText)
	p := build(t, tc, first)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(sidecarOf(p.File), old, old); err != nil {
		t.Fatal(err)
	}
	tc.cfg.MaxBytes = 1 << 20 // less than one plugin: the one that was used last stays out too
	tc.stores[0].sweep(tc.cfg.MaxBytes)
	if _, err := os.Stat(p.File); err == nil {
		t.Fatal("a full cache kept its oldest plugin")
	}
	tc.cfg.MaxBytes = 0
	second := text([]string{first.Path}, `
var _ `+first.Path[len(prefix):]+`.XG_point
func init() { cellapi.Register("PATH", cellapi.Objects{Types: map[string]reflect.Type{}}) }`)
	if _, err := tc.Load(build(t, tc, second)); err != nil {
		t.Error(err)
	}
}

// TestBuildError: what the compiler refuses is told with its words and text.
func TestBuildError(t *testing.T) {
	tc := find(t)
	u := text(nil, "var x int = \"one\"\nvar _ reflect.Type\nvar _ cellapi.Objects")
	_, err := tc.Build(t.Context(), u)
	var b *BuildError
	if !errors.As(err, &b) || !strings.Contains(b.Output, `cannot use "one"`) {
		t.Fatalf("error %v, want the compiler's", err)
	}
	if kept, err := os.ReadFile(filepath.Join(b.Kept, "cell.go")); err != nil || string(kept) != u.Files["cell.go"] {
		t.Errorf("the text is not kept in %s: %v", b.Kept, err)
	}
}

// TestRefusedUnits: what the tools would read as something else.
func TestRefusedUnits(t *testing.T) {
	tc := find(t)
	good := text(nil, pointText)
	for name, u := range map[string]Unit{
		"path of another": {Path: "fmt", Files: good.Files},
		"line in a path":  {Path: prefix + "a\nb", Files: good.Files},
		"no text":         {Path: prefix + "empty"},
		"file elsewhere":  {Path: prefix + "file", Files: map[string]string{"../x.go": ""}},
		"a flag":          {Path: prefix + "flag", Files: map[string]string{"-V.go": ""}},
		"unknown unit":    {Path: prefix + "u", Files: good.Files, Imports: []string{prefix + "nobody"}},
	} {
		if _, err := tc.Build(t.Context(), u); err == nil {
			t.Errorf("%s was built", name)
		}
	}
}

// TestKilled: the end of the context, and of the time, ends the tools.
func TestKilled(t *testing.T) {
	tc := find(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupted")
	cancel(stop)
	if _, err := tc.Build(ctx, text(nil, pointText)); !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause", err)
	}
	tc.SetLimit(time.Millisecond)
	defer tc.SetLimit(0)
	var late *TimeError
	if _, err := tc.Build(t.Context(), text(nil, pointText)); !errors.As(err, &late) || late.Limit != time.Millisecond {
		t.Errorf("error %v, want a TimeError of 1ms", err)
	}
	if _, err := tc.Build(t.Context(), Unit{}); err == nil {
		t.Error("a unit without anything was built")
	}
}

// TestWaits: two builds of one text make one.
func TestWaits(t *testing.T) {
	tc := find(t)
	u := text(nil, pointText)
	type answer struct {
		p   *Plugin
		err error
	}
	answers := make(chan answer)
	for range 2 {
		go func() {
			p, err := tc.Build(context.Background(), u)
			answers <- answer{p, err}
		}()
	}
	a, b := <-answers, <-answers
	if a.err != nil || b.err != nil {
		t.Fatal(a.err, b.err)
	}
	if a.p.Cached == b.p.Cached {
		t.Errorf("found: %v and %v, want one of them made", a.p.Cached, b.p.Cached)
	}
}

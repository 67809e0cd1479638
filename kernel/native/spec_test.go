package native

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// program is one of testdata/spec.
type program struct {
	name, text string
	paths      [2]string // of the units: as it is, and emitted
}

// programs reads the archives of programs.
func programs(t testing.TB) (l []*program) {
	t.Helper()
	files, err := filepath.Glob("testdata/spec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq("\n"+string(data), "\n-- ") {
			if name, text, ok := strings.Cut(part, " --\n"); ok {
				l = append(l, &program{name: strings.TrimSuffix(filepath.Base(f), ".txt") + "/" + name, text: text})
			}
		}
	}
	return l
}

// batch is how many programs go into one plugin.
const batch = 36

// TestSpecification runs each program of testdata/spec three times: as the
// compiler takes it, as a program, and as a cell, and compares what they print.
// All are compiled for one plugin, so the three have the same packages.
func TestSpecification(t *testing.T) {
	all := programs(t)
	if len(all) < 100 {
		t.Errorf("%d programs, want at least 100", len(all))
	}
	if testing.Short() {
		all = all[:batch]
	}
	for chunk := range slices.Chunk(all, batch) {
		t.Run(chunk[0].name, func(t *testing.T) { compare(t, find(t), chunk) })
	}
}

// plain makes a unit of a program's own text: a second file runs main.
func plain(p *program, path string) Unit {
	run := "package main\n\nimport \"" + cellapiPath + "\"\n\nfunc init() {\n\tcellapi.Register(\"" + path +
		"\", cellapi.Objects{Body: func(*cellapi.Frame) { main() }})\n}\n"
	return Unit{Path: path, Files: map[string]string{"program.go": p.text, "run.go": run}}
}

func compare(t *testing.T, tc *Toolchain, all []*program) {
	var units []Unit
	cells := map[*program]func(){}
	for _, p := range all {
		b := newBook(tc)
		c, cell, err := b.emit(p.text, false)
		if err != nil {
			t.Errorf("%s as a cell: %v", p.name, err)
			continue
		}
		_, whole, err := newBook(tc).emit(p.text, true)
		if err != nil {
			t.Errorf("%s as a program: %v", p.name, err)
			continue
		}
		ref := plain(p, whole.Path+"r")
		ref.Imports = append(slices.Clone(whole.Imports), "fmt", "os", "runtime", "strings", "unicode/utf8")
		p.paths = [2]string{ref.Path, whole.Path}
		units = append(units, ref, whole.Unit, cell.Unit)
		cells[p] = func() {
			o, _ := cellapi.Registered(cell.Path)
			b.attach(c, cell, o)
			o.Body(&cellapi.Frame{})
		}
	}
	load(t, tc, units)
	for p, cell := range cells {
		want := output(t, p.paths[0])
		if len(want) == 0 {
			t.Errorf("%s prints nothing", p.name)
		}
		if got := output(t, p.paths[1]); got != want {
			t.Errorf("%s as a program: %s", p.name, firstDifference(got, want))
		}
		if got := printed(cell); got != want {
			t.Errorf("%s as a cell: %s", p.name, firstDifference(got, want))
		}
	}
}

// load compiles units two at a time and links and loads them as one plugin.
func load(t *testing.T, tc *Toolchain, units []Unit) {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	driver := Unit{Path: units[0].Path + "all"}
	text := "package main\n\nimport (\n"
	imports := []string{cellapiPath}
	for _, u := range units {
		imports = append(imports, u.Imports...)
		text += fmt.Sprintf("\t_ %q\n", u.Path)
	}
	slices.Sort(imports)
	from, err := tc.packages(ctx, slices.Compact(imports))
	if err != nil {
		t.Fatal(err)
	}
	config := ""
	for p, a := range from {
		config += fmt.Sprintf("packagefile %s=%s\n", p, a)
	}
	one := make(chan bool, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	folders := make([]string, len(units))
	for i, u := range units {
		folders[i] = filepath.Join(dir, fmt.Sprint(i))
		wg.Go(func() {
			one <- true
			defer func() { <-one }()
			if err := compileIn(tc, folders[i], u, config); err != nil {
				t.Errorf("%s: %v\n%s", u.Path, err, u.Files["cell.go"])
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for i, u := range units {
		config += fmt.Sprintf("packagefile %s=%s\n", u.Path, filepath.Join(folders[i], "out.a"))
	}
	driver.Files = map[string]string{"all.go": text + ")\n\nfunc main() {}\n"}
	work := filepath.Join(dir, "all")
	if err := compileIn(tc, work, driver, config); err != nil {
		t.Fatal(err)
	}
	if err := tc.link(ctx, work, driver); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "out.so")
	if err := plainNames(file); err != nil {
		t.Fatal(err)
	}
	if _, err := tc.Load(&Plugin{Path: units[0].Path, File: file}); err != nil {
		t.Fatal(err)
	}
}

func compileIn(tc *Toolchain, dir string, u Unit, config string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var names []string
	for name, text := range u.Files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "importcfg"), []byte(config), 0o600); err != nil {
		return err
	}
	slices.Sort(names)
	err := tc.compile(context.Background(), dir, u.Path, "out.a", names)
	var e *toolError
	if asTool(err, &e) {
		return fmt.Errorf("%s", e.output)
	}
	return err
}

// output is what the body of a loaded unit prints.
func output(t *testing.T, path string) string {
	o, ok := cellapi.Registered(path)
	if !ok || o.Body == nil {
		t.Fatalf("%s has no body", path)
	}
	return printed(func() { o.Body(&cellapi.Frame{}) })
}

// printed is what f writes to os.Stdout, and the panic that it ends with.
func printed(f func()) string {
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
		defer func() {
			if v := recover(); v != nil {
				fmt.Fprintln(w, "panic:", v)
			}
			os.Stdout = old
			w.Close()
		}()
		defer cellapi.Enter(1)()
		f()
	}()
	return <-text
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d; %q", len(g), len(w), got[min(len(got), len(want)):])
}

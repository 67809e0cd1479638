package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

var found struct {
	mu sync.Mutex
	by map[string]*Toolchain
}

// Find looks for all that a build needs: the folder of this program's source,
// the go command of the toolchain that built it, a C compiler as linker, and a
// folder that can be written; then it loads a plugin to see that they fit. The
// answer is kept while it is good; the first takes about 0.1 s when the cache
// is filled.
//
// Errors: *[Unavailable], or that of ctx.
func Find(ctx context.Context, cfg Config) (*Toolchain, error) {
	found.mu.Lock()
	defer found.mu.Unlock()
	key := fmt.Sprintf("%q %q %q %q %q %q", cfg.Cache, cfg.Source, cfg.Clause,
		os.Getenv("GONDOLA_CACHE"), os.Getenv("GONDOLA_SRC"), os.Getenv("PATH"))
	if t := found.by[key]; t != nil && t.changed(ctx) == nil {
		t.mu.Lock()
		t.cfg = cfg
		t.mu.Unlock()
		return t, nil
	}
	t := &Toolchain{cfg: cfg, clause: or(cfg.Clause, clause), waiting: map[string]chan struct{}{}}
	for _, step := range t.steps() {
		if err := step.do(ctx); err != nil {
			return nil, err
		}
	}
	if found.by == nil {
		found.by = map[string]*Toolchain{}
	}
	found.by[key] = t
	return t, nil
}

// A step looks for one part; text tells what it found.
type step struct {
	part string
	do   func(ctx context.Context) error
	text func() string
}

func (t *Toolchain) steps() []step {
	return []step{
		{"cgo", func(context.Context) error { return canLoad() }, nil},
		{"source", t.findSource, func() string { return t.source }},
		{"go", t.findGo, func() string { return t.goCmd + ", " + goWords(t.version) }},
		{"cc", t.findCC, func() string { return strings.Join(t.cc, " ") }},
		{"cache", t.findCache, t.tellCache},
		{"selftest", t.selfTest, func() string { return "a plugin was built and loaded" }},
	}
}

// Part is what [Inspect] tells of one part.
type Part struct {
	Name string // source, go, cc, cache, selftest
	OK   bool
	Text string // what was found, or what lacks
	Cure string // of what lacks
}

// Inspect tells of every part that [Find] looks for, also after one that
// lacks, and last of the self-test, which wants them all. It keeps nothing.
func Inspect(ctx context.Context, cfg Config) (parts []Part) {
	t := &Toolchain{cfg: cfg, clause: or(cfg.Clause, clause), waiting: map[string]chan struct{}{}}
	lacks := ""
	for _, s := range t.steps() {
		do := s.do
		switch {
		case s.part == "cgo":
			continue // told with the self-test
		case s.part == "selftest" && !loads:
			do = func(context.Context) error { return canLoad() }
		case s.part == "selftest" && lacks != "":
			parts = append(parts, Part{s.part, false, "no plugin can be built: see " + lacks, "mend " + lacks})
			continue
		}
		err := do(ctx)
		if err == nil {
			parts = append(parts, Part{s.part, true, s.text(), ""})
			continue
		}
		p := Part{s.part, false, err.Error(), "try again"}
		if u := (*Unavailable)(nil); errors.As(err, &u) {
			p.Text, p.Cure = u.Text, u.Advice
		}
		lacks = or(lacks, s.part)
		parts = append(parts, p)
	}
	return parts
}

func canLoad() error {
	if loads {
		return nil
	}
	return &Unavailable{"cgo", "this gondola was built without cgo, and such a program loads no compiled code",
		"build it with a C compiler: CGO_ENABLED=1 go build ./cmd/gondola"}
}

const sourceAdvice = "set GONDOLA_SRC to the folder that this gondola was built from"

// findSource finds the folder of the module of this program.
func (t *Toolchain) findSource(context.Context) error {
	dirs := []string{or(t.cfg.Source, os.Getenv("GONDOLA_SRC"))}
	if dirs[0] == "" {
		dirs = dirs[:0]
		if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
			dirs = append(dirs, filepath.Dir(filepath.Dir(filepath.Dir(file))))
		}
		dirs = append(dirs, imageSrc)
	}
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(string(text), "\n")
		if strings.TrimSpace(line) != "module "+module {
			return &Unavailable{"source",
				fmt.Sprintf("%s is not the source of gondola: it holds %s", dir, strings.TrimSpace(line)), sourceAdvice}
		}
		if t.source, err = filepath.Abs(dir); err != nil {
			return err
		}
		return nil
	}
	return &Unavailable{"source", "the source of gondola is not in " + strings.Join(dirs, " or "), sourceAdvice}
}

// goWords spells a version for people: go1.26.8 is "go 1.26.8".
func goWords(version string) string {
	if rest, ok := strings.CutPrefix(version, "go"); ok {
		return "go " + rest
	}
	return version
}

// goFacts are what the go command tells of itself.
type goFacts struct{ GOVERSION, GOTOOLDIR, GOMODCACHE, GOCACHE, CC string }

func (t *Toolchain) ask(ctx context.Context, goCmd string) (f goFacts, err error) {
	_, env := buildFlags()
	c := exec.CommandContext(ctx, goCmd, "env", "-json", "GOVERSION", "GOTOOLDIR", "GOMODCACHE", "GOCACHE", "CC")
	c.Dir, c.Env = t.source, environment(env...)
	group(c)
	out, err := c.Output()
	if err != nil {
		return f, err
	}
	return f, json.NewDecoder(bytes.NewReader(out)).Decode(&f)
}

// findGo finds the go command of the toolchain that built this program: in
// PATH, else where the go command keeps toolchains that it has fetched.
func (t *Toolchain) findGo(ctx context.Context) error {
	want, _, _ := strings.Cut(runtime.Version(), " ") // without experiments
	var others []string
	for _, cmd := range candidates(want) {
		f, err := t.ask(ctx, cmd)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		have, _, _ := strings.Cut(f.GOVERSION, " ")
		switch {
		case err != nil:
			others = append(others, fmt.Sprintf("%s does not run (%v)", cmd, err))
		case have != want:
			others = append(others, fmt.Sprintf("%s is %s", cmd, goWords(have)))
		default:
			return t.take(cmd, f)
		}
	}
	advice := "install " + goWords(want) + " (go.dev/dl) and have its go in PATH"
	if len(others) == 0 {
		return &Unavailable{"go", goWords(want) + " not found in PATH", advice}
	}
	return &Unavailable{"go",
		fmt.Sprintf("%s not found in PATH, only another: %s", goWords(want), strings.Join(others, ", ")), advice}
}

// candidates are the go commands of this machine, PATH first.
func candidates(version string) (all []string) {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	add := func(file string) {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			if st, err := os.Stat(real); err == nil && !st.IsDir() && st.Mode()&0o111 != 0 && !slices.Contains(all, real) {
				all = append(all, real)
			}
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) { // a relative one is the folder of a notebook, which may be anybody's
			add(filepath.Join(dir, name))
		}
	}
	modules := os.Getenv("GOMODCACHE")
	if modules == "" {
		home, _ := os.UserHomeDir() // "" is no absolute path
		modules = filepath.Join(or(firstOf(filepath.SplitList(os.Getenv("GOPATH"))), filepath.Join(home, "go")), "pkg", "mod")
	}
	if filepath.IsAbs(modules) {
		add(filepath.Join(modules, "golang.org",
			fmt.Sprintf("toolchain@v0.0.1-%s.%s-%s", version, runtime.GOOS, runtime.GOARCH), "bin", name))
	}
	return all
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// take makes a go command that of the toolchain.
func (t *Toolchain) take(cmd string, f goFacts) error {
	t.goCmd, t.version, t.tools = cmd, f.GOVERSION, f.GOTOOLDIR
	t.cc = strings.Fields(f.CC)
	flags, env := buildFlags()
	t.flags = flags
	t.env = environment(append(env, "GOCACHE="+f.GOCACHE)...)
	t.goCache = f.GOCACHE
	for _, tool := range []string{"compile", "link"} {
		if _, err := os.Stat(t.tool(tool)); err != nil {
			return &Unavailable{"go", fmt.Sprintf("%s of %s is not there: %v", tool, goWords(t.version), err),
				"install Go again: this one is not whole"}
		}
	}
	t.stamps = t.stamp()
	return nil
}

func (t *Toolchain) tool(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(t.tools, name)
}

func (t *Toolchain) stamp() string { return stampOf(t.goCmd, t.tool("compile"), t.tool("link")) }

// findCC finds the C compiler that the go command links with.
func (t *Toolchain) findCC(context.Context) error {
	if len(t.cc) == 0 {
		t.cc = []string{"gcc"}
	}
	file, err := exec.LookPath(t.cc[0])
	if err != nil {
		return &Unavailable{"cc", "the C compiler " + t.cc[0] + " not found in PATH, and plugins are linked by it",
			"apt-get install gcc libc6-dev, or what installs a C compiler here"}
	}
	t.cc = append([]string{file}, t.cc[1:]...)
	return nil
}

// changed reports a toolchain that has vanished or is another one now.
func (t *Toolchain) changed(ctx context.Context) error {
	if t.stamp() == t.stamps {
		return nil
	}
	now := "it is gone"
	if f, err := t.ask(ctx, t.goCmd); err == nil {
		now = "it is " + goWords(f.GOVERSION) + " now"
		if f.GOVERSION == t.version {
			now = "its tools are others now, of the same version"
		}
	}
	return &Unavailable{"go",
		fmt.Sprintf("the toolchain changed while this program runs: it was %s, %s", goWords(t.version), now),
		"restart the kernel"}
}

package native

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// made are the units of this process, which later ones may import: a path is
// loaded once, whichever toolchain built it.
var made struct {
	mu    sync.Mutex
	units map[string]*unit
}

// unit is one that was built.
type unit struct {
	Unit
	key  string
	deps []string // units that it imports, and theirs
	file string   // its archive
}

// Build compiles and links a unit, or finds it in the cache. Units that it
// imports were built before. A build of 0.3 s; 20 ms when it is found.
//
// Errors: *[BuildError], *[Unavailable], *[TimeError], or that of ctx, whose
// end kills the tools.
func (t *Toolchain) Build(ctx context.Context, u Unit) (*Plugin, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	if err := t.changed(ctx); err != nil {
		return nil, err
	}
	p := &Plugin{Path: u.Path}
	begun := time.Now()
	from, deps, err := t.inputs(ctx, u)
	if err != nil {
		return nil, err
	}
	p.List = time.Since(begun)
	key := t.key(u, from)
	done, err := t.alone(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	archive, err := t.make(ctx, u, key, from, p)
	if err != nil {
		return nil, err
	}
	made.mu.Lock()
	defer made.mu.Unlock()
	if made.units == nil {
		made.units = map[string]*unit{}
	}
	made.units[u.Path] = &unit{u, key, deps, archive}
	return p, nil
}

// check refuses what the tools would take for something else.
func (u Unit) check() error {
	name, ok := strings.CutPrefix(u.Path, prefix)
	if !ok || name == "" || strings.ContainsAny(name, "/ =\n\"\\") {
		return fmt.Errorf("native: %q is no path of a unit", u.Path)
	}
	if len(u.Files) == 0 {
		return fmt.Errorf("native: %s has no text", u.Path)
	}
	for f := range u.Files {
		if filepath.Base(f) != f || filepath.Ext(f) != ".go" || strings.HasPrefix(f, "-") {
			return fmt.Errorf("native: %q is no name of a Go file", f)
		}
	}
	return nil
}

// alone makes builds of one key wait for one another.
func (t *Toolchain) alone(ctx context.Context, key string) (done func(), err error) {
	for {
		t.mu.Lock()
		other, busy := t.waiting[key]
		if !busy {
			c := make(chan struct{})
			t.waiting[key] = c
			t.mu.Unlock()
			return func() {
				t.mu.Lock()
				delete(t.waiting, key)
				t.mu.Unlock()
				close(c)
			}, nil
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// inputs returns import path → archive of all that a unit needs, and the units
// among them. An archive of a unit that went from the cache is made again.
func (t *Toolchain) inputs(ctx context.Context, u Unit) (from map[string]string, deps []string, err error) {
	var paths []string
	seen := map[string]bool{}
	made.mu.Lock()
	var walk func(imports []string) error
	walk = func(imports []string) error {
		for _, p := range imports {
			switch {
			case seen[p] || p == "unsafe":
			case !strings.HasPrefix(p, prefix):
				seen[p] = true
				paths = append(paths, p)
			case made.units[p] == nil:
				return fmt.Errorf("native: %s imports %s, which was not built", u.Path, p)
			default:
				seen[p] = true
				deps = append(deps, p)
				if err := walk(made.units[p].Imports); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = walk(u.Imports)
	made.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	if from, err = t.packages(ctx, paths); err != nil {
		return nil, nil, err
	}
	slices.Sort(deps)
	for _, p := range deps {
		made.mu.Lock()
		d := made.units[p]
		made.mu.Unlock()
		if _, err := os.Stat(d.file); err != nil {
			if _, err := t.Build(ctx, d.Unit); err != nil {
				return nil, nil, err
			}
			made.mu.Lock()
			d = made.units[p]
			made.mu.Unlock()
		}
		from[p] = d.file
	}
	return from, deps, nil
}

// key is the SHA-256 of all that decides what is built. The go command names
// archives by their content.
func (t *Toolchain) key(u Unit, from map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s %s\n%s\n%q %q\n", format, t.clause, u.Path, t.settings(), t.cc, t.stamps)
	for _, name := range slices.Sorted(maps.Keys(u.Files)) {
		fmt.Fprintf(h, "%s %d\n%s\n", name, len(u.Files[name]), u.Files[name])
	}
	for _, p := range slices.Sorted(maps.Keys(from)) {
		fmt.Fprintf(h, "%s=%s\n", p, filepath.Base(from[p]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// make finds a build in the folders for them, or makes it in the first that
// has room.
func (t *Toolchain) make(
	ctx context.Context, u Unit, key string, from map[string]string, p *Plugin,
) (archive string, err error) {
	for _, s := range t.stores {
		if so, a, ok := s.get(key); ok {
			p.File, p.Cached = so, true
			return a, nil
		}
	}
	limit := or(t.limit(), limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &TimeError{limit})
	defer cancel()
	for _, s := range t.stores {
		if archive, err = t.makeIn(ctx, s, u, key, from, p); err == nil {
			s.sweep(or(t.cfg.MaxBytes, maxBytes))
			return archive, nil
		}
		if !noRoom(err) {
			return "", err
		}
	}
	return "", t.failed(err)
}

func (t *Toolchain) limit() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cfg.Limit
}

// failed says that nothing can be written.
func (t *Toolchain) failed(err error) error {
	return &Unavailable{"cache", fmt.Sprintf("compiled cells cannot be written: %v", err),
		"make room, or set GONDOLA_CACHE to a folder that has some"}
}

func (t *Toolchain) makeIn(
	ctx context.Context, s *store, u Unit, key string, from map[string]string, p *Plugin,
) (string, error) {
	work, err := os.MkdirTemp(s.dir, "work-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	var cfg strings.Builder
	for _, path := range slices.Sorted(maps.Keys(from)) {
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", path, from[path])
	}
	in := func(name string) string { return filepath.Join(work, name) }
	if err := os.WriteFile(in("importcfg"), []byte(cfg.String()), 0o600); err != nil {
		return "", err
	}
	names := slices.Sorted(maps.Keys(u.Files))
	for _, n := range names {
		if err := os.WriteFile(in(n), []byte(t.clauseIn(u.Files[n])), 0o600); err != nil {
			return "", err
		}
	}
	begun := time.Now()
	if err := t.compile(ctx, work, u.Path, "out.a", names); err != nil {
		return "", s.refused(err, u, key)
	}
	p.Compile = time.Since(begun)
	begun = time.Now()
	if err := t.link(ctx, work, u); err != nil {
		return "", s.refused(err, u, key)
	}
	if err := plainNames(in("out.so")); err != nil {
		return "", err
	}
	p.Link = time.Since(begun)
	if err := s.put(key, u.Path, in("out.so"), in("out.a")); err != nil {
		return "", err
	}
	p.File = s.file(key, ".so")
	return s.file(key, ".a"), nil
}

// compile makes an archive of files that are the package of a path.
func (t *Toolchain) compile(ctx context.Context, work, path, archive string, names []string) error {
	lang := t.version // go1.26 of go1.26.8
	if parts := strings.SplitN(lang, ".", 3); len(parts) == 3 {
		lang = parts[0] + "." + parts[1]
	}
	args := []string{"-o", archive, "-p", path, "-lang=" + lang, "-complete", "-dynlink", "-nolocalimports",
		"-dwarf=false", "-trimpath", work + "=>", "-importcfg", "importcfg", "-pack"}
	args = slices.Concat(args, t.toolFlags(), t.gcFlags(), names)
	_, err := t.run(ctx, work, t.tool("compile"), args...)
	return err
}

// gcFlags are the flags of the compiler that this program was built with.
func (t *Toolchain) gcFlags() (flags []string) {
	for _, f := range t.flags {
		if rest, ok := strings.CutPrefix(f, "-gcflags="); ok {
			if _, after, ok := strings.Cut(rest, "="); ok && !strings.HasPrefix(rest, "-") {
				rest = after // the pattern of packages before it
			}
			flags = append(flags, strings.Fields(rest)...)
		}
	}
	return flags
}

// link makes out.so of out.a and all that it needs.
func (t *Toolchain) link(ctx context.Context, work string, u Unit) error {
	archive, path, err := t.linkable(ctx, work, u)
	if err != nil {
		return err
	}
	args := []string{"-o", "out.so", "-importcfg", "importcfg", "-buildmode=plugin", "-pluginpath", path, "-s", "-w",
		"-compressdwarf=false", // there is none: the question to the C compiler is spared
		"-extld=" + t.cc[0]}
	if len(t.cc) > 1 {
		args = append(args, "-extldflags="+strings.Join(t.cc[1:], " "))
	}
	_, err = t.run(ctx, work, t.tool("link"), slices.Concat(args, t.toolFlags(), []string{archive})...)
	return err
}

// refused makes the complaint of a tool a *[BuildError], and keeps the text.
func (s *store) refused(err error, u Unit, key string) error {
	var e *toolError
	if !asTool(err, &e) || noRoom(err) {
		return err
	}
	b := &BuildError{Path: u.Path, Output: e.output, Text: u.Files}
	dir := filepath.Join(s.dir, "refused-"+key[:16])
	if os.MkdirAll(dir, 0o700) == nil {
		b.Kept = dir
		for name, text := range u.Files {
			if os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) != nil {
				b.Kept = ""
			}
		}
	}
	return b
}

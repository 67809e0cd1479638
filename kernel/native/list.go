package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archives are the compiled packages of this program's module and of the
// standard library, as plugins need them. They lie in the go command's cache.
type archives struct {
	file   string // in which they are kept
	asked  time.Time
	fresh  bool              // asked for by this process
	Listed map[string]listed // import path → archive
}

// listed is what go list tells of a package.
type listed struct {
	Export string
	Deps   []string `json:",omitempty"` // all, not the direct ones alone
}

// base are packages that every plugin needs: what cells call without knowing
// it, and what the linker adds.
var base = []string{cellapiPath, module + "/kernel/display", "runtime/cgo"}

// packages returns import path → archive of some packages and of all that they
// need. It asks the go command, 0.2 to 0.3 s, only for those that were not
// asked for before; the first time ever they are compiled, which takes
// 14 s of CPU for the usual ones.
func (t *Toolchain) packages(ctx context.Context, paths []string) (map[string]string, error) {
	t.listMu.Lock()
	defer t.listMu.Unlock()
	if t.known == nil {
		t.known = t.readList()
	}
	all := slices.Concat(base, paths)
	out, missing := t.known.closure(all)
	if len(missing) == 0 && time.Since(t.known.asked) < relist {
		return out, nil
	}
	if err := t.list(ctx, all); err != nil {
		return nil, err
	}
	out, missing = t.known.closure(all)
	if len(missing) > 0 {
		return nil, &Unavailable{"source", fmt.Sprintf("the go command in %s knows no package %s", t.source, missing[0]),
			sourceAdvice}
	}
	return out, nil
}

// closure returns the archives of packages and of all that they need, and those
// that are not known, or whose archive is gone.
func (a *archives) closure(paths []string) (out map[string]string, missing []string) {
	out = map[string]string{}
	add := func(p string) {
		if _, ok := out[p]; ok || p == "unsafe" {
			return
		}
		l, ok := a.Listed[p]
		if ok {
			_, err := os.Stat(l.Export)
			ok = err == nil
		}
		if !ok {
			missing = append(missing, p)
			return
		}
		out[p] = l.Export
	}
	for _, p := range paths {
		add(p)
		for _, d := range a.Listed[p].Deps {
			add(d)
		}
	}
	return out, missing
}

// list asks the go command, in the module of this program: that gives exactly
// its packages. What it says is kept in a file.
func (t *Toolchain) list(ctx context.Context, paths []string) error {
	slow := time.AfterFunc(slowList, func() { t.notice(noticeList) })
	defer slow.Stop()
	ctx, cancel := context.WithTimeoutCause(ctx, listWait, &TimeError{listWait})
	defer cancel()
	args := slices.Concat([]string{"list", "-export", "-deps", "-buildmode=plugin", "-json=ImportPath,Export,Deps"},
		t.flags, paths)
	out, err := t.run(ctx, t.source, t.goCmd, args...)
	if err != nil {
		return t.listError(ctx, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			listed
		}
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("native: go list: %w", err)
		}
		if p.Export != "" {
			t.known.Listed[p.ImportPath] = p.listed
		}
	}
	t.known.asked, t.known.fresh = time.Now(), true
	b, err := json.Marshal(t.known)
	if err == nil {
		err = writeFile(t.known.file, b)
	}
	if err != nil {
		return t.failed(err) // the next process asks again
	}
	return nil
}

// listError says in one sentence why go list failed.
func (t *Toolchain) listError(ctx context.Context, err error) error {
	var e *toolError
	if ctx.Err() != nil || !asTool(err, &e) {
		return err
	}
	if noRoom(err) {
		return t.failed(err)
	}
	if strings.HasPrefix(e.output, "# runtime/cgo") || strings.HasPrefix(firstLine(e.output), "runtime/cgo:") {
		return &Unavailable{"cc", fmt.Sprintf("the C compiler %s does not work: %s", t.cc[0], complaint(e.output)),
			"apt-get install gcc libc6-dev, or what installs a C compiler and the C library's headers here"}
	}
	return &Unavailable{"source", fmt.Sprintf("go list in %s failed: %s", t.source, firstLine(e.output)),
		"set GONDOLA_SRC to the folder that this gondola was built from; go build ./cmd/gondola there says more"}
}

// readList reads what was kept for this very program, toolchain and source.
func (t *Toolchain) readList() *archives {
	a := &archives{file: filepath.Join(t.stores[0].dir, "list-"+t.identity()[:32]+".json"), Listed: map[string]listed{}}
	st, err := os.Stat(a.file)
	if err != nil {
		return a
	}
	if b, err := os.ReadFile(a.file); err == nil && json.Unmarshal(b, a) == nil && a.Listed != nil {
		a.asked = st.ModTime()
		return a
	}
	a.Listed = map[string]listed{}
	return a
}

// forget drops what was kept, when the archives turn out not to be this
// program's. It returns false when they were asked for just now.
func (t *Toolchain) forget() bool {
	t.listMu.Lock()
	defer t.listMu.Unlock()
	if t.known == nil || t.known.fresh {
		return false
	}
	os.Remove(t.known.file)
	t.known = nil
	return true
}

// identity tells this program, its toolchain and its source from others.
func (t *Toolchain) identity() string {
	h := sha256.New()
	fmt.Fprintln(h, format, t.settings(), t.source, t.goCache, t.stamps)
	for _, name := range []string{"go.mod", "go.sum"} {
		b, _ := os.ReadFile(filepath.Join(t.source, name)) // one that lacks is told by go list
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
	}
	if self, err := os.Executable(); err == nil {
		fmt.Fprintln(h, stampOf(self))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// settings are all that decides what the tools make of a text.
func (t *Toolchain) settings() string {
	env := slices.DeleteFunc(slices.Clone(t.env), func(e string) bool {
		return !strings.HasPrefix(e, "GO") || strings.HasPrefix(e, "GONDOLA_") || strings.HasPrefix(e, "GOCACHE=") ||
			strings.HasPrefix(e, "GOPATH=") || strings.HasPrefix(e, "GOMAXPROCS=") || strings.HasPrefix(e, "GOGC=") ||
			strings.HasPrefix(e, "GOMEMLIMIT=")
	})
	slices.Sort(env)
	return strings.Join(slices.Concat([]string{t.version}, t.flags, env), " ")
}

func (t *Toolchain) notice(text string) {
	t.mu.Lock()
	f := t.cfg.Notice
	t.mu.Unlock()
	if f != nil {
		f(text)
	}
}

// Package native compiles cells with the Go toolchain that built this program
// and loads them into it as plugins.
//
// The emitter makes the text of a cell a [Unit]; [Find] looks for a toolchain
// whose packages this program can share; [Toolchain.Build] compiles and links a
// unit, or finds it in a cache on disk; [Toolchain.Load] brings its objects in.
// A plugin is never unloaded.
package native

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	module      = "github.com/gondola-lab/gondola"
	cellapiPath = module + "/kernel/cellapi"
	prefix      = "gondola.session/" // of the import paths of units
	imageSrc    = "/opt/gondola/src" // where the image has our source
	format      = "3"                // of the cache; a change of it makes every unit new
	maxBytes    = 1 << 30            // of the cache
	limit       = time.Minute        // of one build
	listWait    = 15 * time.Minute   // for the packages that cells import: the first time they are compiled
	slowList    = 2 * time.Second    // after which the wait for them is told
	killWait    = 2 * time.Second    // for the output of tools that were killed
	workAge     = 24 * time.Hour     // of the rest of an unfinished build before it is swept away
	relist      = 24 * time.Hour     // the go command drops archives that it was not asked for in five days

	noticeList = "compiling the standard library and other packages for native cells, once"
)

// Config says where a toolchain builds. The zero value is the recommended setting.
type Config struct {
	// Cache is the folder of what was built. Empty means GONDOLA_CACHE, else
	// gondola in the user's cache folder.
	Cache string
	// Source is the folder of this program's module. Empty means GONDOLA_SRC,
	// else where it was built, else /opt/gondola/src.
	Source   string
	Limit    time.Duration // of one build. Zero means one minute.
	MaxBytes int64         // of the cache; the oldest use goes first. Zero means 1 GiB.
	// Notice is told what a build waits for, when that takes more than two
	// seconds. Nil means nobody.
	Notice func(text string)
	// Clause is the package clause of units, main or cell. Empty means main, by
	// which types print as main.P.
	Clause string
}

// Unit is the text of one package: a cell, a part of one, or instances.
type Unit struct {
	Path    string            // gondola.session/NAME; one process can load a path once
	Files   map[string]string // name → text, with package clause main and a func main
	Imports []string          // direct imports: of the packs, and paths of earlier units
}

// Plugin is a unit that was built.
type Plugin struct {
	Path   string
	File   string // the shared object
	Cached bool   // it was found, not made
	// List, Compile and Link are what the steps took: the look-up of the
	// packages' archives, the compiler, the linker.
	List, Compile, Link time.Duration
}

// Toolchain builds units for this process.
type Toolchain struct {
	cfg     Config
	source  string   // folder of the module
	goCmd   string   // the go command
	version string   // of it, as runtime.Version has it
	tools   string   // folder of compile and link
	stamps  string   // of compile and link, to see a change
	cc      []string // C compiler, as a linker
	clause  string   // the package clause of units
	flags   []string // of this program's build, that change the export data of packages
	env     []string

	goCache string // the go command's

	listMu sync.Mutex
	known  *archives

	mu      sync.Mutex               // guards cfg and what follows
	stores  []*store                 // the folder of builds, and those that do when it fails
	waiting map[string]chan struct{} // key → closed when its build has ended
}

// Unavailable says why this program can compile no cell.
type Unavailable struct {
	Part   string // what lacks: cgo, source, go, cc, cache, selftest
	Text   string // one sentence without full stop
	Advice string // what to do
}

func (u *Unavailable) Error() string { return u.Text + " (gondola doctor)" }

// Hint returns the advice.
func (u *Unavailable) Hint() string { return u.Advice }

// BuildError says that the compiler or the linker refused a unit. Cells are
// checked before, so it is a fault of the emitter.
type BuildError struct {
	Path   string
	Output string            // of the tool
	Text   map[string]string // the files
	Kept   string            // folder in which they lie, or empty
}

func (e *BuildError) Error() string {
	s := fmt.Sprintf("%s does not compile: %s", e.Path, firstLine(e.Output))
	if e.Kept != "" {
		s += " (text kept in " + e.Kept + ")"
	}
	return s
}

// TimeError says that a build took too long.
type TimeError struct{ Limit time.Duration }

func (e *TimeError) Error() string {
	return fmt.Sprintf("the build was not over after %s and was ended", e.Limit)
}

// Hint returns the advice.
func (e *TimeError) Hint() string { return "%limit build=120s gives it more time" }

// SetLimit sets the time that one build may take; zero sets the default.
func (t *Toolchain) SetLimit(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cfg.Limit = d
}

// SetNotice sets who is told what a build waits for.
func (t *Toolchain) SetNotice(f func(text string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cfg.Notice = f
}

// or returns v, or def when v is zero.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// stampOf tells one version of some files from another.
func stampOf(files ...string) string {
	s := ""
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			s += fmt.Sprintf("%s %d %d\n", filepath.Base(f), st.Size(), st.ModTime().UnixNano())
		} else {
			s += filepath.Base(f) + " is gone\n"
		}
	}
	return s
}

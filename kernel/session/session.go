// Package session is the engine inside one process: it checks, lowers and runs
// Go cells and keeps the names, types and values that they leave.
//
// A cell takes one way, in execute.go: its magics come off, go/types accepts
// it against the names of earlier cells, it is lowered to the proven subset or
// refused, it is compiled, and only then run. What it declares enters the
// session together, when it has run.
package session

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/native"
	"github.com/gondola-lab/gondola/kernel/pack"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// Session is an engine.Engine. One process can hold one that is open: the
// display package and the guard of goroutines belong to it.
type Session struct {
	index      *pack.Index
	check      *front.Checker
	runner     *yaegi.Runner
	version    string                // what %version says
	parts      []string              // and of parts of the program
	stackLimit uint64                // bytes of stacks at which a cell is stopped
	now        atomic.Pointer[state] // what the last cell committed; Complete and Inspect read it at any time
	questions  atomic.Pointer[askedScope]

	cells       sync.Mutex // one cell at a time; guards what follows
	policy      Policy
	last        string            // what the last cell ran on, and why
	lastDir     string            // the folder before the last %cd
	buildLimit  time.Duration     // of one build; 0: the toolchain's own
	serial      int64             // of this session in the process
	homes       homes             // of what only compiled code has
	structs     map[string]string // struct types without a name → the unit that holds them
	units       map[int]int       // cell → units that were made of it
	mostPlugins int               // loaded in the process before a warning
	warnedMany  bool              // of plugins
	shownType   reflect.Type      // of the value of the last native cell

	current atomic.Pointer[run] // the running cell
	outputs outputs
	restore []func() // of what New has set in this process

	textMu sync.Mutex
	texts  map[int]string // cell number → its text, for traces
	recent []int          // the numbers of texts, oldest first
}

var (
	_ engine.Engine   = (*Session)(nil)
	_ engine.Declarer = (*Session)(nil)
)

// New returns an empty session over the packages of some packs. It panics when
// the packs do not fit together: they are generated with this program.
func New(packs ...pack.Set) engine.Engine { return NewWith(Auto, packs...) }

// SetVersion sets what %version says of the program, "(devel)" before, and of
// its parts, a line each.
func (s *Session) SetVersion(v string, parts ...string) { s.version, s.parts = v, parts }

// NewWith is New with a policy to begin with.
func NewWith(p Policy, packs ...pack.Set) *Session {
	index, err := pack.Merge(packs...)
	if err != nil {
		panic(fmt.Sprintf("session: %v", err))
	}
	s := &Session{
		index: index, check: front.New(index), runner: yaegi.NewRunner(index),
		version: "(devel)", stackLimit: stackBound(), policy: p, texts: map[int]string{},
		serial: sessions.Add(1), homes: homes{}, structs: map[string]string{}, units: map[int]int{},
		mostPlugins: native.Loaded() + manyPlugins,
	}
	s.runner.SetNamed(s.homes.named)
	s.outputs.cancelled = s.cancelled
	s.now.Store(newState())
	s.restore = []func(){
		display.SetOutput(&s.outputs), cellapi.SetGuard(s.goroutinePanicked), cellapi.SetDeep(s.tooDeep),
		cellapi.SetInput(s.outputs.line), comm.SetOutput(&s.outputs),
	}
	return s
}

// Interrupt asks the running cell to stop; without one it does nothing.
func (s *Session) Interrupt() {
	if r := s.current.Load(); r != nil {
		r.stop(reasonInterrupt)
	}
}

// Close stops the running cell and gives back what New has set in the process.
// Goroutines that cells left go on until the process ends.
func (s *Session) Close() error {
	s.Interrupt()
	s.cells.Lock()
	defer s.cells.Unlock()
	for _, f := range s.restore {
		f()
	}
	s.restore = nil
	return nil
}

const (
	textsKept   = 200     // texts of cells that have no name in force
	longestText = 1 << 20 // bytes of a text; a longer one does not compile
)

// remember keeps the text of a cell for traces. Texts of cells whose names are
// all gone are dropped in time, so that a cell run again and again costs no
// memory.
func (s *Session) remember(number int, text string) {
	s.textMu.Lock()
	defer s.textMu.Unlock()
	if _, ok := s.texts[number]; !ok {
		s.recent = append(s.recent, number)
	}
	if len(text) > longestText {
		text = ""
	}
	s.texts[number] = text
	if len(s.recent) < 2*textsKept {
		return
	}
	alive := map[int]bool{}
	for _, e := range s.now.Load().names {
		alive[e.cell] = true
	}
	old := s.recent[:len(s.recent)-textsKept]
	kept := s.recent[:0:0]
	for _, n := range old {
		if alive[n] {
			kept = append(kept, n)
		} else {
			delete(s.texts, n)
		}
	}
	s.recent = append(kept, s.recent[len(old):]...)
}

// sources is a copy of the texts, for front's rendering of errors.
func (s *Session) sources(err *front.Error) map[int]string {
	s.textMu.Lock()
	defer s.textMu.Unlock()
	out := map[int]string{}
	for _, d := range err.List {
		if text, ok := s.texts[d.Cell]; ok {
			out[d.Cell] = text
		}
	}
	return out
}

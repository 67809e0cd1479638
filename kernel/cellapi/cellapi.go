// Package cellapi is what the code of cells calls without knowing it: the stop
// flag and its polls, guarded goroutines, deferred calls, and the replacements
// of functions that would end the process. It is a leaf: native cells link it.
package cellapi

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Stopped is the panic value that unwinds a goroutine of a stopped cell.
type Stopped struct {
	Cell   int
	Reason string
}

// Error gives the reason of the stop.
func (s *Stopped) Error() string { return s.Reason }

// registry says which goroutine runs code of which cell, and which cells stop.
type registry struct {
	mu       sync.Mutex
	cells    map[uintptr]int // goroutine → cell
	members  map[int]int     // cell → its goroutines
	stopping map[int]string  // cell → reason
	frozen   map[int]bool    // cells that stop by waiting for ever
	done     map[int]chan struct{}
	// flag is read by polls without a lock: some cell is being stopped. A poll
	// that reads it late asks again at the next turn. Set it by raise.
	flag bool
}

// raised is the flag for the polls of native cells.
var raised atomic.Bool

// raise sets the flag; the registry is locked.
func (r *registry) raise(on bool) {
	r.flag = on
	raised.Store(on)
}

var reg = registry{
	cells: map[uintptr]int{}, members: map[int]int{}, stopping: map[int]string{}, done: map[int]chan struct{}{},
	frozen: map[int]bool{},
}

// Flag returns the flag that every poll reads. It is true while a cell is
// being stopped; a poll that sees it calls [End].
func Flag() *bool { return &reg.flag }

// Raised reads the flag under its lock, for polls that must not race.
func Raised() bool {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	return reg.flag
}

// Enter makes the calling goroutine the main goroutine of a cell until leave
// is called, in the same goroutine. A goroutine that belonged to another cell
// before belongs to it again afterwards.
func Enter(cell int) (leave func()) {
	id := self()
	before, nested := reg.add(id, cell)
	return func() { reg.remove(id, cell, before, nested) }
}

func (r *registry) add(id uintptr, cell int) (before int, nested bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, nested = r.cells[id]
	r.cells[id] = cell
	r.members[cell]++
	return before, nested
}

func (r *registry) remove(id uintptr, cell, before int, nested bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if nested {
		r.cells[id] = before
	} else {
		delete(r.cells, id)
	}
	if r.members[cell]--; r.members[cell] <= 0 {
		delete(r.members, cell)
		delete(r.stopping, cell)
		delete(r.frozen, cell)
		delete(r.done, cell)
		r.raise(len(r.stopping) > 0)
	}
}

// CellOf returns the cell that the calling goroutine belongs to.
func CellOf() (cell int, ok bool) {
	id := self()
	reg.mu.Lock()
	defer reg.mu.Unlock()
	cell, ok = reg.cells[id]
	return cell, ok
}

// Members returns how many goroutines belong to the cell, its main one too.
func Members(cell int) int {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	return reg.members[cell]
}

// Stop asks all goroutines of a cell to end at their next poll. It reports
// whether the cell has any. The flag falls when the last of them has ended.
func Stop(cell int, reason string) bool {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if reg.members[cell] == 0 {
		return false
	}
	if _, again := reg.stopping[cell]; !again {
		close(reg.channel(cell))
	}
	reg.stopping[cell] = reason
	reg.raise(true)
	return true
}

// Freeze stops the goroutines of a cell for good: at their next poll they wait
// for the end of the process, and none of their deferred calls runs. It is for
// a program that has ended while goroutines of it still run.
func Freeze(cell int) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	reg.frozen[cell] = true
	reg.stopping[cell] = "the program has ended"
	reg.raise(true)
}

// Done returns a channel that is closed when the cell of the calling goroutine
// is stopped, for operations that block. It is nil for a goroutine of no cell.
func Done() <-chan struct{} {
	id := self()
	reg.mu.Lock()
	defer reg.mu.Unlock()
	cell, ok := reg.cells[id]
	if !ok {
		return nil
	}
	return reg.channel(cell)
}

// channel returns the channel of a cell; the registry is locked.
func (r *registry) channel(cell int) chan struct{} {
	if r.done[cell] == nil {
		r.done[cell] = make(chan struct{})
	}
	return r.done[cell]
}

// Stopping reports whether the cell of the calling goroutine is being stopped.
func Stopping() bool {
	_, ok := stopped()
	return ok
}

// End is called by a poll that saw the flag. If the calling goroutine belongs to
// a cell that is being stopped it ends it, by a panic with *[Stopped], else it
// returns.
//
// A goroutine with very many calls ends by runtime.Goexit: an interpreter that
// panics anew in each of its frames makes Go walk over all frames for each.
func End() {
	s, ok := stopped()
	if !ok {
		return
	}
	reg.mu.Lock()
	frozen := reg.frozen[s.Cell]
	reg.mu.Unlock()
	if frozen {
		select {}
	}
	if runtime.Callers(deepFrames, make([]uintptr, 1)) > 0 {
		if hook := deep.Load(); hook != nil && *hook != nil {
			(*hook)(s.Cell)
		}
		runtime.Goexit()
	}
	panic(s)
}

// deepFrames is how many frames of Go a stop unwinds by a panic.
const deepFrames = 2000

var deep atomic.Pointer[func(cell int)]

// SetDeep sets who is told of a goroutine that ends by runtime.Goexit, in that
// goroutine and before it ends. It returns a function that sets the one before.
func SetDeep(f func(cell int)) (restore func()) {
	old := deep.Swap(&f)
	return func() { deep.Store(old) }
}

func stopped() (*Stopped, bool) {
	id := self()
	reg.mu.Lock()
	defer reg.mu.Unlock()
	cell, ok := reg.cells[id]
	if !ok {
		return nil, false
	}
	reason, ok := reg.stopping[cell]
	return &Stopped{cell, reason}, ok
}

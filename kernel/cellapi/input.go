package cellapi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Stdin is os.Stdin as cells read it: a read asks the person for a line. All
// else is the file's, at descriptor 0, which is empty in a notebook.
type Stdin struct{ *os.File }

var (
	asker atomic.Pointer[func() (string, error)]
	turn  = make(chan struct{}, 1) // full while a goroutine reads
	rest  []byte                   // of the last line; guarded by turn
	owner int                      // the cell that was asked for it; guarded by turn

	errStopped = errors.New("the cell was stopped")
)

// SetInput makes reads of os.Stdin in cells ask for a line, which comes without
// its newline; with nil they read descriptor 0. The function that it returns
// sets the one before.
func SetInput(ask func() (string, error)) (restore func()) {
	p := &ask
	if ask == nil {
		p = nil
	}
	old := asker.Swap(p)
	return func() { asker.Store(old) }
}

// Asking returns what cells read for a file: a [Stdin] for os.Stdin where the
// person can be asked; false for all others.
func Asking(f *os.File) (*Stdin, bool) {
	if f == nil || f != os.Stdin || asker.Load() == nil {
		return nil, false
	}
	return &Stdin{f}, true
}

// In returns a file as a value of the interface type I; os.Stdin as one that
// asks.
func In[I any](f *os.File) I {
	if s, ok := Asking(f); ok {
		if i, ok := any(s).(I); ok {
			return i
		}
	}
	return any(f).(I)
}

// ReadFile stands in cells for the method Read of *os.File.
func ReadFile(f *os.File, p []byte) (int, error) {
	if s, ok := Asking(f); ok {
		return s.Read(p)
	}
	return f.Read(p)
}

// Read gives bytes of the line that the person typed, with its newline, and
// asks for the next one when there are none. What a cell has not read of a line
// is gone at its end: the next one asks anew.
func (s *Stdin) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-Done():
		return 0, errStopped
	}
	ask := asker.Load()
	if ask == nil {
		return s.File.Read(p)
	}
	cell, _ := CellOf()
	if cell != owner {
		rest, owner = nil, cell
	}
	if len(rest) == 0 {
		line, err := (*ask)()
		if err != nil {
			return 0, err
		}
		rest = append([]byte(line), '\n')
	}
	n := copy(p, rest)
	rest = rest[n:]
	return n, nil
}

// WriteTo copies by Read: the file's own way would go past it.
func (s *Stdin) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{s}) }

// Scan stands in cells for fmt.Scan.
func Scan(a ...any) (n int, err error) { return fmt.Fscan(In[io.Reader](os.Stdin), a...) }

// Scanf stands in cells for fmt.Scanf.
func Scanf(format string, a ...any) (n int, err error) {
	return fmt.Fscanf(In[io.Reader](os.Stdin), format, a...)
}

// Scanln stands in cells for fmt.Scanln.
func Scanln(a ...any) (n int, err error) { return fmt.Fscanln(In[io.Reader](os.Stdin), a...) }

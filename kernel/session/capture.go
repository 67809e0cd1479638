package session

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// capture is %%capture: what the cell shows is kept in a variable, or written to
// a file, and not shown. For its time descriptors 1 and 2 are files, so that
// text of compiled code and of commands is caught too; that of goroutines which
// other cells have left is with it.
func (r *run) capture(blanked string, list []cell.Directive) *engine.CellError {
	d := list[0]
	to, isFile := strings.CutPrefix(d.Args, ">")
	to = strings.TrimSpace(to)
	if !isFile && (!token.IsIdentifier(to) || to == "_") {
		return r.magicError(d, fmt.Errorf("%%%%capture %s: it needs the NAME of a variable, or > FILE", d.Args))
	}
	if len(list) > 1 && list[1].Whole {
		return r.magicError(list[1], fmt.Errorf("%s stands in a cell of %%%%capture", spelled(list[1].Name, true)))
	}
	files, err := captureFiles(to, isFile)
	if err != nil {
		return r.magicError(d, fmt.Errorf("%%%%capture: %w", err))
	}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	failed, kept, err := r.into(files, func() *engine.CellError { return r.segments(blanked, list[1:]) })
	for _, f := range files {
		if err == nil {
			err = room(f)
		}
	}
	if err == nil && !isFile {
		kept.Stdout, err = whole(files[0])
		if err == nil {
			kept.Stderr, err = whole(files[1])
		}
	}
	switch {
	case err != nil:
		return r.magicError(d, fmt.Errorf("%%%%capture: %w", err))
	case isFile:
		for _, b := range kept.Outputs {
			text, _ := b.Data["text/plain"].(string)
			if _, err := fmt.Fprintln(files[0], text); err != nil {
				return r.magicError(d, fmt.Errorf("%%%%capture: %w", err))
			}
		}
		return failed
	}
	if err := r.bindCapture(to, kept); err != nil && failed == nil {
		failed = err
	}
	return failed
}

// room fails where a regular file takes no byte more: what a cell printed was
// lost, for few programs look whether it was written. The file stays as it is.
func room(f *os.File) error {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return err
	}
	if _, err = f.WriteAt([]byte{0}, st.Size()); err == nil {
		return f.Truncate(st.Size())
	}
	return fmt.Errorf("not all is kept: %w", err)
}

// captureFiles are what stdout and stderr go to: one file that a person named,
// or two without a name.
func captureFiles(to string, named bool) ([]*os.File, error) {
	if named {
		path, err := file(to)
		if err != nil {
			return nil, err
		}
		f, err := os.Create(path)
		return []*os.File{f, f}, err
	}
	var files []*os.File
	for range 2 {
		f, err := os.CreateTemp("", "gondola-capture-*")
		if err != nil {
			return nil, err
		}
		os.Remove(f.Name()) // it lives as long as it is open
		files = append(files, f)
	}
	return files, nil
}

// into runs do with what it shows going to files and into the value that it
// returns.
func (r *run) into(files []*os.File, do func() *engine.CellError) (failed *engine.CellError, kept *display.Captured, err error) {
	back, err := divert(files)
	if err != nil {
		return nil, nil, err
	}
	before := r.sink
	k := &keeper{before: before, files: files}
	r.sink = k
	r.s.outputs.open(r.id, target{k, r.cell.Number})
	defer func() {
		r.sink = before
		r.s.outputs.open(r.id, target{before, r.cell.Number})
		if e := back(); err == nil {
			err = e
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		kept = &display.Captured{Outputs: k.outputs}
	}()
	return do(), nil, nil
}

// divert makes descriptors 1 and 2 those of files until back is called.
func divert(files []*os.File) (back func() error, err error) {
	var old [2]*os.File
	back = func() (err error) {
		for i, f := range old {
			if f == nil {
				continue
			}
			if e := replaceDescriptor(int(f.Fd()), i+1); err == nil {
				err = e
			}
			f.Close()
		}
		return err
	}
	for i, f := range files {
		if old[i], err = duplicate(i + 1); err == nil {
			err = replaceDescriptor(int(f.Fd()), i+1)
		}
		if err != nil {
			back()
			return nil, err
		}
	}
	return back, nil
}

// whole is the text of a file from its beginning.
func whole(f *os.File) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	b, err := io.ReadAll(f)
	return string(b), err
}

// bindCapture declares the variable that has what was kept.
func (r *run) bindCapture(name string, kept *display.Captured) *engine.CellError {
	if err := r.piece(name+" := new(display.Captured)", false); err != nil {
		return err
	}
	e := r.s.now.Load().names[name]
	if e == nil || !e.store.IsValid() {
		return r.internal("%%capture has no variable", nil)
	}
	v, ok := e.store.Elem().Interface().(*display.Captured)
	if !ok || v == nil {
		return plainError("MagicError", "%%capture "+name+": the name display stands for another package here")
	}
	*v = *kept
	return nil
}

// keeper is the sink of a cell whose outputs are kept.
type keeper struct {
	before engine.Sink
	files  []*os.File

	mu      sync.Mutex
	outputs []display.Bundle
	ids     map[string]int // display id to its place
}

func (k *keeper) Stream(stderr bool, text string) {
	f := k.files[0]
	if stderr {
		f = k.files[1]
	}
	f.WriteString(text) // a full disk is told at the end, where the file is read or closed
}

func (k *keeper) Display(d engine.Display) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i, ok := k.ids[d.ID]; ok && d.Update {
		k.outputs[i] = d.Bundle
		return
	}
	if k.ids == nil {
		k.ids = map[string]int{}
	}
	if d.ID != "" {
		k.ids[d.ID] = len(k.outputs)
	}
	k.outputs = append(k.outputs, d.Bundle)
}

func (k *keeper) Clear(bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.outputs, k.ids = nil, nil
}

func (k *keeper) Result(b display.Bundle) { k.Display(engine.Display{Bundle: b}) }

// Ask implements engine.Asker: a question is shown.
func (k *keeper) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if a, ok := k.before.(engine.Asker); ok {
		return a.Ask(ctx, prompt, secret)
	}
	return "", engine.ErrNoInput
}

// Comm implements engine.CommSink: what a widget says is no output.
func (k *keeper) Comm(m engine.CommMessage) error {
	if c, ok := k.before.(engine.CommSink); ok {
		return c.Comm(m)
	}
	return errNoComms
}

// Limit implements engine.Limiter.
func (k *keeper) Limit(change string) (string, error) {
	if l, ok := k.before.(engine.Limiter); ok {
		return l.Limit(change)
	}
	return "", errNoLimits
}

var errNoComms = errors.New("no front end is behind this cell that takes comms")

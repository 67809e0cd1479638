package session

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// capture runs do with the descriptors 1 and 2 behind pipes, as the worker has
// them, and returns what was written.
func capture(t *testing.T, do func()) (stdout, stderr string) {
	t.Helper()
	var wg sync.WaitGroup
	texts := [2]string{}
	var restore []func()
	for i := range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		old, err := syscall.Dup(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(w.Fd()), i+1, 0); err != nil {
			t.Fatal(err)
		}
		w.Close()
		wg.Go(func() {
			b, _ := io.ReadAll(r)
			texts[i] = string(b)
			r.Close()
		})
		restore = append(restore, func() { syscall.Dup3(old, i+1, 0); syscall.Close(old) })
	}
	func() {
		defer func() {
			for _, f := range restore {
				f()
			}
		}()
		do()
	}()
	wg.Wait()
	return texts[0], texts[1]
}

// sheet is a Sink that keeps everything.
type sheet struct {
	mu       sync.Mutex
	out, err strings.Builder
	results  []display.Bundle
	displays []engine.Display
	cleared  int
}

func (s *sheet) Stream(stderr bool, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stderr {
		s.err.WriteString(text)
	} else {
		s.out.WriteString(text)
	}
}

func (s *sheet) Display(d engine.Display) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.displays = append(s.displays, d)
}

func (s *sheet) Clear(bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleared++
}

func (s *sheet) Result(b display.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, b)
}

// answer is everything that a cell answered.
type answer struct {
	out            engine.Outcome
	stdout, stderr string
	result         string
	hasResult      bool
	sheet          *sheet
}

// failure is the error as a judge reads it: name, value and traceback.
func (a answer) failure() string {
	if a.out.Err == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s\n%s", a.out.Err.Name, a.out.Err.Value, strings.Join(a.out.Err.Traceback, "\n"))
}

// runCell executes one cell and collects what it shows.
func runCell(t *testing.T, e engine.Engine, n int, code string) answer {
	t.Helper()
	return execute(t, e, engine.Cell{ID: uint64(n), Number: n, Code: code})
}

func execute(t *testing.T, e engine.Engine, c engine.Cell) answer {
	t.Helper()
	a := answer{sheet: &sheet{}}
	a.stdout, a.stderr = capture(t, func() { a.out = e.Execute(t.Context(), c, a.sheet) })
	a.sheet.mu.Lock()
	defer a.sheet.mu.Unlock()
	a.stdout += a.sheet.out.String()
	a.stderr += a.sheet.err.String()
	if len(a.sheet.results) > 0 {
		a.result, _ = a.sheet.results[0].Data["text/plain"].(string)
		a.hasResult = true
	}
	if len(a.sheet.results) > 1 {
		t.Errorf("cell %d has %d results", c.Number, len(a.sheet.results))
	}
	return a
}

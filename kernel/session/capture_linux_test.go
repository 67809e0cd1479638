package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
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

// A file that takes no byte more is told: what the cell printed is lost.
func TestCaptureIntoAFullFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := room(f); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); string(b) != "text" || err != nil {
		t.Errorf("the file has become %q, %v", b, err)
	}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4, Max: now.Max}); err != nil {
		t.Fatal(err)
	}
	err = room(f)
	if e := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); e != nil {
		t.Fatal(e)
	}
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "not all is kept") {
		t.Errorf("error %v of a file that takes no more", err)
	}
}

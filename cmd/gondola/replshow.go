package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/notebook"
)

// shower is the sink of the prompt: texts as they are, values as text, a
// picture as a file whose path is printed, and in the terminal where that can.
type shower struct {
	text    *notebook.Printer
	colours bool
	inline  func(w io.Writer, png string) // draws a picture, base64, in the terminal; nil: it cannot
	ask     func(ctx context.Context, prompt string, secret bool) (string, error)

	mu     sync.Mutex
	number int               // of the cell
	count  int               // of its pictures
	open   bool              // the last line has no newline yet
	result string            // of the cell, as text
	folder string            // of the pictures, once there is one
	shown  map[string]string // display id → its file
}

var (
	_ engine.Sink  = (*shower)(nil)
	_ engine.Asker = (*shower)(nil)
)

func newShower(stdout, stderr io.Writer) *shower {
	s := &shower{text: &notebook.Printer{Stdout: stdout, Stderr: stderr}, shown: map[string]string{}}
	if isTerminal(stdout) {
		s.colours = os.Getenv("GONDOLA_NO_COLOR") == ""
		s.inline = inlinePicture(os.Getenv)
	}
	return s
}

// cell begins a cell.
func (s *shower) cell(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number, s.count, s.result = number, 0, ""
}

// settle ends the line that the cell has left open, so that the next prompt
// begins one.
func (s *shower) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		s.print("\n")
	}
}

// print writes to the standard output. The caller has the lock.
func (s *shower) print(text string) {
	if text != "" {
		s.open = !strings.HasSuffix(text, "\n")
		s.text.Stream(false, text)
	}
}

// Stream implements engine.Sink.
func (s *shower) Stream(stderr bool, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !stderr {
		s.print(text)
		return
	}
	s.text.Stream(true, text)
	if text != "" {
		s.open = !strings.HasSuffix(text, "\n")
	}
}

// Result implements engine.Sink.
func (s *shower) Result(b display.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result, _ = b.Data["text/plain"].(string)
	s.bundle(b, "")
}

// Display implements engine.Sink. An update of a picture writes its file anew.
func (s *shower) Display(d engine.Display) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path := s.shown[d.ID]; d.Update && d.ID != "" && path != "" {
		if _, data, err := pictureOf(d.Bundle); err == nil && os.WriteFile(path, data, 0o600) == nil {
			return
		}
	}
	s.bundle(d.Bundle, d.ID)
}

// Clear implements engine.Sink; what is printed stays.
func (s *shower) Clear(bool) {}

// Ask implements engine.Asker. What the cell has printed stays on the line.
func (s *shower) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	if s.ask == nil {
		return "", engine.ErrNoInput
	}
	return s.ask(ctx, prompt, secret)
}

// bundle prints the text of a value and the path of its picture.
func (s *shower) bundle(b display.Bundle, id string) {
	if s.open {
		s.print("\n")
	}
	if text, ok := b.Data["text/plain"].(string); ok && text != "" {
		s.print(strings.TrimSuffix(text, "\n") + "\n")
	}
	suffix, data, err := pictureOf(b)
	switch {
	case err != nil:
		s.text.Stream(true, fmt.Sprintf("the picture cannot be read: %v\n", err))
		return
	case data == nil:
		return
	}
	if s.inline != nil && suffix == ".png" {
		s.inline(s.text.Stdout, base64.StdEncoding.EncodeToString(data))
	}
	path, err := s.store(suffix, data)
	if err != nil {
		s.text.Stream(true, fmt.Sprintf("the picture cannot be kept: %v\n", err))
		return
	}
	if s.print("picture: " + path + "\n"); id != "" {
		s.shown[id] = path
	}
}

// store writes a picture into a folder that stays behind the end of the prompt.
func (s *shower) store(suffix string, data []byte) (path string, err error) {
	if s.folder == "" {
		if s.folder, err = os.MkdirTemp("", "gondola-pictures-*"); err != nil {
			return "", err
		}
	}
	s.count++
	path = filepath.Join(s.folder, fmt.Sprintf("%d-%d%s", s.number, s.count, suffix))
	return path, os.WriteFile(path, data, 0o600)
}

// pictureOf is the picture of a bundle as the bytes of a file; nil: it has none.
func pictureOf(b display.Bundle) (suffix string, data []byte, err error) {
	for _, f := range []struct{ mime, suffix string }{
		{"image/png", ".png"}, {"image/jpeg", ".jpg"}, {"image/gif", ".gif"},
	} {
		if s, ok := b.Data[f.mime].(string); ok {
			data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
			return f.suffix, data, err
		}
	}
	if s, ok := b.Data["image/svg+xml"].(string); ok {
		return ".svg", []byte(s), nil
	}
	return "", nil, nil
}

// inlinePicture draws a PNG in terminals that say they can: those of iTerm2's
// protocol and those of kitty's. Nil: this one does not say so.
func inlinePicture(env func(string) string) func(w io.Writer, png string) {
	switch program := env("TERM_PROGRAM"); {
	case env("TMUX") != "" || strings.HasPrefix(env("TERM"), "screen"):
		return nil // what stands between does not pass it on
	case program == "iTerm.app" || program == "WezTerm":
		return func(w io.Writer, png string) { fmt.Fprintf(w, "\x1b]1337;File=inline=1:%s\a\n", png) }
	case env("KITTY_WINDOW_ID") != "" || env("TERM") == "xterm-kitty" || program == "ghostty":
		return func(w io.Writer, png string) {
			const chunk = 4096
			for first := true; len(png) > 0; first = false {
				n := min(chunk, len(png))
				control := "m=1"
				if n == len(png) {
					control = "m=0"
				}
				if first {
					control = "a=T,f=100," + control
				}
				fmt.Fprintf(w, "\x1b_G%s;%s\x1b\\", control, png[:n])
				png = png[n:]
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

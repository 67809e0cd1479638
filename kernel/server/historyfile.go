package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// record is a line of the file.
type record struct {
	Session string `json:"session"`
	Line    int    `json:"line"`
	Time    string `json:"time"`
	In      string `json:"in"`
	Out     string `json:"out,omitempty"`
}

// OpenHistory is a history that is kept at path: one JSON object a cell,
// appended by one write, so that several kernels may share the file. A line
// that is not valid is skipped. If the file cannot be used the history stays in
// memory, and the log says so once.
func OpenHistory(path, id string, now func() string, log *slog.Logger) *History {
	h := NewHistory(id, now)
	h.log, h.unread = log, path
	return h
}

// Load reads the file. Without a call the first use does it, which then waits.
func (h *History) Load() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
}

// load is Load for a caller that holds mu.
func (h *History) load() {
	path := h.unread
	if path == "" {
		return
	}
	h.unread = ""
	if err := h.read(path); err != nil {
		h.log.Warn("history is kept in memory only", "err", err)
		return
	}
	h.path = path
}

// read reads the file at path, and cuts it when it has grown to twice what is
// kept. The caller holds mu.
func (h *History) read(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return appendTo(path, nil)
	} else if err != nil {
		return err
	}
	defer f.Close()
	numbers := map[string]int{}
	var lines [][]byte
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadBytes('\n')
		var rec record
		if json.Unmarshal(line, &rec) == nil && rec.Session != "" {
			if numbers[rec.Session] == 0 {
				numbers[rec.Session] = len(numbers) + 1
			}
			h.cells = append(h.cells, past{numbers[rec.Session], rec.Line, rec.In, rec.Out})
			lines = append(lines, line)
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	h.session = len(numbers) + 1
	n := len(lines)
	if n > historyCells {
		h.cells = h.cells[n-historyCells:]
	}
	if n > 2*historyCells {
		return rewrite(path, lines[n-historyCells:])
	}
	return nil
}

// store appends a cell to the file. The caller holds mu.
func (h *History) store(line int, in, out string) {
	if h.path == "" {
		return
	}
	b, err := wire.Marshal(record{h.id, line, h.now(), in, out})
	if err == nil {
		err = appendTo(h.path, append(b, '\n'))
	}
	if err != nil {
		h.log.Warn("history is kept in memory only from here on", "err", err)
		h.path = ""
	}
}

// appendTo adds text to the file at path in one write. The file is opened each
// time, because another kernel may have cut it.
func appendTo(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// rewrite replaces the file at path by lines.
func rewrite(path string, lines [][]byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".history-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, l := range lines {
		w.Write(l) // Flush has the error
	}
	err = errors.Join(w.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

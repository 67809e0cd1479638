package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The first Ctrl-C interrupts the cell; a second ends one that does not stop.
// Both times the notebook is written and the exit code is 130.
func TestRunTwoInterrupts(t *testing.T) {
	for _, tt := range []struct {
		name, cell string
		interrupts int
		says       string
	}{
		{"one", "os.WriteFile(\"begun\", nil, 0o600)\nfor {}", 1, "Interrupted: stopped after"},
		{"two", "%%native nopoll\nos.WriteFile(\"begun\", nil, 0o600)\nfor {}", 2, "WorkerLost: ended by a second interrupt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.interrupts > 1 && testing.Short() {
				t.Skip("compiles a cell: left out with -short")
			}
			dir := t.TempDir()
			name := book(t, dir, "fmt.Println(7)", tt.cell, "8")
			c := process(t, "run", "--inplace", name)
			var errs bytes.Buffer
			c.Stderr = &errs
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer c.Process.Kill()
			for n := 0; ; n++ {
				if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
					break
				} else if n > 6000 {
					t.Fatal("the cell does not begin")
				}
				time.Sleep(10 * time.Millisecond)
			}
			for i := range tt.interrupts {
				if i > 0 {
					time.Sleep(20 * time.Millisecond) // two signals at once are one
				}
				if err := c.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
			}
			c.Wait() // its status is looked at
			nb := written(t, name)
			if code := c.ProcessState.ExitCode(); code != 130 || !strings.Contains(errs.String(), tt.says) ||
				nb.Texts()[0] != "7\n" || nb.Texts()[2] != "" {
				t.Errorf("code %d, want 130; stderr %s; cells show %q", code, errs.String(), nb.Texts())
			}
		})
	}
}

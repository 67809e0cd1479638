package worker

import (
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// A change of a limit is made or refused, never half made.
func TestDial(t *testing.T) {
	d := dial{lim: Limits{Text: 1 << 20, Memory: 1 << 30, Patience: 10 * time.Second}}
	for _, tt := range []struct{ change, want, err string }{
		{"output=4M", "output=4.2MB patience=10s memory=1.1GB", ""},
		{"output=2kib", "output=2.0kB patience=10s memory=1.1GB", ""},
		{"output=off", "output=off patience=10s memory=1.1GB", ""},
		{"patience=0", "output=off patience=0 memory=1.1GB", ""},
		{"patience=1m", "output=off patience=1m0s memory=1.1GB", ""},
		{"memory=off", "output=off patience=1m0s memory=off", ""},
		{"memory=1", "output=off patience=1m0s memory=off", "at least 67.1 MB"},
		{"memory=99999999999G", "output=off patience=1m0s memory=off", "at least"},
		{"memory=", "output=off patience=1m0s memory=off", "at least"},
		{"output=-1", "output=off patience=1m0s memory=off", "at least"},
		{"patience=-1s", "output=off patience=1m0s memory=off", "it is a time"},
		{"speed=1", "output=off patience=1m0s memory=off", "the keys are"},
	} {
		_, err := d.set(tt.change)
		if got := d.get().text(); got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %s, %v; want %s, %q", tt.change, got, err, tt.want, tt.err)
		}
	}
}

// Of settings of one thing the last one is kept, in its place among the others.
func TestKeep(t *testing.T) {
	p := &Parent{}
	for _, s := range []string{"engine native", "env A=1", "cd /a", "env B=2", "env A=3", "engine auto"} {
		p.keep(s)
	}
	if got, want := strings.Join(p.settings, "|"), "cd /a|env B=2|env A=3|engine auto"; got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
}

// What held the memory is told of an end for want of memory, and of no other.
func TestHolders(t *testing.T) {
	e := ending{reason: outOfMemory + "used up", largest: []engine.Size{{Name: "all", Type: "[][]byte", Bytes: 2e9}, {Name: "n", Type: "int", Bytes: 8}}}
	if got, want := e.holders(), "largest: all [][]byte 2.0 GB, n int 8 bytes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.reason = "restarted"
	if got := e.holders(); got != "" {
		t.Errorf("another end tells %q", got)
	}
}

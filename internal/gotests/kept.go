package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// kept are the judgements of calls with -for, so that a run of an hour can be
// made of pieces. They stand for one program and one list of modes.
type kept struct {
	verdicts map[string][]verdict // by the name of the file
	out      *os.File             // nil without -for
}

// keptLine is a line of the file: the verdicts of one test program.
type keptLine struct {
	Name     string
	Verdicts []keptVerdict
}

type keptVerdict struct{ Mode, Kind, Why string }

// openKept reads what earlier calls have judged.
func (c *config) openKept() (*kept, error) {
	k := &kept{verdicts: map[string][]verdict{}}
	if c.length == 0 {
		return k, nil
	}
	sum := sha256.New()
	f, err := os.Open(c.gondola)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	fmt.Fprint(sum, c.modes, c.timeout, left)
	name := filepath.Join(c.work, "kept-"+hex.EncodeToString(sum.Sum(nil)[:8])+".jsonl")
	if b, err := os.ReadFile(name); err == nil {
		for line := range strings.Lines(string(b)) {
			var l keptLine
			if json.Unmarshal([]byte(line), &l) != nil {
				continue // cut off by a kill: judged again
			}
			for _, v := range l.Verdicts {
				k.verdicts[l.Name] = append(k.verdicts[l.Name], verdict{v.Mode, v.Kind, v.Why})
			}
		}
	}
	k.out, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return k, err
}

// of are the verdicts of a file that was judged before.
func (k *kept) of(f *file) (v []verdict, ok bool) {
	v, ok = k.verdicts[f.name]
	return v, ok
}

// note keeps the verdicts of a file.
func (k *kept) note(r result) {
	if k.out == nil {
		return
	}
	l := keptLine{Name: r.file.name}
	for _, v := range r.verdicts {
		l.Verdicts = append(l.Verdicts, keptVerdict{v.mode, v.kind, v.why})
	}
	b, err := json.Marshal(l)
	if err == nil {
		_, err = k.out.Write(append(b, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotests:", err)
	}
}

func (k *kept) close() {
	if k.out != nil {
		_ = k.out.Close() // each line was written by itself
	}
}

// unjudged is how many files no call has judged.
func unjudged(all []result) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(r result) bool { return r.file != nil }))
}

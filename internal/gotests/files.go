package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is one of Go's test programs.
type file struct {
	name string // below the root
	text string
	kind string // run or errorcheck
}

// find lists the single files that begin with "// run" or "// errorcheck"
// without a flag, in the order of their names.
func (c *config) find() (files []*file, err error) {
	err = filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		line, _, _ := bytes.Cut(b, []byte("\n"))
		kind, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r"), "// ")
		if !ok || kind != "run" && kind != "errorcheck" {
			return nil
		}
		name, err := filepath.Rel(c.root, path)
		files = append(files, &file{filepath.ToSlash(name), string(b), kind})
		return err
	})
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	seen := map[string]int{}
	return slices.DeleteFunc(files, func(f *file) bool {
		seen[f.kind]++
		mode := f.kind == "run" && c.runs() || f.kind == "errorcheck" && slices.Contains(c.modes, "errors")
		return !mode || (seen[f.kind]-1+c.every-c.from%c.every)%c.every != 0 || !c.match.MatchString(f.name)
	}), err
}

// runs reports whether any mode runs programs.
func (c *config) runs() bool {
	return slices.ContainsFunc(c.modes, func(m string) bool { return m != "errors" })
}

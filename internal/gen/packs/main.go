// Command packs writes the packs: for each set a Go package with the symbols,
// the export data and the documentation of what a cell may import without a
// toolchain.
//
//	go run ./internal/gen/packs [--check] [SET…]
//
// SET is std, gonum or gondola; none means all. With --check nothing is
// written: a file that differs from what would be written is named and the
// exit status is 1.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

func main() {
	check := flag.Bool("check", false, "write nothing; compare")
	flag.Parse()
	if err := run(flag.Args(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "packs:", err)
		os.Exit(1)
	}
}

func run(names []string, check bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		for _, s := range sets {
			names = append(names, s.name)
		}
	}
	var differ []string
	for _, name := range names {
		i := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("%s is not a set", name)
		}
		files, err := generate(root, sets[i])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		dir := filepath.Join(root, "internal", "packs", name)
		if !check {
			if err := write(dir, files); err != nil {
				return err
			}
			continue
		}
		d, err := compare(dir, files)
		if err != nil {
			return err
		}
		differ = append(differ, d...)
	}
	if len(differ) > 0 {
		return fmt.Errorf("not up to date, run go run ./internal/gen/packs:\n%s", strings.Join(differ, "\n"))
	}
	return nil
}

// moduleRoot is the folder of go.mod, so that the command runs from any folder
// of the module; go generate starts it in the pack's.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("not inside the module")
	}
	return filepath.Dir(mod), nil
}

// write replaces the content of dir by files. What an earlier run wrote and
// this one does not (a package that is gone) is removed.
func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := generated(dir)
	if err != nil {
		return err
	}
	for _, name := range old {
		if files[name] == nil {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	for name, b := range files {
		if have, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Equal(have, b) {
			continue // keeps its time, so nothing is compiled again
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare lists the files of dir that are not what files says, sorted.
func compare(dir string, files map[string][]byte) ([]string, error) {
	old, err := generated(dir)
	if err != nil {
		return nil, err
	}
	var d []string
	for _, name := range old {
		if files[name] == nil {
			d = append(d, filepath.Join(dir, name)+": should not be there")
		}
	}
	for name, b := range files {
		have, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d = append(d, filepath.Join(dir, name)+": is missing")
		case err != nil:
			return nil, err
		case !bytes.Equal(have, b):
			d = append(d, filepath.Join(dir, name)+": differs")
		}
	}
	sort.Strings(d)
	return d, nil
}

// generated lists the files of dir that this command wrote: the archives and
// the Go files that say so in their first line.
func generated(dir string) ([]string, error) {
	es, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range es {
		n := e.Name()
		switch filepath.Ext(n) {
		case ".zip":
			names = append(names, n)
		case ".go":
			b, err := os.ReadFile(filepath.Join(dir, n))
			if err != nil {
				return nil, err
			}
			if bytes.HasPrefix(b, []byte(firstLine)) {
				names = append(names, n)
			}
		}
	}
	return names, nil
}

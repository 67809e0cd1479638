// Package install writes, lists and removes the kernelspec folder by which
// Jupyter finds this kernel. Jupyter itself need not be there.
package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// Errors that a caller can test for with errors.Is.
var (
	ErrName    = errors.New("kernel name is not usable")
	ErrBinary  = errors.New("binary cannot be installed")
	ErrForeign = errors.New("kernelspec was written by another program")
	ErrMissing = errors.New("no such kernelspec")
)

// Error reports a failed operation of this package.
type Error struct {
	Op     string // the function, as in "install.Write"
	Err    error  // the cause
	Advice string // what to do next, one imperative sentence
}

func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice.
func (e *Error) Hint() string { return e.Advice }

// Spec is what kernel.json says. The zero values of Name and DisplayName are
// "gondola" and "Go (Gondola)".
type Spec struct {
	Binary      string            // absolute path of the program to start
	Name        string            // name of the folder, [A-Za-z0-9._-]+
	DisplayName string            // what a menu shows
	Env         map[string]string // environment of the kernel, may be nil
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func (s Spec) resolve() (Spec, error) {
	if s.Name == "" {
		s.Name = "gondola"
	}
	if s.DisplayName == "" {
		s.DisplayName = "Go (Gondola)"
	}
	if !nameForm.MatchString(s.Name) || strings.Trim(s.Name, ".") == "" {
		return s, &Error{"install.Spec", fmt.Errorf("%w: %q", ErrName, s.Name),
			"use letters, digits, dot, dash and underscore"}
	}
	return s, nil
}

// JSON returns kernel.json. It names no kernel_protocol_version: clients of
// today warn of that field as an error to come.
func (s Spec) JSON() ([]byte, error) {
	s, err := s.resolve()
	if err != nil {
		return nil, err
	}
	env := s.Env
	if env == nil {
		env = map[string]string{}
	}
	b, err := json.MarshalIndent(map[string]any{
		"argv":           []string{s.Binary, "kernel", "-f", "{connection_file}"},
		"display_name":   s.DisplayName,
		"language":       "go",
		"interrupt_mode": "message",
		"env":            env,
		"metadata":       map[string]any{"debugger": false, "supported_encryption": []string{"curve"}},
	}, "", "  ")
	return append(b, '\n'), err
}

// CheckBinary refuses a program that a kernelspec must not name: one that is
// not absolute, lies in a temporary folder (as go run makes it), or does not
// answer "version".
func CheckBinary(path string) error {
	const op = "install.CheckBinary"
	if !filepath.IsAbs(path) {
		return &Error{op, fmt.Errorf("%w: %s is not an absolute path", ErrBinary, path), "give the full path of the program"}
	}
	if strings.Contains(path, string(filepath.Separator)+"go-build") {
		return &Error{op, fmt.Errorf("%w: %s is in a temporary folder", ErrBinary, path), "build it first: make build"}
	}
	out, err := exec.Command(path, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "gondola ") {
		return &Error{op, fmt.Errorf("%w: %s does not answer \"version\"", ErrBinary, path), "build it again: make build"}
	}
	return nil
}

// Write puts the kernelspec into the folder kernels (see Dir) and returns the
// folder it made. The files are written beside and renamed, so that a reader
// never sees half of them. It replaces a kernelspec of this kernel and refuses
// to touch another's (ErrForeign).
func Write(kernels string, s Spec) (string, error) {
	const op = "install.Write"
	s, err := s.resolve()
	if err != nil {
		return "", err
	}
	spec, err := s.JSON()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(kernels, s.Name)
	if _, err := os.Stat(dir); err == nil && !ours(dir) {
		return "", &Error{op, fmt.Errorf("%w: %s", ErrForeign, dir), "choose another name with --name"}
	}
	if err := makeFolders(kernels); err != nil {
		return "", &Error{op, err, "choose a folder that can be written: --user, or --prefix DIR"}
	}
	tmp, err := os.MkdirTemp(kernels, ".gondola-*")
	if err != nil {
		return "", &Error{op, err, "choose a folder that can be written: --user, or --prefix DIR"}
	}
	defer os.RemoveAll(tmp)
	files := map[string][]byte{"kernel.json": spec, "logo-svg.svg": LogoSVG()}
	for _, size := range []int{32, 64} {
		files[fmt.Sprintf("logo-%dx%d.png", size, size)] = LogoPNG(size)
	}
	for name, data := range files {
		if err := writeFile(filepath.Join(tmp, name), data); err != nil {
			return "", &Error{op, err, "make room on the disk and run it again"}
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", &Error{op, err, ""}
	}
	if err := replaceDir(tmp, dir); err != nil {
		return "", &Error{op, err, "remove the folder by hand and run it again"}
	}
	return dir, nil
}

// makeFolders makes a folder and those above it that lack, with mode 755
// whatever the umask; one that is there is left as it is.
func makeFolders(dir string) error {
	st, err := os.Stat(dir)
	switch {
	case err == nil && st.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("%s is no folder", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeFolders(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) { // another made it meanwhile
			return nil
		}
		return err
	}
	return os.Chmod(dir, 0o755)
}

// writeFile writes with mode 644 whatever the umask.
func writeFile(name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return err
	}
	return os.Chmod(name, 0o644)
}

// replaceDir renames tmp to dir; an old dir steps aside first, for a rename
// does not replace a folder that holds files.
func replaceDir(tmp, dir string) error {
	old := tmp + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return err
	}
	return os.RemoveAll(old)
}

// Remove deletes the kernelspec of that name, if it starts a gondola.
func Remove(kernels, name string) error {
	const op = "install.Remove"
	s, err := Spec{Name: name}.resolve()
	if err != nil {
		return err
	}
	dir := filepath.Join(kernels, s.Name)
	if _, err := os.Stat(dir); err != nil {
		return &Error{op, fmt.Errorf("%w: %s", ErrMissing, dir), "list what is installed: gondola list"}
	}
	if !ours(dir) {
		return &Error{op, fmt.Errorf("%w: %s", ErrForeign, dir), "remove it with jupyter kernelspec remove"}
	}
	return os.RemoveAll(dir)
}

// Installed is one kernelspec that starts a gondola.
type Installed struct {
	Dir, Name, DisplayName, Binary string
	Alive                          bool // the binary is there
}

// List returns the kernelspecs of this kernel in the given folders, by folder
// and name. A folder that cannot be read has none.
func List(kernels ...string) []Installed {
	var all []Installed
	for _, k := range kernels {
		entries, _ := os.ReadDir(k) // a folder that is not there has none
		for _, e := range entries {
			dir := filepath.Join(k, e.Name())
			spec, ok := read(dir)
			if !ok || !startsGondola(spec.Argv) {
				continue
			}
			_, err := os.Stat(spec.Argv[0])
			all = append(all, Installed{dir, e.Name(), spec.DisplayName, spec.Argv[0], err == nil})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Dir < all[j].Dir })
	return all
}

type kernelJSON struct {
	Argv        []string `json:"argv"`
	DisplayName string   `json:"display_name"`
}

func read(dir string) (kernelJSON, bool) {
	var k kernelJSON
	b, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	return k, err == nil && json.Unmarshal(b, &k) == nil
}

func ours(dir string) bool {
	k, ok := read(dir)
	return ok && startsGondola(k.Argv)
}

// startsGondola looks at the form of argv and not at the program's name: a
// user may have renamed it.
func startsGondola(argv []string) bool {
	return len(argv) == 4 && argv[1] == "kernel" && argv[2] == "-f" && argv[3] == "{connection_file}"
}

package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Place says where kernelspecs go.
type Place int

// The places: Auto is Sys inside a virtual environment and User elsewhere.
const (
	Auto   Place = iota
	User         // the user's Jupyter data folder
	Sys          // the environment's prefix: a virtual environment, conda, or python3's own
	Prefix       // a given folder
	System       // for all users of this machine
)

// Dir returns the folder that holds kernelspecs, as Jupyter's own tools choose
// it. env looks a variable up, as os.Getenv does; prefix counts for Prefix.
func Dir(p Place, prefix string, env func(string) string) (string, error) {
	const op = "install.Dir"
	switch p {
	case Auto:
		if env("VIRTUAL_ENV") != "" || env("CONDA_PREFIX") != "" {
			return Dir(Sys, "", env)
		}
		return Dir(User, "", env)
	case System:
		return SystemDir, nil
	case Prefix:
		abs, err := filepath.Abs(prefix)
		if err != nil || prefix == "" {
			return "", &Error{op, fmt.Errorf("no prefix: %q", prefix), "give a folder with --prefix"}
		}
		return filepath.Join(abs, "share", "jupyter", "kernels"), nil
	case Sys:
		for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
			if d := env(v); d != "" {
				return Dir(Prefix, d, env)
			}
		}
		out, err := exec.Command("python3", "-c", "import sys; print(sys.prefix)").Output()
		if err != nil {
			return "", &Error{op, fmt.Errorf("python3 did not tell its prefix: %w", err), "use --user or --prefix"}
		}
		return Dir(Prefix, strings.TrimSpace(string(out)), env)
	}
	if d := env("JUPYTER_DATA_DIR"); d != "" {
		return filepath.Join(d, "kernels"), nil
	}
	home := env("HOME")
	if home == "" {
		return "", &Error{op, fmt.Errorf("HOME is not set"), "set HOME, or use --prefix"}
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter", "kernels"), nil
	}
	if d := env("XDG_DATA_HOME"); d != "" {
		return filepath.Join(d, "jupyter", "kernels"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter", "kernels"), nil
}

// SystemDir is where a system-wide Jupyter looks last.
const SystemDir = "/usr/local/share/jupyter/kernels"

// Known returns all folders in which list looks, in the order in which Jupyter
// does: those of JUPYTER_PATH, the user's, the environment's or python3's own,
// the system's. A prefix that was given by hand is not among them.
func Known() []string {
	var dirs []string
	add := func(d string, err error) {
		if err == nil && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range filepath.SplitList(os.Getenv("JUPYTER_PATH")) {
		add(filepath.Join(d, "kernels"), nil)
	}
	first, second := User, Sys
	if environmentFirst(os.Getenv) {
		first, second = Sys, User
	}
	add(Dir(first, "", os.Getenv))
	add(Dir(second, "", os.Getenv))
	add(SystemDir, nil)
	return dirs
}

// environmentFirst tells whether Jupyter prefers the kernels of the environment
// to the user's: as JUPYTER_PREFER_ENV_PATH says, else in a virtual environment
// and in one of conda that is not its base.
func environmentFirst(env func(string) string) bool {
	if v := strings.ToLower(env("JUPYTER_PREFER_ENV_PATH")); v != "" {
		return !slices.Contains([]string{"no", "n", "false", "off", "0", "0.0"}, v)
	}
	return env("VIRTUAL_ENV") != "" || env("CONDA_PREFIX") != "" && env("CONDA_DEFAULT_ENV") != "base"
}

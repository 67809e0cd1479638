package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// Known returns all folders in which list looks: the user's, the
// environment's where there is one, and the system's.
func Known() []string {
	var dirs []string
	if d, err := Dir(User, "", os.Getenv); err == nil {
		dirs = append(dirs, d)
	}
	if os.Getenv("VIRTUAL_ENV") != "" || os.Getenv("CONDA_PREFIX") != "" {
		if d, err := Dir(Sys, "", os.Getenv); err == nil {
			dirs = append(dirs, d)
		}
	}
	return append(dirs, SystemDir)
}

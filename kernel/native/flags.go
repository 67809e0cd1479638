package native

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// buildFlags returns the flags of this program's build that change the export
// data of packages, and the environment that does. If one differs between a
// program and a plugin, the plugin does not load: "different version of package".
//
// A test binary tells nothing of its build, so what can be seen otherwise is
// looked at: the detector by a build tag, -trimpath by the name of this file.
func buildFlags() (flags, env []string) {
	if raced {
		flags = append(flags, "-race")
	}
	if _, file, _, ok := runtime.Caller(0); ok && !filepath.IsAbs(file) {
		flags = append(flags, "-trimpath")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return flags, nil
	}
	for _, s := range info.Settings {
		switch {
		case (s.Key == "-msan" || s.Key == "-asan") && s.Value == "true":
			flags = append(flags, s.Key)
		case s.Key == "-tags" || s.Key == "-gcflags":
			flags = append(flags, s.Key+"="+s.Value)
		case strings.HasPrefix(s.Key, "GO") && s.Key != "GOOS" && s.Key != "GOARCH":
			env = append(env, s.Key+"="+s.Value) // GOAMD64, GOEXPERIMENT, GOFIPS140 …
		}
	}
	return flags, env
}

// toolFlag reports whether the build has a flag that compiler and linker take too.
func (t *Toolchain) toolFlags() (flags []string) {
	for _, f := range []string{"-race", "-msan", "-asan"} {
		if slices.Contains(t.flags, f) {
			flags = append(flags, f)
		}
	}
	return flags
}

// environment is what the tools see: the user's, but nothing of it that would
// change what they make, and no network.
func environment(extra ...string) []string {
	set := map[string]bool{}
	for _, e := range extra {
		name, _, _ := strings.Cut(e, "=")
		set[name] = true
	}
	var env []string
	for _, e := range os.Environ() {
		switch name, _, _ := strings.Cut(e, "="); {
		case set[name], name == "GOFLAGS", name == "GOWORK", name == "GOTOOLCHAIN", name == "GOROOT", name == "GOOS",
			name == "GOARCH", name == "GOPROXY", name == "CGO_ENABLED", name == "GOEXPERIMENT", name == "GO111MODULE",
			name == "GODEBUG", name == "PWD":
		default:
			env = append(env, e)
		}
	}
	// A GOFLAGS that is set and empty would be read from the user's file.
	return append(append(env, extra...), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=1")
}

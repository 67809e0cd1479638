package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/gondola-lab/gondola/cuda"
	"github.com/gondola-lab/gondola/kernel/transport"
)

// version and commit are stamped by the linker (Makefile): a build without
// them is a developer's.
var version, commit = "0.1.0-dev", "unknown"

// gpuBuild says what of the GPU is in this build; gondola doctor looks for a device.
func gpuBuild() string {
	if cuda.Built {
		return "APML and neighbours, by CUDA"
	}
	return "not in this build"
}

// versions are all versions that matter for a report of a fault.
func versions() map[string]string {
	v := map[string]string{
		"gondola": version, "commit": commit, "go": runtime.Version(),
		"platform": runtime.GOOS + "/" + runtime.GOARCH, "libzmq": transport.LibraryVersion(), "gpu": gpuBuild(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			switch d.Path {
			case "github.com/traefik/yaegi", "gonum.org/v1/gonum", "gonum.org/v1/plot", "golang.org/x/tools",
				"github.com/pebbe/zmq4":
				v[d.Path] = d.Version
			}
		}
	}
	return v
}

// runVersion prints all versions; the first line begins with "gondola", which
// install checks.
func runVersion(args []string, stdout, stderr io.Writer) int {
	f := newFlags("version", "[--json]", stdout, stderr)
	asJSON := f.Bool("json", false, "print one JSON object")
	if _, code := f.parse(args, 0); code >= 0 {
		return code
	}
	v := versions()
	if *asJSON {
		b, err := json.Marshal(v)
		if err != nil {
			return fail(stderr, "version", err)
		}
		fmt.Fprintf(stdout, "%s\n", b)
		return exitOK
	}
	fmt.Fprintf(stdout, "gondola %s (%s)\n", v["gondola"], v["commit"])
	for _, k := range []string{"go", "platform"} {
		fmt.Fprintf(stdout, "%s %s\n", k, v[k])
	}
	for _, line := range versionLines(v) {
		fmt.Fprintln(stdout, line)
	}
	return exitOK
}

// versionLines are the versions of the parts, in order of their names.
func versionLines(v map[string]string) (lines []string) {
	for k, version := range v {
		switch k {
		case "gondola", "commit", "go", "platform":
		default:
			lines = append(lines, k+" "+cmp.Or(version, "none"))
		}
	}
	slices.Sort(lines)
	return lines
}

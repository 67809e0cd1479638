package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/install"
	"github.com/gondola-lab/gondola/kernel/native"
	"github.com/gondola-lab/gondola/kernel/transport"
)

// finding is one line of the doctor. Need says that a part of gondola does not
// work without it; a lack that is not needed is only told.
type finding struct {
	Part string `json:"part"`
	OK   bool   `json:"ok"`
	Need bool   `json:"need"`
	Text string `json:"text"`
	Cure string `json:"cure,omitempty"`
}

// settings are all environment variables of ours; a test compares them with
// the code.
var settings = []struct{ name, does string }{
	{"GONDOLA_LOG", "level of the kernel's log: debug, info, warn or error"},
	{"GONDOLA_HISTORY", "off: the history of cells is not kept in a file"},
	{"GONDOLA_NO_COLOR", "any text: tracebacks at the prompt are plain"},
	{"GONDOLA_BACKEND", "where losses compute: auto, cpu or gpu"},
	{"GONDOLA_DEVICE", "the GPU: an index, a UUID or a PCI id"},
	{"GONDOLA_GPU_MEM", "most of its memory that may be used: bytes, or percent as in 50%"},
	{"GONDOLA_LIBCUDA", "file of the NVIDIA driver's library, instead of libcuda.so.1"},
	{"GONDOLA_SRC", "folder of our source, for native cells; make lab writes it into the kernelspec"},
	{"GONDOLA_CACHE", "folder of compiled cells; else gondola in the user's cache folder"},
	{"GONDOLA_CASES", "file of right values, for tests"},
	{"GONDOLA_DATA", "folder of real clouds, for tests"},
	{"GONDOLA_PROGRAMS", "folder of programs with their outputs, for tests"},
	{"GONDOLA_FUZZ", "how many random programs are compared with the compiler's, for tests"},
	{"GONDOLA_FUZZ_SEED", "number of the first of them, for tests"},
	{"GONDOLA_RECORD", "1: write the outputs of the compiler anew, for tests"},
	{"GONDOLA_WORKER", "set by gondola itself for its worker"},
}

// doctorParts are what the doctor looks at, in the order of its findings.
var doctorParts = []string{"libzmq", "source", "go", "cc", "cache", "native", "gpu", "jupyter",
	"kernelspec", "ports", "folders"}

// runDoctor tells what of this machine gondola can use, and the cure of each
// lack. It exits 3 if something needed, or named by --require, is missing.
func runDoctor(args []string, stdout, stderr io.Writer) int {
	f := newFlags("doctor", "[--json] [--require PART] [--gpu]", stdout, stderr)
	gpu := f.Bool("gpu", false, "look at the GPU alone, in this process, and print one JSON object")
	asJSON := f.Bool("json", false, "print one JSON object a line")
	require := f.String("require", "", "exit 3 unless `PART` ("+strings.Join(doctorParts, ", ")+") is there")
	if _, code := f.parse(args, 0); code >= 0 {
		return code
	}
	if *gpu {
		if err := json.NewEncoder(stdout).Encode(probeGPU()); err != nil {
			return fail(stderr, "doctor", err)
		}
		return exitOK
	}
	if *require != "" && !slices.Contains(doctorParts, *require) {
		return f.wrong("no part is named %q; there are %s", *require, strings.Join(doctorParts, ", "))
	}
	tell := func(text string) {
		if !*asJSON {
			fmt.Fprintln(stderr, text)
		}
	}
	all := slices.Concat([]finding{findZMQ()}, findNative(tell),
		[]finding{findGPU(gpuWait), findJupyter(), findSpecs(), findLoopback(), findFolder()})
	code := exitOK
	for _, x := range all {
		if x.Part == *require {
			x.Need = true
		}
		if x.Need && !x.OK {
			code = exitMissing
		}
		if *asJSON {
			b, err := json.Marshal(x)
			if err != nil {
				return fail(stderr, "doctor", err)
			}
			fmt.Fprintf(stdout, "%s\n", b)
			continue
		}
		mark := map[bool]string{true: "ok  ", false: "lack"}[x.OK]
		fmt.Fprintf(stdout, "%s  %-11s %s\n", mark, x.Part, x.Text)
		if x.Cure != "" {
			fmt.Fprintf(stdout, "      %-11s %s\n", "", x.Cure)
		}
	}
	if !*asJSON {
		for _, s := range settings {
			if v, ok := os.LookupEnv(s.name); ok {
				fmt.Fprintf(stdout, "set   %s=%s  %s\n", s.name, v, s.does)
			} else {
				fmt.Fprintf(stdout, "unset %-17s %s\n", s.name, s.does)
			}
		}
	}
	return code
}

func findZMQ() finding {
	if v := transport.LibraryVersion(); v != "" {
		return finding{"libzmq", true, true, v, ""}
	}
	return finding{"libzmq", false, true, "this binary was built without cgo: it runs notebooks and programs, but is no Jupyter kernel",
		"build it with a C compiler and libzmq: apt-get install gcc libc6-dev pkg-config libzmq3-dev"}
}

// firstLine runs a command and returns the first line that it prints.
func firstLine(name string, args ...string) (string, bool) {
	out, err := exec.Command(name, args...).Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), err == nil
}

// findNative tells of all that compiled cells need, and tries whether a plugin
// can be built and loaded.
func findNative(tell func(text string)) (all []finding) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for _, p := range native.Inspect(ctx, native.Config{Notice: tell}) {
		f := finding{p.Name, p.OK, false, p.Text, p.Cure}
		if p.Name == "selftest" {
			f.Part = "native"
		}
		if !p.OK {
			f.Text += "; cells that need native code are refused by name, all others run"
		}
		all = append(all, f)
	}
	return all
}

func findJupyter() finding {
	for _, dir := range []string{"", filepath.Join(".venv", "bin")} {
		name := filepath.Join(dir, "jupyter-lab")
		if v, ok := firstLine(name, "--version"); ok {
			return finding{"jupyter", true, false, "JupyterLab " + v, ""}
		}
	}
	return finding{"jupyter", false, false, "no JupyterLab in PATH or .venv",
		"in a checkout: make lab; gondola run needs none"}
}

func findSpecs() finding {
	dirs := append(install.Known(), filepath.Join(".venv", "share", "jupyter", "kernels"))
	var names []string
	for _, k := range install.List(dirs...) {
		if !k.Alive {
			return finding{"kernelspec", false, false, k.Dir + " starts " + k.Binary + ", which is gone",
				"run gondola install again"}
		}
		names = append(names, k.Dir)
	}
	if len(names) == 0 {
		return finding{"kernelspec", false, false, "none is installed", "run gondola install"}
	}
	return finding{"kernelspec", true, false, strings.Join(names, ", "), ""}
}

func findLoopback() finding {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return finding{"ports", false, true, err.Error(), "allow listening on 127.0.0.1, or use ipc in the connection file"}
	}
	defer l.Close()
	return finding{"ports", true, true, "a port of 127.0.0.1 can be opened", ""}
}

func findFolder() finding {
	f, err := os.CreateTemp("", "gondola-*")
	if err != nil {
		return finding{"folders", false, true, err.Error(), "set TMPDIR to a folder that can be written"}
	}
	f.Close()
	os.Remove(f.Name())
	return finding{"folders", true, true, os.TempDir() + " can be written", ""}
}

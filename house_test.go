package gondola_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gondola-lab/gondola/"

// policy says who may import whom: "a < b" means that b may import a. Do not
// edit it to make a build pass: a new arrow is a decision and wants a page in
// docs/adr.
const policy = `
# leaves: the standard library
NONE                                                            < kernel/wire, kernel/cell, kernel/pack, kernel/display, kernel/comm, kernel/install
NONE                                                            < cuda, cuda/cudatest, internal/spatial, internal/vec, internal/stop, internal/ratio
NONE                                                            < kernel/cellapi, kernel/kerneltest, notebooks, notebooks/expect
NONE                                                            < internal/gen/fuzzgo, internal/gotests
NPYIO                                                           < cloud
# kernel
kernel/wire, ZMQ                                                < kernel/transport
kernel/display, kernel/comm                                     < kernel/engine
kernel/wire, kernel/cell, kernel/engine, kernel/display, kernel/comm    < kernel/server
kernel/cell, kernel/pack, XTOOLS                                < kernel/front
kernel/front                                                    < kernel/lower
kernel/lower, kernel/pack, kernel/cellapi, YAEGI                < kernel/yaegi
kernel/front, kernel/cellapi                                    < kernel/native
kernel/cell, kernel/pack, kernel/front, kernel/lower, kernel/cellapi    < kernel/session
kernel/yaegi, kernel/native, kernel/engine, kernel/display, kernel/comm, internal/stop    < kernel/session
kernel/engine, kernel/display, kernel/comm                      < kernel/worker
kernel/engine, kernel/display                                   < kernel/notebook, kernel/engine/enginetest
# losses
cloud                                                           < apmlgpu/internal/backend
cloud, apmlgpu/internal/backend, internal/spatial, internal/vec, internal/stop    < apmlgpu/internal/cpu
cloud, apmlgpu/internal/backend, cuda, internal/spatial, internal/stop  < apmlgpu/internal/gpu
cloud, apmlgpu/internal/backend, apmlgpu/internal/cpu, apmlgpu/internal/gpu, internal/stop    < apmlgpu
cloud, apmlgpu, internal/ratio                                  < apmlgpu/losstest
cloud, apmlgpu, GONUM, internal/stop                            < apmlgpu/flow
cloud, PLOT, GONUM, FONTS, XIMAGE                               < plots
# the two halves meet
cloud, apmlgpu, plots, kernel/display, kernel/pack, notebooks/expect    < internal/packs/gondola
apmlgpu/flow                                                    < internal/packs/gondola
kernel/pack, GONUM, PLOT, NPYIO                                 < internal/packs/gonum
kernel/pack                                                     < internal/packs/std
ANY                                                             < cmd/gondola, internal/gen/packs
`

// modules are the modules that the house builds on, by the word that stands
// for each in the policy. A new one wants a page in docs/adr.
var modules = map[string]string{
	"ZMQ": "github.com/pebbe/zmq4", "YAEGI": "github.com/traefik/yaegi", "XTOOLS": "golang.org/x/tools",
	"GONUM": "gonum.org/v1/gonum", "PLOT": "gonum.org/v1/plot", "FONTS": "codeberg.org/go-fonts/dejavu",
	"XIMAGE": "golang.org/x/image", "NPYIO": "codeberg.org/sbinet/npyio",
	"LINER": "github.com/peterh/liner",
}

// testOnly are modules and folders that tests may use beyond the policy. The
// std pack holds nothing but the standard library's symbols: without it no
// cell of a test could name fmt.
var testOnly = []string{"go.uber.org/goleak", "XTOOLS", "GONUM", "internal/ratio", "internal/packs/std"}

// testArrows are packages of the house that the tests of one package may use
// beyond the policy: goldens of the lowering begin as checked cells, and the
// fuzz runs generated programs through the line, whole and cut into cells.
var testArrows = map[string][]string{
	"kernel/lower": {"kernel/pack"}, "kernel/native": {"kernel/pack"},
	"kernel/yaegi": {"kernel/cell", "kernel/front", "internal/gen/fuzzgo"},
}

// never lists arrows that no line of the policy may ever allow.
var never = []struct{ who, what, why string }{
	{"kernel/", "apmlgpu", "a kernel that needs a loss cannot serve another library"},
	{"kernel/", "cloud", "a kernel that needs a loss cannot serve another library"},
	{"kernel/", "plots", "a value shows itself: it has a method MIMEBundle"},
	{"apmlgpu", "kernel/", "a loss must work in a program that has no notebook"},
	{"cloud", "kernel/", "a cloud must work in a program that has no notebook"},
	{"plots", "kernel/", "a picture must work in a program that has no notebook"},
	{"apmlgpu/internal/cpu", "apmlgpu/internal/gpu", "neither is the other's second choice: backend.go chooses"},
	{"apmlgpu/internal/gpu", "apmlgpu/internal/cpu", "neither is the other's second choice: backend.go chooses"},
	{"plots", "cuda", "a picture can be drawn with no device"},
	{"cloud", "cuda", "a cloud is read with no device"},
	{"kernel/", "cuda", "a driver can hang: only what computes losses opens it"},
	{"plots", "apmlgpu", "a picture can be drawn of five numbers, with no loss built"},
	{"cloud", "apmlgpu", "a cloud is read with no loss built"},
	{"kernel/server", "kernel/session", "the server is tested with a fake engine"},
	{"kernel/server", "kernel/worker", "the server is tested with a fake engine"},
	{"kernel/server", "ZMQ", "the server is tested with a slice of messages"},
	{"kernel/worker", "kernel/session", "main gives it the engine, so the line is tested with a fake"},
	{"kernel/wire", "net", "bytes in, bytes out, repeatable"},
	{"kernel/wire", "os", "bytes in, bytes out, repeatable"},
	{"kernel/wire", "time", "the clock is handed in"},
	{"kernel/front", "os/exec", "the front decides and runs nothing"},
	{"kernel/front", "YAEGI", "the front decides and runs nothing"},
	{"kernel/lower", "os/exec", "the lowering decides and runs nothing"},
	{"kernel/lower", "YAEGI", "the lowering decides and runs nothing"},
	{"apmlgpu/losstest", "apmlgpu/internal", "it judges, so it does not know the accused"},
	{"kernel/kerneltest", "kernel/wire", "it judges, so it does not know the accused"},
	{"kernel/kerneltest", "kernel/transport", "it judges, so it does not know the accused"},
}

type goPackage struct {
	ImportPath, Dir                    string
	GoFiles, CgoFiles                  []string
	Imports, TestImports, XTestImports []string
}

func TestImports(t *testing.T) {
	for _, f := range importFaults(list(t), parsePolicy(policy)) {
		t.Error(f)
	}
}

// importFaults compares what packages import with what the policy allows, in
// both directions.
func importFaults(all []goPackage, may map[string][]string) (faults []string) {
	seen := map[string]bool{}
	for _, p := range all {
		name := short(p.ImportPath)
		seen[name] = true
		if name == "" {
			continue // this folder: the map of the house
		}
		if _, ok := may[name]; !ok {
			faults = append(faults, name+" has no line in the policy")
		}
		used := map[string]bool{}
		for _, imp := range p.Imports {
			used[word(imp)] = true
			faults = append(faults, arrowFault(name, imp, may[name])...)
		}
		for _, from := range may[name] {
			if from != "NONE" && from != "ANY" && !used[from] {
				faults = append(faults, fmt.Sprintf("%s may import %s and does not: take the arrow out", name, from))
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			w := word(imp)
			if w == name || strings.HasSuffix(w, "test") || slices.Contains(testOnly, w) ||
				slices.Contains(testArrows[name], w) ||
				strings.HasPrefix(name, "notebooks") && w == "kernel/notebook" {
				continue
			}
			faults = append(faults, arrowFault(name, imp, may[name])...)
		}
	}
	for name := range may {
		if !seen[name] {
			faults = append(faults, fmt.Sprintf("the policy names %s, which does not exist", name))
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// arrowFault tells what is wrong with one import: a "never", or an arrow that
// no line of the policy has.
func arrowFault(from, imp string, may []string) (faults []string) {
	to := word(imp)
	for _, n := range never {
		if strings.HasPrefix(from+"/", strings.TrimSuffix(n.who, "/")+"/") &&
			(to == n.what || strings.HasPrefix(to, n.what+"/")) {
			faults = append(faults, fmt.Sprintf("%s must never import %s: %s", from, to, n.why))
		}
	}
	first, _, _ := strings.Cut(imp, "/")
	if imp == "C" || !strings.Contains(first, ".") || slices.Contains(may, "ANY") {
		return faults // the standard library, or a place where all meet
	}
	if !slices.Contains(may, to) {
		faults = append(faults, fmt.Sprintf("%s must not import %s", from, to))
	}
	return faults
}

// parsePolicy returns, for each package, what it may import.
func parsePolicy(text string) map[string][]string {
	may := map[string][]string{}
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(strings.TrimSpace(line), "<")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for to := range strings.SplitSeq(right, ",") {
			for from := range strings.SplitSeq(left, ",") {
				may[strings.TrimSpace(to)] = append(may[strings.TrimSpace(to)], strings.TrimSpace(from))
			}
		}
	}
	return may
}

// list asks the go command for every package of the module.
func list(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// short is the path below the module, or the whole path of another module.
func short(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path+"/", module), "/")
}

// word is how the policy names an import: the path below the module, or the
// word of the module it belongs to.
func word(path string) string {
	for w, m := range modules {
		if path == m || strings.HasPrefix(path, m+"/") {
			return w
		}
	}
	for _, m := range testOnly {
		if strings.HasPrefix(path, m+"/") {
			return m
		}
	}
	return short(path)
}

// TestImportFaults injects one fault each and wants it named.
func TestImportFaults(t *testing.T) {
	may := parsePolicy("NONE < kernel/wire, cloud\ncloud < apmlgpu")
	base := []goPackage{{ImportPath: module + "kernel/wire"}, {ImportPath: module + "cloud"},
		{ImportPath: module + "apmlgpu", Imports: []string{module + "cloud"}}}
	if got := importFaults(base, may); len(got) != 0 {
		t.Fatalf("a right tree: %v", got)
	}
	for _, tt := range []struct {
		name string
		add  goPackage
		want string
	}{
		{"no line", goPackage{ImportPath: module + "extra"}, "extra has no line"},
		{"no arrow", goPackage{ImportPath: module + "cloud", Imports: []string{"gonum.org/v1/gonum/mat"}}, "cloud must not import GONUM"},
		{"unknown module", goPackage{ImportPath: module + "cloud", Imports: []string{"example.org/x"}}, "must not import example.org/x"},
		{"never", goPackage{ImportPath: module + "kernel/wire", Imports: []string{module + "apmlgpu"}}, "must never import apmlgpu: a kernel"},
		{"never std", goPackage{ImportPath: module + "kernel/wire", Imports: []string{"time"}}, "must never import time: the clock"},
		{"in a test", goPackage{ImportPath: module + "cloud", TestImports: []string{module + "apmlgpu"}}, "cloud must not import apmlgpu"},
	} {
		got := strings.Join(importFaults(append(slices.Clone(base), tt.add), may), "\n")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: faults %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := importFaults(base[:2], may); !slices.Contains(got, "the policy names apmlgpu, which does not exist") {
		t.Errorf("a line without a package: %v", got)
	}
	unused := []goPackage{base[0], base[1], {ImportPath: module + "apmlgpu"}}
	if got := importFaults(unused, may); !slices.Contains(got, "apmlgpu may import cloud and does not: take the arrow out") {
		t.Errorf("an arrow nobody uses: %v", got)
	}
}

package kerneltest

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutants = flag.Bool("mutants", false, "put six faults into the protocol and want the tests to fail: minutes")

// mutant is a fault of the protocol, which a test of its package must catch.
type mutant struct {
	name string
	file string   // below kernel
	swap []string // old, new, old, new …: each old is there exactly once
	run  string   // the tests that must see it, as a pattern of -run
}

// protocolMutants are the six faults that a kernel can have for years without
// anybody saying what is wrong: notebooks that hang, or mix up their outputs.
var protocolMutants = []mutant{
	{"idle before the reply", "server/server.go", []string{"defer s.idle(it)", "s.idle(it)"}, "TestTranscripts"},
	{"mark on one pipe only", "worker/outlet.go",
		[]string{"for _, fd := range o.texts {\n\t\tif err := writeAll(fd, m)", "for _, fd := range o.texts[:1] {\n\t\tif err := writeAll(fd, m)"},
		"TestOrder"},
	{"signature unchecked", "wire/frames.go", []string{"if !hmac.Equal(signature, s.sign(parts)) {", "if !hmac.Equal(s.sign(parts), s.sign(parts)) {"},
		"TestDecode"},
	{"parent header encoded anew", "wire/message.go",
		[]string{"raw = parent.RawHeader", "raw, _ = Marshal(parent.Header)"}, "TestEncode|TestFront"},
	{"second subscription hidden", "transport/sockets.go", []string{"soc.SetXpubVerbose(1)", "soc.SetXpubVerbose(0)"},
		"TestWelcome"},
	{"cells that are sent later aborted", "server/queue.go", []string{
		"busy  bool ", "late  string\n\tbusy  bool ",
		"b.items = append(b.items, it)", "b.items = append(b.items, it)\n\tit.aborted = b.late",
		"defer b.mu.Unlock()\n\tfor _, it := range b.items {", "defer b.mu.Unlock()\n\tb.late = why\n\tfor _, it := range b.items {",
	}, "TestAbortQueued"},
}

// Every mutant must make the tests of its package fail.
func TestMutants(t *testing.T) {
	if !*mutants {
		t.Skip("takes minutes: run by -mutants, or make mutants")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range protocolMutants {
		t.Run(m.name, func(t *testing.T) { caught(t, root, m) })
	}
}

// A mutant whose place in the code has moved is seen by the short tests too.
func TestMutantsFit(t *testing.T) {
	for _, m := range protocolMutants {
		mutated(t, "..", m)
	}
}

// mutated is the text of the file with the fault in it.
func mutated(t *testing.T, root string, m mutant) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for i := 0; i < len(m.swap); i += 2 {
		if n := strings.Count(text, m.swap[i]); n != 1 {
			t.Fatalf("%s: %s has %d times %q: the mutant must follow the code", m.name, m.file, n, m.swap[i])
		}
		text = strings.Replace(text, m.swap[i], m.swap[i+1], 1)
	}
	return text
}

// caught runs the tests over the mutant, which lies over the real file without
// touching it.
func caught(t *testing.T, root string, m mutant) {
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	original := filepath.Join(root, filepath.FromSlash(m.file))
	layers, err := json.Marshal(map[string]map[string]string{"Replace": {original: file}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{file: mutated(t, root, m), overlay: string(layers)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "test", "-p", "1", "-overlay", overlay, "-count", "1", "-failfast", "-vet", "off",
		"-timeout", "40s", "-run", "^("+m.run+")$", "./"+filepath.Dir(m.file))
	c.Dir = root
	out, err := c.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("%s does not see it", m.run)
	case !strings.Contains(string(out), "--- FAIL: ") && !strings.Contains(string(out), "panic: test timed out"):
		t.Errorf("the mutant does not run:\n%s", out)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNotebookForm(t *testing.T) {
	dir := t.TempDir()
	name := book(t, dir, "x := 1", "x")
	loose, _ := os.ReadFile(name)
	code, out, errs := dispatched("nb", "fmt", "--check", name)
	if code != exitFailed || out != name+"\n" || errs != "" {
		t.Errorf("--check: code %d, %q, %q", code, out, errs)
	}
	if same, _ := os.ReadFile(name); string(same) != string(loose) {
		t.Error("--check has written")
	}
	if code, out, errs = dispatched("nb", "fmt", name); code != exitOK || out != name+"\n" || errs != "" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	formed, _ := os.ReadFile(name)
	if !strings.HasPrefix(string(formed), "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n") {
		t.Errorf("formed:\n%s", formed)
	}
	if code, out, _ = dispatched("nb", "fmt", "--check", name); code != exitOK || out != "" {
		t.Errorf("again: code %d, %q", code, out)
	}
	var piped strings.Builder
	if code := dispatch([]string{"nb", "fmt", "-"}, strings.NewReader(string(loose)), &piped, &piped); code != exitOK ||
		piped.String() != string(formed) {
		t.Errorf("a pipe: code %d\n%s", code, piped.String())
	}
	bad := filepath.Join(dir, "bad.ipynb")
	os.WriteFile(bad, []byte("{"), 0o600)
	for _, tt := range []struct{ args, says string }{
		{"nb", "no verb; there is fmt"}, {"nb dance", `"dance" is no verb`}, {"nb fmt", "no file"},
		{"nb fmt " + bad, "bad.ipynb: not a notebook: the JSON ends early"},
		{"nb fmt nowhere.ipynb", "nowhere.ipynb"},
	} {
		if code, out, errs := dispatched(strings.Fields(tt.args)...); code != exitUsage || out != "" ||
			!strings.Contains(errs, tt.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: code %d, %q, %q", tt.args, code, out, errs)
		}
	}
	if kept, _ := os.ReadFile(bad); string(kept) != "{" {
		t.Error("a file that is no notebook is written to")
	}
}

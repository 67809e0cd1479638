package notebooks

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const maxBook, maxPicture = 1 << 20, 150 << 10 // bytes

// binary builds gondola once for all tests of the package.
func binary(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "gondola")
	if b, err := exec.Command("go", "build", "-o", out, "../cmd/gondola").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, b)
	}
	return out
}

// TestNotebooks runs each notebook and compares every output with the
// committed one.
func TestNotebooks(t *testing.T) {
	if testing.Short() {
		t.Skip("the notebooks take minutes: left out with -short")
	}
	gondola := binary(t)
	books, err := filepath.Glob("[0-9]*.ipynb")
	if err != nil || len(books) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range books {
		t.Run(path, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.ipynb")
			if b, err := exec.Command(gondola, "run", "--skip", "slow,gpu", "-o", out, path).CombinedOutput(); err != nil {
				t.Fatalf("gondola run: %v\n%s", err, b)
			}
			want, err := readBook(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readBook(out)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range judge(want, got) {
				t.Error(f)
			}
		})
	}
}

// TestCommitted holds every committed notebook to the rules of the course.
func TestCommitted(t *testing.T) {
	books, err := filepath.Glob("[0-9]*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range books {
		b, err := readBook(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if fi, err := os.Stat(path); err != nil || fi.Size() > maxBook {
			t.Errorf("%s is over 1 MB: %v", path, err)
		}
		ids := map[string]bool{}
		for _, c := range b.Cells {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("%s: cell id %q is missing or used twice", path, c.ID)
			}
			ids[c.ID] = true
			for _, o := range c.Outputs {
				if p := o.Data["image/png"]; len(p) > maxPicture*4/3 {
					t.Errorf("%s: cell %s has a picture of over 150 kB", path, c.ID)
				}
				if o.Data["text/javascript"] != nil || o.Data["text/plain"] == nil && o.Data != nil {
					t.Errorf("%s: cell %s: an output with script or without text", path, c.ID)
				}
			}
		}
	}
}

// TestMutants changes a committed notebook in one place each; the judge must
// name the cell.
func TestMutants(t *testing.T) {
	mutate := func(change func(c map[string]any)) []string {
		b, err := os.ReadFile("08-scaling.ipynb")
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		for _, c := range doc["cells"].([]any) {
			change(c.(map[string]any))
		}
		changed, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var got, want book
		if err := json.NewDecoder(bytes.NewReader(changed)).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(bytes.NewReader(b)).Decode(&want); err != nil {
			t.Fatal(err)
		}
		return judge(want, got)
	}
	if f := mutate(func(map[string]any) {}); len(f) != 0 {
		t.Fatalf("an unchanged notebook: %v", f)
	}
	hasTag := func(c map[string]any, tag string) bool {
		b, _ := json.Marshal(c["metadata"]) // what came from JSON goes back
		return strings.Contains(string(b), `"`+tag+`"`)
	}
	number := mutate(func(c map[string]any) {
		if hasTag(c, "check") {
			b, _ := json.Marshal(c["outputs"])
			var out any
			if err := json.Unmarshal([]byte(strings.Replace(string(b), "inside", "outside", 1)), &out); err != nil {
				t.Fatal(err)
			}
			c["outputs"] = out
		}
	})
	picture := mutate(func(c map[string]any) {
		outputs, _ := c["outputs"].([]any) // Markdown has none
		for _, o := range outputs {
			if d, ok := o.(map[string]any)["data"].(map[string]any); ok {
				delete(d, "image/png")
			}
		}
	})
	silent := mutate(func(c map[string]any) {
		if c["cell_type"] == "code" {
			c["outputs"] = []any{}
		}
	})
	for name, faults := range map[string][]string{"number": number, "picture": picture, "silent": silent} {
		if len(faults) == 0 || !strings.HasPrefix(faults[0], "cell ") {
			t.Errorf("%s: the judge says %v", name, faults)
		}
	}
}

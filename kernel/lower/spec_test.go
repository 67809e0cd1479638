package lower

import (
	"go/build"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// aside are headings of the specification that name no construct.
var aside = []string{"Introduction", "Notation", "Appendix", "Language versions", "Type unification rules"}

// Each heading of the specification has a row with cases, and each case is there.
func TestSpecification(t *testing.T) {
	have := map[string]bool{}
	for _, p := range programs(t) {
		have[p.name] = true
	}
	text, err := os.ReadFile("testdata/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	root := build.Default.GOROOT
	_, err = os.Stat(filepath.Join(root, "test"))
	own := err == nil
	headings := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| heading") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if headings[cells[0]] {
			t.Errorf("%s is there twice", cells[0])
		}
		headings[cells[0]] = true
		if name, ok := strings.CutPrefix(cells[1], "session "); ok {
			hasTest(t, "../session/", name)
		} else if cells[1] != "–" && !have[cells[1]] {
			t.Errorf("%s: no case %q", cells[0], cells[1])
		}
		file, ok := strings.CutPrefix(cells[2], "go ")
		if _, err := os.Stat(filepath.Join(root, "test", file)); !ok || own && err != nil {
			t.Errorf("%s: no case %q", cells[0], cells[2])
		}
	}
	if !own {
		t.Log("the toolchain comes without its tests: their names are not looked for")
	}
	spec, err := os.ReadFile(filepath.Join(root, "doc", "go_spec.html"))
	if err != nil {
		t.Logf("the toolchain comes without the specification: %v", err)
		return
	}
	heading := regexp.MustCompile(`(?s)<h[234][^>]*>(.*?)</h[234]>`)
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, m := range heading.FindAllStringSubmatch(string(spec), -1) {
		name := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(m[1], ""))), " ")
		if !headings[name] && !slices.Contains(aside, name) && !strings.HasPrefix(name, "Go 1.") {
			t.Errorf("no row for %q", name)
		}
		delete(headings, name)
	}
	for name := range headings {
		t.Errorf("the specification has no heading %q", name)
	}
}

package yaegi

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOrder runs statements in which a call changes the operands around it, by
// the Go compiler and as cells: the same output, or a refusal. Go leaves the
// order open; programs see what the compiler does.
func TestOrder(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go in PATH to compare with")
	}
	text, err := os.ReadFile("testdata/order.txt")
	if err != nil {
		t.Fatal(err)
	}
	decls, list, _ := strings.Cut(string(text), "----\n")
	statements := strings.Split(strings.TrimSpace(list), "\n")
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"image\"\n\t\"strings\"\n\t\"time\"\n)\n\n" +
		"var _ time.Time\n" + decls)
	for i, s := range statements {
		fmt.Fprintf(&b, "func s%d() {\n\treset()\n\t%s\n\tshow(%d)\n}\n", i, s, i)
	}
	b.WriteString("func run(f func()) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n" +
		"\t\t\tfmt.Println(\"PANIC\", r)\n\t\t}\n\t}()\n\tf()\n}\n")
	b.WriteString("func main() {\n")
	for i := range statements {
		fmt.Fprintf(&b, "\tfmt.Printf(\"\\x00%d\\n\")\n\trun(s%d)\n", i, i)
	}
	b.WriteString("}\n")
	want := compiled(t, goTool, b.String(), "-gcflags=")
	refused := 0
	for i, s := range statements {
		call := fmt.Sprintf("func s() {\n\treset()\n\t%s\n\tshow(%d)\n}\ns()\n", s, i)
		o := newBook().run("import \"image\"\n" + decls + call)
		switch {
		case len(o.refused) > 0:
			refused++
		case o.fault != nil && strings.HasPrefix(want[i], "PANIC"):
		case o.err != nil || o.fault != nil || o.stdout != want[i]:
			t.Errorf("%s: got %s, want %s", s, o, want[i])
		}
	}
	t.Logf("%d statements, %d refused", len(statements), refused)
	if refused > len(statements)/2 {
		t.Errorf("%d of %d statements were refused", refused, len(statements))
	}
}

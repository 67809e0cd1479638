package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
)

// A program of cells can call every loss, single and in a batch, with its options
// and read what it found.
func TestLossesInCells(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/gondola-lab/gondola/apmlgpu\"\n" +
		"\t\"github.com/gondola-lab/gondola/cloud\"\n)\n\nfunc main() {\n\tx, y := cloud.Fibonacci(30), cloud.Turned(40)\n" +
		"\txs, err := cloud.Join(x, y)\n\tfmt.Println(err)\n\tys, err := cloud.Join(y, y)\n\tfmt.Println(err)\n")
	count := 0
	for _, l := range apmlgpu.Losses() {
		options := fmt.Sprintf("apmlgpu.%T{Threads: 1}", l.Options())
		options = strings.Replace(options, "*apmlgpu.", "", 1)
		if l.Needs != nil {
			options = strings.Replace(options, "}", ", Radius: 0.3}", 1)
		}
		if l.Function == "ChamferL1" {
			options = strings.Replace(options, "}", ", WeightX: 2}", 1)
		}
		fmt.Fprintf(&text, "\t{\n\t\tr, err := apmlgpu.%s(x, y, %s)\n\t\tb, late := apmlgpu.%sBatch(xs, ys, %s)\n"+
			"\t\tfmt.Println(%q, err, late, r.Value == b.Values[0], r.Stats.N, len(r.GradX))\n\t}\n",
			l.Function, options, l.Function, options, l.Name)
		count++
	}
	text.WriteString("\ts, err := apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Directions: [][]float64{{0, 0, 1}}, Max: true})\n" +
		"\tfmt.Println(s.Stats.Direction, err)\n\tm, err := apmlgpu.Density(x, y, apmlgpu.DensityOptions{})\n" +
		"\tfmt.Println(m.Stats.Metrics.Hits[0].Hits, err)\n}\n")
	name := filepath.Join(t.TempDir(), "losses.go")
	if err := os.WriteFile(name, []byte(text.String()), 0o640); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, "", name)
	if code != exitOK {
		t.Fatalf("exit %d: %s\n%s\n%s", code, out, errs, text.String())
	}
	if got := strings.Count(out, "<nil> <nil> true 30 "); got != count {
		t.Errorf("%d of %d losses answered as they should: %s", got, count, out)
	}
	if !strings.Contains(out, "[0 0 1] <nil>\n0 <nil>\n") {
		t.Errorf("the last two answers are missing: %s", out)
	}
}

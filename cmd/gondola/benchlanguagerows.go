package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/yaegi"
)

const (
	languageRounds = 5      // times of each, in turn
	languageCells  = 10_000 // of the row of many cells
)

// smallCells compares a small cell, interpreted, with the same cell compiled,
// and its compilation with what the go command takes.
func (b *languageBench) smallCells() ([]languageRow, error) {
	var cold, warm, plain, build []float64
	for range languageRounds {
		small := func(k int) string {
			return fmt.Sprintf("y := math.Sqrt(x+%d) + float64(len(strings.ToUpper(\"abc\")))\nfmt.Sprint(y)", b.nonce+int64(k))
		}
		b.nonce += 100
		asks := codes("x := 2.5", "%%native\nw := math.Pi", "%%native\n"+small(0))
		for k := range 20 {
			asks = append(asks, cellAsk{Code: small(k + 1)})
		}
		for _, times := range []*[]float64{&cold, &warm} { // the second process finds what the first has built
			t, err := timeCells(b.ctx, asks)
			if err != nil {
				return nil, err
			}
			if t[2].Engine != "native" || t[3].Engine != "interpreted" {
				return nil, fmt.Errorf("the cells ran %s and %s, want native and interpreted", t[2].Engine, t[3].Engine)
			}
			*times = append(*times, t[2].Seconds)
			for _, c := range t[3:] {
				plain = append(plain, c.Seconds)
			}
		}
		s, err := b.goBuild(fmt.Sprintf("package main\n\nimport (\n\"fmt\"\n\"math\"\n\"strings\"\n)\n\nvar x = 2.5\n\n"+
			"func main() {\n\ty := math.Sqrt(x+%d) + float64(len(strings.ToUpper(\"abc\")))\n\tfmt.Println(y)\n}\n", b.fresh()))
		if err != nil {
			return nil, err
		}
		build = append(build, s)
	}
	b.native = middle(cold)
	small := middle(plain)
	return []languageRow{
		least("small cell: native, nothing cached, over interpreted", 1e3*b.native, 1e3*small, "ms", 100),
		least("small cell: native, from the cache, over interpreted", 1e3*middle(warm), 1e3*small, "ms", 5),
		most("native cell to its result over go build of its program", 1e3*b.native, 1e3*middle(build), "ms", 0.7),
	}, nil
}

// goBuild is the time in which the go command makes a plugin of a program.
func (b *languageBench) goBuild(text string) (seconds float64, err error) {
	dir, err := os.MkdirTemp("", "gondola-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	begun := time.Now()
	if _, err := b.goTool(dir, text, "build", "-buildmode=plugin", "-o", "cell.so", "cell.go"); err != nil {
		return 0, err
	}
	return time.Since(begun).Seconds(), nil
}

// goTool writes a program into a folder and calls the go command there.
func (b *languageBench) goTool(dir, text string, args ...string) (string, error) {
	if err := os.WriteFile(filepath.Join(dir, "cell.go"), []byte(text), 0o600); err != nil {
		return "", err
	}
	name, env := b.tools.Go()
	c := exec.CommandContext(b.ctx, name, args...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return string(out), nil
}

var checked = regexp.MustCompile(`check ([0-9.]+) (ns|µs|ms|s)`)

// names measures the check and the completion over a session of 600 names.
func (b *languageBench) names() ([]languageRow, error) {
	var asks []cellAsk
	for i := range 60 {
		var left, right []string
		for k := range 10 {
			left = append(left, fmt.Sprintf("value%d", 10*i+k))
			right = append(right, strconv.Itoa(k))
		}
		asks = append(asks, cellAsk{Code: "var " + strings.Join(left, ", ") + " = " + strings.Join(right, ", ")})
	}
	const turns = 200
	for k := range turns {
		var body strings.Builder
		fmt.Fprintf(&body, "%%%%time\nfunc f%d(n int) int {\n\ts := 0\n", k)
		for line := range 26 {
			fmt.Fprintf(&body, "\ts += value%d*n + %d\n", (k+23*line)%600, line)
		}
		body.WriteString("\treturn s\n}\n")
		asks = append(asks, cellAsk{Code: body.String()}, cellAsk{Code: "valu", Complete: true})
	}
	times, err := timeCells(b.ctx, asks)
	if err != nil {
		return nil, err
	}
	var checks, completes []float64
	for i, t := range times[60:] {
		if i%2 == 1 {
			completes = append(completes, t.Seconds)
			continue
		}
		m := checked.FindStringSubmatch(t.Said)
		if m == nil {
			return nil, fmt.Errorf("%%%%time said %q", t.Said)
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, err
		}
		checks = append(checks, v*map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[m[2]])
	}
	b.check = middle(checks)
	slices.Sort(completes)
	p99 := completes[len(completes)*99/100]
	return []languageRow{
		most("check of a 30-line cell with 600 names over a native cell", 1e3*b.check, 1e3*b.native, "ms", 0.01),
		most("complete with 600 names, p99, over that check", 1e3*p99, 1e3*b.check, "ms", 5),
	}, nil
}

// loopText is a function and its own measure: the least time of 50 short runs,
// in nanoseconds, which other work on the machine disturbs least.
const loopText = `func work(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += i ^ (t >> 3)
	}
	return t
}

func measure() float64 {
	least, sum := 1e18, 0
	for k := 0; k < 50; k++ {
		begun := time.Now()
		sum += work(TURNS)
		if t := float64(time.Since(begun).Nanoseconds()); t < least {
			least = t
		}
	}
	return least + 0*float64(sum)
}
`

// loopTimes runs the loop in cells some times and keeps the least of all.
func (b *languageBench) loopTimes(first string, turns int, engine string, so *float64) error {
	t, err := timeCells(b.ctx, codes(first+looping(turns), "measure()", "measure()", "measure()"))
	if err != nil {
		return err
	}
	if t[0].Engine != engine {
		return fmt.Errorf("the loop ran %s, want %s", t[0].Engine, engine)
	}
	for _, m := range t[1:] {
		v, err := strconv.ParseFloat(m.Value, 64)
		if err != nil {
			return err
		}
		*so = min(*so, v)
	}
	return nil
}

// looping is the loop and its measure, of so many turns.
func looping(turns int) string { return strings.Replace(loopText, "TURNS", strconv.Itoa(turns), 1) }

// nativeLoops compares a loop in native cells with a program of the go command.
// The least time of each counts: it was disturbed least.
func (b *languageBench) nativeLoops() ([]languageRow, error) {
	const turns = 500_000
	dir, err := os.MkdirTemp("", "gondola-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text := "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\n" + looping(turns) +
		"\nfunc main() {\n\tfmt.Println(measure())\n\tfmt.Println(measure())\n\tfmt.Println(measure())\n}\n"
	if _, err := b.goTool(dir, text, "build", "-o", "program", "cell.go"); err != nil {
		return nil, err
	}
	plain, polled, free := math.Inf(1), math.Inf(1), math.Inf(1)
	for range languageRounds {
		out, err := exec.CommandContext(b.ctx, filepath.Join(dir, "program")).Output()
		if err != nil {
			return nil, err
		}
		for _, f := range strings.Fields(string(out)) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, err
			}
			plain = min(plain, v)
		}
		if err := b.loopTimes("%%native\n", turns, "native", &polled); err != nil {
			return nil, err
		}
		if err := b.loopTimes("%%native nopoll\n", turns, "native", &free); err != nil {
			return nil, err
		}
	}
	return []languageRow{
		most("native loop over the same in a program", polled/turns, plain/turns, "ns", 1.15),
		most("native loop without polls over the same in a program", free/turns, plain/turns, "ns", 1.02),
	}, nil
}

// interpretedLoops compares a loop in interpreted cells with the interpreter
// alone, and with a native cell.
func (b *languageBench) interpretedLoops() ([]languageRow, error) {
	text, _, _ := strings.Cut(loopText, "func measure")
	bare, err := yaegi.Bare("package main\n"+text, "main.work")
	if err != nil {
		return nil, err
	}
	work, ok := bare.Interface().(func(int) int)
	if !ok {
		return nil, fmt.Errorf("the interpreter made a %v", bare.Type())
	}
	const turns = 10_000
	alone, ours, compiled := math.Inf(1), math.Inf(1), math.Inf(1)
	for range languageRounds {
		for range 150 {
			begun := time.Now()
			work(turns)
			alone = min(alone, float64(time.Since(begun).Nanoseconds()))
		}
		if err := b.loopTimes("", turns, "interpreted", &ours); err != nil {
			return nil, err
		}
		if err := b.loopTimes("%%native\n", turns, "native", &compiled); err != nil {
			return nil, err
		}
	}
	return []languageRow{
		most("interpreted loop over the interpreter alone", ours/turns, alone/turns, "ns", 1.5),
		printed("interpreted loop over native", ours/turns, compiled/turns, "ns"),
	}, nil
}

// dependents changes the type that 20 functions use.
func (b *languageBench) dependents() ([]languageRow, error) {
	var again, one []float64
	for range languageRounds {
		var funcs strings.Builder
		for k := range 20 {
			fmt.Fprintf(&funcs, "func use%d(p pair) int { return p.a*%d + %d }\n", k, k, b.fresh())
		}
		t, err := timeCells(b.ctx, codes("%%native\nw := 1", "type pair struct{ a int }", funcs.String(),
			fmt.Sprintf("type single struct{ a [%d]int }", 1+b.fresh()%1000003),
			fmt.Sprintf("type pair struct{ a, b int; c [%d]int }", 1+b.fresh()%1000003), "use3(pair{a: 1}) > 0"))
		if err != nil {
			return nil, err
		}
		if t[5].Value != "true" {
			return nil, fmt.Errorf("a function of the new type answered %q", t[5].Value)
		}
		one, again = append(one, t[3].Seconds), append(again, t[4].Seconds)
	}
	return []languageRow{
		most("rebuild of 20 dependents over one native cell", 1e3*middle(again), 1e3*middle(one), "ms", 2),
	}, nil
}

// manyCells runs 10,000 interpreted cells: the heap stays, and so does the speed.
func (b *languageBench) manyCells() ([]languageRow, error) {
	asks := codes("total := 0.0")
	for k := range languageCells {
		asks = append(asks, cellAsk{
			Code: fmt.Sprintf("v := math.Sqrt(%d)\ntotal += v\nfmt.Sprint(total)", k),
			Heap: k == 99 || k == languageCells-1,
		})
	}
	t, err := timeCells(b.ctx, asks)
	if err != nil {
		return nil, err
	}
	seconds := func(from, to int) float64 {
		var v []float64
		for _, c := range t[from:to] {
			v = append(v, c.Seconds)
		}
		return middle(v)
	}
	return []languageRow{
		most("heap after 10,000 interpreted cells over after 100", float64(t[languageCells].Heap)/1e6, float64(t[100].Heap)/1e6, "MB", 1.1),
		most("the 10,000th interpreted cell over the 100th", 1e3*seconds(languageCells-100, languageCells), 1e3*seconds(50, 150), "ms", 1.2),
	}, nil
}

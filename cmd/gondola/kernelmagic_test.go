//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// startIn starts a kernel whose worker runs in a folder of the test.
func startIn(t *testing.T) (c *kerneltest.Client, dir string) {
	t.Helper()
	dir = t.TempDir()
	p := startKernel(t, "/bin/sh", "-c", `cd "$0" && exec "$@"`, dir)
	return connect(t, p.Conn), dir
}

// says runs a cell and compares what a reader sees with a pattern.
func says(t *testing.T, c *kerneltest.Client, code, pattern string) *kerneltest.Answer {
	t.Helper()
	a, err := c.Run(code, limit)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	if got := a.Shown(); !regexp.MustCompile(`(?s)^(?:` + pattern + `)$`).MatchString(got) {
		t.Errorf("%s: shows %q, want %s; %.500s", code, got, pattern, a.Reply.Content)
	}
	return a
}

// fails runs a cell that must fail with this name and these words.
func fails(t *testing.T, c *kerneltest.Client, code, name, words string) {
	t.Helper()
	a, err := c.Run(code, limit)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	if a.Reply.Get("ename") != name || !strings.Contains(string(a.Reply.Content), words) {
		t.Errorf("%s: %.1000s, want %s with %q", code, a.Reply.Content, name, words)
	}
}

func TestShellMagics(t *testing.T) {
	c, dir := startIn(t)
	shows(t, c, "fmt.Println(\"a\")\n!echo b; echo c\nfmt.Println(\"d\")", "a\nb\nc\nd\n")
	shows(t, c, "!exit 3", "!exit 3: exit status 3\n")
	shows(t, c, "!exit 3\nkept := 1", "!exit 3: exit status 3\n")
	shows(t, c, "%%bash\nfor i in 1 2; do echo $i; done", "1\n2\n")
	shows(t, c, "%%sh one two\necho $# $2", "2 two\n")
	fails(t, c, "%%bash\necho before\nexit 7", "ShellError", "%%bash: exit status 7")
	shows(t, c, "%pwd", dir+"\n")
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	shows(t, c, "%cd in", filepath.Join(dir, "in")+"\n")
	shows(t, c, "%cd -\n!pwd", dir+"\n"+dir+"\n")
	fails(t, c, "%cd nowhere", "MagicError", "no such file or directory")
	shows(t, c, "%env GREETING=hello there\n!echo $GREETING\nos.Getenv(\"GREETING\")", "hello there\n=[hello there]")
	// an interrupt ends the group of the command, and the cell
	id := send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: "kept = 2\n!echo in; sleep 1000 & sleep 1000"})
	if _, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool { return m.Get("text") == "in\n" }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit); err != nil {
		t.Fatal(err)
	}
	if a := finish(t, c, kerneltest.Shell, id); a.Reply.Get("ename") != "Interrupted" {
		t.Errorf("an interrupted command: %s", a.Reply.Content)
	}
	shows(t, c, "kept", "=[2]")
}

// What a command leaves behind ends with the worker.
func TestShellLeavesNothing(t *testing.T) {
	c, dir := startIn(t)
	shows(t, c, "!sleep 1000 & echo $! > pid", "")
	b, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	proc := filepath.Join("/proc", strings.TrimSpace(string(b)), "stat")
	alive := func() bool {
		b, err := os.ReadFile(proc)
		return err == nil && !strings.Contains(string(b), ") Z ")
	}
	if !alive() {
		t.Skip("no /proc to see the command in")
	}
	says(t, c, "%restart", "new worker.*")
	for end := time.Now().Add(limit); alive(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the command lives on")
		}
	}
}

func TestFileMagics(t *testing.T) {
	c, dir := startIn(t)
	shows(t, c, "%%writefile lib.go\npackage main\n\nfunc twice(n int) int {\n\treturn 2 * n\n}\n\nvar base = 20\n", "wrote 69 bytes to lib.go\n")
	shows(t, c, "%%writefile -a lib.go\n\nfunc broken(xs []int) int {\n\treturn xs[base]\n}", "added 48 bytes to lib.go\n")
	shows(t, c, "%run lib.go", "")
	shows(t, c, "twice(base) + 2", "=[42]")
	fails(t, c, "broken(nil)", "RuntimeError", "cell [3]:10 in broken\",\"    \\treturn xs[base]")
	shows(t, c, "a := 3\n%run lib.go\ntwice(a)", "=[6]")
	fails(t, c, "broken(nil)", "RuntimeError", "cell [6]:13 in broken\",\"    \\treturn xs[base]")
	if err := os.WriteFile(filepath.Join(dir, "bad.go"), []byte("x := 1\ny := nope\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, c, "%run bad.go", "CompileError", "bad.go:2:6: undefined: nope")
	fails(t, c, "a = 1\n%run bad.go", "CompileError", "bad.go:2:6: undefined: nope")
	fails(t, c, "%run lib.txt", "MagicError", "%run")
	fails(t, c, "%run none.go", "MagicError", "no such file")
	a := shows(t, c, "%load bad.go", "")
	if got := string(a.Reply.Content); !strings.Contains(got, `"source":"set_next_input"`) || !strings.Contains(got, `x := 1\ny := nope`) {
		t.Errorf("%%load: %s", got)
	}
	fails(t, c, "%load none", "MagicError", "no such file")
	fails(t, c, "%%writefile\na", "MagicError", "it needs a file")
	// a new worker has the declarations of the file
	says(t, c, "%restart", "new worker. Kept: 1 function.*base int.*")
	shows(t, c, "twice(4)", "=[8]")
}

func TestTextMagics(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	for code, mime := range map[string]string{
		"%%html\n<b>bold</b>": "text/html", "%%markdown\n# Title": "text/markdown", "%%latex\n$x^2$": "text/latex",
	} {
		a, err := c.Run(code, limit)
		if err != nil {
			t.Fatal(err)
		}
		shown := a.Of("display_data")
		_, want, _ := strings.Cut(code, "\n")
		var content struct{ Data map[string]string }
		if len(shown) != 1 || shown[0].Decode(&content) != nil || strings.TrimSpace(content.Data[mime]) != want {
			t.Errorf("%s shows %v", code, a.Shown())
		}
	}
}

func TestCapture(t *testing.T) {
	c, dir := startIn(t)
	shows(t, c, "%%capture got\nfmt.Println(\"out\")\n!echo shell; echo err >&2\ndisplay.Show(\"pic\")\nprintln(\"low\")\n1 + 1", "")
	shows(t, c, "fmt.Printf(\"%q %q %d %v\\n\", got.Stdout, got.Stderr, len(got.Outputs), got.Outputs[1].Data[\"text/plain\"])",
		"\"out\\nshell\\n\" \"err\\nlow\\n\" 2 2\n")
	shows(t, c, "_ = got.Show()", "[out\nshell\nerr\nlow\n][pic][2]")
	shows(t, c, "%%capture all\nfor i := 0; i < 200_000; i++ {\n\tfmt.Println(\"0123456789\")\n}", "")
	shows(t, c, "len(all.Stdout)", "=[2200000]")
	shows(t, c, "%%capture > out.txt\nfmt.Println(\"a\")\n!echo b >&2\n3", "")
	if b, err := os.ReadFile(filepath.Join(dir, "out.txt")); err != nil || string(b) != "a\nb\n3\n" {
		t.Errorf("the file has %q, %v", b, err)
	}
	fails(t, c, "%%capture part\nfmt.Println(\"before\")\npanic(\"x\")", "Panic", "x")
	shows(t, c, "part.Stdout", "=[before\n]")
	shows(t, c, "fmt.Println(\"seen\")", "seen\n")
	fails(t, c, "%%capture 3\n1", "MagicError", "NAME of a variable")
}

func TestLimitMagic(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	says(t, c, "%limit", `output=1\.0MB patience=10s memory=\S+ build=1m0s\n`)
	a := says(t, c, "%limit output=8k\nfor i := 0; i < 10_000; i++ {\n\tfmt.Println(\"0123456789\")\n}", ".*lines not shown; %%capture keeps all\n.*")
	if n := len(a.Shown()); n > 9000 {
		t.Errorf("%d bytes shown", n)
	}
	a = says(t, c, "%limit output=off\nfor i := 0; i < 200_000; i++ {\n\tfmt.Println(\"0123456789\")\n}", "[0-9\n]*")
	if n := len(a.Shown()); n != 2_200_000 {
		t.Errorf("%d bytes shown, want all", n)
	}
	says(t, c, "%limit patience=0 memory=800M build=90s\n%limit", `output=off patience=0 memory=838\.9MB build=1m30s\n`)
	fails(t, c, "%limit patience=soon", "MagicError", "it is a time")
	fails(t, c, "%limit memory=12", "MagicError", "it is a size of at least")
	fails(t, c, "%limit speed=1", "MagicError", "the keys are output, patience, memory and build")
	fails(t, c, "%limit output", "MagicError", "KEY=VALUE")
	// the new limit ends a worker, which names what it held; it holds for the next one too
	a, err := c.Run("var all [][]byte\nsmall := make([]byte, 1000)\nfor {\n\tb := make([]byte, 16<<20)\n\tfor i := 0; i < len(b); i += 4096 {\n\t\tb[i] = 1\n\t}\n"+
		"\tall = append(all, b)\n\ttime.Sleep(20 * time.Millisecond)\n}", 4*limit)
	if err != nil {
		t.Fatal(err)
	}
	got := string(a.Reply.Content)
	if a.Reply.Get("ename") != "WorkerLost" || !regexp.MustCompile(`OutOfMemory: .*838\.9 MB are allowed.*largest: all \[\]\[\]byte \d+\.\d MB, small \[\]byte 1\.0 kB`).MatchString(got) {
		t.Errorf("memory of 800M: %.3000s", got)
	}
	says(t, c, "%limit", `output=off patience=0 memory=838\.9MB build=1m30s\n`)
}

// Settings of cells hold in the next worker, however the last one ended.
func TestSettingsOutliveTheWorker(t *testing.T) {
	c, dir := startIn(t)
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "in")
	shows(t, c, "%engine interpret\n%autoimport off\n%cd in\n%env A=1", in+"\n")
	shows(t, c, "import \"sync\"\nimport \"github.com/gondola-lab/gondola/kernel/display\"\n_ = display.ShowID(\"p\", 1)\n_ = display.ShowID(display.NewID(), 2)", "[1][2]")
	fails(t, c, "var mu sync.Mutex\nmu.Unlock()", "WorkerLost", "unlock of unlocked mutex")
	shows(t, c, "%engine\n%autoimport\n%pwd\n%env A", "interpret\nautoimport is off\n"+in+"\n1\n")
	fails(t, c, "fmt.Println(1)", "CompileError", "undefined: fmt")
	a := shows(t, c, "_ = display.Update(\"p\", 3)\n_ = display.ShowID(display.NewID(), 4)", "[3][4]")
	if len(a.Of("update_display_data")) != 1 || !strings.Contains(string(a.Of("display_data")[0].Content), "display-2") {
		t.Errorf("display ids of the last worker are not known: %s", a.Of("display_data")[0].Content)
	}
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	says(t, c, "%restart", "new worker. Kept: .*not set again: chdir .*no such file or directory\n")
	shows(t, c, "%restart -f", "new worker. Kept: nothing. Lost: nothing\n")
	shows(t, c, "%engine\n%autoimport", "auto\nautoimport is on\n")
}

func TestHistoryMagic(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	shows(t, c, "x := 1", "")
	shows(t, c, "y := 2\nx + y", "=[3]")
	fails(t, c, "z := nope", "CompileError", "nope")
	shows(t, c, "%history", "[1] x := 1\n[2] y := 2\n    x + y\n[3] z := nope\n")
	shows(t, c, "%history -n 1", "[4] %history\n")
	fails(t, c, "%history -n x", "MagicError", "-n N")
}

func TestResetAsks(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	shows(t, c, "x := 1", "")
	fails(t, c, "%reset", "MagicError", "write %reset -f")
	for _, tt := range []struct{ answer, shown, then string }{{"n", "nothing is forgotten\n", "=[1]"}, {"y", "", "!CompileError"}} {
		id := asking(t, c, "%reset")
		if m := ask(t, c, id); m.Get("prompt") != "forget all 1 names (y/n)? " {
			t.Errorf("asked %s", m.Content)
		}
		answer(t, c, tt.answer)
		if a := finish(t, c, kerneltest.Shell, id); a.Shown() != tt.shown {
			t.Errorf("after %s: %q, want %q", tt.answer, a.Shown(), tt.shown)
		}
		shows(t, c, "x", tt.then)
	}
}

func TestVersionMagic(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	says(t, c, "%version", `gondola .*go1\..*packages built in\n.*gpu .*libzmq \d.*`)
	says(t, c, "%time fmt.Sprint(1)", `=\[1\]wall .*, CPU .*, interpreted, [\d ,]+ allocations of [\d ,]+ bytes; check .*`)
}

func TestProfileMagic(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	shows(t, c, "%engine native\nfunc work(n int) (s float64) {\n\tfor i := 0; i < n; i++ {\n\t\ts += math.Sin(float64(i))\n\t}\n\treturn s\n}", "")
	says(t, c, "%prun work(40_000_000)", `CPU .*own +share +with calls +function\n.*work.*`)
	fails(t, c, "%prun nope()", "CompileError", "undefined: nope")
	says(t, c, "%prun 1 + 1", "no samples in .*\n|CPU .*")
	says(t, c, "%seed 7\nrng.IntN(10) < 10", `rng := rand\.New\(rand\.NewPCG\(1, 7\)\)\n=\[true\]`)
	says(t, c, "%seed", `rng := rand\.New\(rand\.NewPCG\(1, \d+\)\)\n`)
	fails(t, c, "%seed x", "MagicError", "it takes a number")
}

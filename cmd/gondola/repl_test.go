package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// asMain makes the test binary the command itself.
const asMain = "GONDOLA_TEST_MAIN"

func init() {
	if os.Getenv(asMain) == "" {
		return
	}
	if status, done := worker.Main(newEngine); done {
		os.Exit(status)
	}
	os.Exit(dispatch(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// process is the command in a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	state := os.Getenv("GONDOLA_TEST_STATE")
	if state == "" {
		state = t.TempDir()
	}
	c.Env = append(os.Environ(), asMain+"=1", "XDG_STATE_HOME="+state, "TMPDIR="+t.TempDir(), "TERM=xterm")
	return c
}

// Input that is no terminal is run whole: no prompt, values shown, the first
// failure ends it, places are those of the text.
func TestReplInput(t *testing.T) {
	for _, tt := range []struct {
		name, text     string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"a value", "1+1", nil, 0, "2\n", ""},
		{"one cell", "x := 20\nfmt.Println(x)\nx + 1\n", nil, 0, "20\n21\n", ""},
		{"values between", "1 + 1\ny := 5\ny\ny * 2\n", nil, 0, "2\n5\n10\n", ""},
		{"functions in any order", "func f() int { return g() }\nfunc g() int { return 7 }\nf()\n", nil, 0, "7\n", ""},
		{"cells", "// %%\nx := 3\n// %% [markdown]\n// text\n// %%\nx * x\n", nil, 0, "9\n", ""},
		{"fails", "1\n\ny := z\n7\n", nil, 1, "1\n", "cell [2]:3:6: undefined: z"},
		{"page", "strings.Repeat?\n", nil, 0, "func Repeat(s string, count int) string", ""},
		{"magic", "%env GONDOLA_TEST_WORD=w\nos.Getenv(\"GONDOLA_TEST_WORD\")", nil, 0, "w\n", ""},
		{"a question", "_, err := display.Input(\"who?\")\nerr", nil, 0, "error: display.Input: this front end cannot ask for input\n",
			""},
		{"nothing", "", nil, 0, "", ""},
		{"open line", "fmt.Print(\"a\")", nil, 0, "a\n", ""},
		{"lost", "var mu sync.Mutex\nmu.Unlock()", nil, 5, "", "unlock of unlocked mutex"},
		{"policy", "", []string{"--engine", "fast"}, 2, "", "not one of auto, interpret, native"},
		{"memory", "", []string{"--mem-limit", "much"}, 2, "", "much"},
		{"argument", "", []string{"more"}, 2, "", `unexpected argument "more"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			c := process(t, append([]string{"repl"}, tt.args...)...)
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(tt.text), &out, &errs
			c.Run() // its status is looked at
			got := out.String()
			if tt.name == "page" {
				got = got[:min(len(got), len(tt.stdout))]
			}
			if code := c.ProcessState.ExitCode(); code != tt.code || got != tt.stdout ||
				!strings.Contains(errs.String(), tt.stderr) || tt.stderr == "" && errs.Len() > 0 {
				t.Errorf("code %d, want %d; stdout %q, want %q; stderr %q, want %q", code, tt.code, got, tt.stdout,
					errs.String(), tt.stderr)
			}
		})
	}
}

// terminal is a command at a terminal: keys go in, what the screen gets is kept.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   interface{ Write([]byte) (int, error) }
	mu   sync.Mutex
	text bytes.Buffer
	seen int
	more chan struct{}
}

func (c *terminal) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(b)
	select {
	case c.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

// atTerminal starts the command under script, which gives it a terminal.
func atTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	if out, err := exec.Command("script", "--version").Output(); err != nil || !strings.Contains(string(out), "util-linux") {
		t.Skipf("there is no script of util-linux here, which gives the prompt a terminal: %v", err)
	}
	c := process(t, args...)
	line := "stty cols 100; exec '" + c.Path + "' " + strings.Join(args, " ")
	env := c.Env
	c = exec.Command("script", "-qefc", line, os.DevNull)
	c.Env = env
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, cmd: c, in: in, more: make(chan struct{}, 1)}
	c.Stdout, c.Stderr = s, s
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	return s
}

// state is the folder of its history.
func (c *terminal) state() string {
	for _, e := range slices.Backward(c.cmd.Env) {
		if dir, ok := strings.CutPrefix(e, "XDG_STATE_HOME="); ok {
			return dir
		}
	}
	return ""
}

// after waits until the screen shows want behind what was seen before, then
// presses keys.
func (c *terminal) after(want, keys string) {
	c.t.Helper()
	late := time.After(time.Minute)
	for {
		c.mu.Lock()
		text := c.text.String()
		c.mu.Unlock()
		if i := strings.Index(text[c.seen:], want); i >= 0 {
			c.seen += i + len(want)
			if _, err := c.in.Write([]byte(keys)); err != nil {
				c.t.Fatal(err)
			}
			return
		}
		select {
		case <-c.more:
		case <-late:
			c.t.Fatalf("the screen does not show %q but %q", want, text[c.seen:])
		}
	}
}

// The prompt at a terminal: lines until a cell is complete, Tab, NAME?,
// history, Ctrl-C in a cell and at the prompt, Ctrl-D.
func TestReplTerminal(t *testing.T) {
	c := atTerminal(t, "repl")
	c.after("[1]> ", "1 + 41\r")
	c.after("42", "")
	c.after("[2]> ", "for i := range 2 {\r")
	c.after("...> ", "fmt.Println(\"row\", i)\r")
	c.after("...> ", "}\r")
	c.after("row 1", "")
	c.after("[3]> ", "strings.Repe\t")
	c.after("strings.Repeat", "(\"ab\", 2)\r")
	c.after("abab", "")
	c.after("[4]> ", "strings.Fields?\r")
	c.after("func Fields(s string) []string", "")
	c.after("[5]> ", "eps\r")
	c.after("undefined: eps", "")
	c.after("[6]> ", "x := 7\r")
	c.after("[7]> ", "fmt.Println(\"begun\"); for {}\r")
	c.after("begun\r\n", "\x03")
	c.after("Interrupted: stopped after", "")
	c.after("[8]> ", "x +")
	c.after("x +", "\x03") // drops the line
	c.after("^C", "")
	c.after("[8]> ", "x * 3\r")
	c.after("21", "")
	c.after("[9]> ", "\x1b[A\r") // the line before
	c.after("21", "")
	c.after("[10]> ", "name, _ := display.Input(\"who? \")\r")
	c.after("who? ", "gopher\r")
	c.after("[11]> ", "\"<\" + name + \">\"\r")
	c.after("<gopher>", "")
	c.after("[12]> ", "name, _ = display.Input(\"who now? \")\r")
	c.after("who now? ", "a")
	c.after("who now? a", "\x03")
	c.after("Interrupted", "")
	c.after("[13]> ", "exit\r")
	c.after("Ctrl-D ends the prompt", "")
	c.after("[14]> ", "\x04")
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("Ctrl-D: %v", err)
	}
	state := c.state()
	kept, err := os.ReadFile(filepath.Join(state, "gondola", "history.jsonl"))
	if err != nil || strings.Count(string(kept), "\n") != 13 || !strings.Contains(string(kept), `"in":"x := 7"`) {
		t.Errorf("the history of the kernels: %v\n%s", err, kept)
	}
	t.Setenv("GONDOLA_TEST_STATE", state)
	again := atTerminal(t, "repl")               // goes on from there
	again.after("[1]> ", "\x1b[A\x1b[A\x1b[A\r") // exit, the last question, <name>
	again.after("undefined: name", "")
	again.after("[2]> ", "\x04")
	if err := again.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A picture becomes a file whose path is printed; an update writes it anew.
func TestReplPicture(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, errs strings.Builder
	s := newShower(&out, &errs)
	s.cell(4)
	png := func(text string) display.Bundle {
		return display.Bundle{Data: map[string]any{"text/plain": "figure", "image/png": text}}
	}
	s.Display(engine.Display{Bundle: png("aGVsbG8="), ID: "p"})
	s.Display(engine.Display{Bundle: png("d29y\nbGQ="), ID: "p", Update: true})
	s.Result(display.Bundle{Data: map[string]any{"text/plain": "b", "image/svg+xml": "<svg/>"}})
	s.Display(engine.Display{Bundle: png("%%")})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || lines[0] != "figure" || lines[2] != "b" || lines[4] != "figure" {
		t.Fatalf("printed %q", lines)
	}
	for i, want := range map[int]string{1: "world", 3: "<svg/>"} {
		path, ok := strings.CutPrefix(lines[i], "picture: ")
		if data, err := os.ReadFile(path); !ok || err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v; want %q", lines[i], data, err, want)
		}
	}
	if !strings.Contains(errs.String(), "the picture cannot be read") {
		t.Errorf("a bad picture: %q", errs.String())
	}
}

// Terminals that can are given the picture itself.
func TestInlinePicture(t *testing.T) {
	env := func(list ...string) func(string) string {
		return func(name string) string {
			for _, e := range list {
				if v, ok := strings.CutPrefix(e, name+"="); ok {
					return v
				}
			}
			return ""
		}
	}
	var out strings.Builder
	inlinePicture(env("TERM_PROGRAM=WezTerm"))(&out, "QUJD")
	if out.String() != "\x1b]1337;File=inline=1:QUJD\a\n" {
		t.Errorf("iTerm2's protocol: %q", out.String())
	}
	out.Reset()
	inlinePicture(env("TERM=xterm-kitty"))(&out, strings.Repeat("A", 5000))
	if n := strings.Count(out.String(), "\x1b_G"); n != 2 || !strings.HasPrefix(out.String(), "\x1b_Ga=T,f=100,m=1;AAA") ||
		!strings.HasSuffix(out.String(), "\x1b\\\n") || !strings.Contains(out.String(), "\x1b_Gm=0;") {
		t.Errorf("kitty's protocol: %d parts", n)
	}
	if inlinePicture(env("TERM=xterm")) != nil || inlinePicture(env("TERM=xterm-kitty", "TMUX=x")) != nil {
		t.Error("a terminal that does not say so is given pictures")
	}
}

func TestInputCells(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil}, {"x := 1\nx\n", []string{"x := 1\nx"}}, {"1\n2\n", []string{"1", "\n2"}},
		{"1; 2", []string{"1;", " 2"}}, {"f()\ng()\n", []string{"f()\ng()\n"}},
		{"<-c\n%whos\n", []string{"<-c\n%whos\n"}}, {"%%bash\necho 1\n2\n", []string{"%%bash\necho 1\n2\n"}},
		{"// %%\n1\n// %%\n2\n", []string{"\n1", "\n\n\n2"}},
	} {
		if got := inputCells(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

//go:build linux

package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// person is a sheet behind which somebody answers, and then waits.
type person struct {
	sheet
	answers []string
	asked   []string
}

func (p *person) Ask(ctx context.Context, prompt string, _ bool) (string, error) {
	p.mu.Lock()
	p.asked = append(p.asked, prompt)
	if len(p.answers) > 0 {
		defer p.mu.Unlock()
		a := p.answers[0]
		p.answers = p.answers[1:]
		return a, nil
	}
	p.mu.Unlock()
	<-ctx.Done()
	return "", ctx.Err()
}

// readers are cells that read the standard input in all ways; each prints what
// it read.
var readers = []struct{ name, code, want string }{
	{"Scan", "var a, b int\nn, err := fmt.Scan(&a, &b)\nfmt.Println(n, err, a+b)", "2 <nil> 7\n"},
	{"Scanln", "var s string\nfmt.Scanln(&s)\nfmt.Println(s)", "3\n"},
	{"Scanf", "var a int\nfmt.Scanf(\"%d\", &a)\nfmt.Println(a)", "3\n"},
	{"Fscan", "var a, b int\nfmt.Fscan(os.Stdin, &a, &b)\nfmt.Println(a * b)", "12\n"},
	{"Scanner", "in := bufio.NewScanner(os.Stdin)\nfor i := 0; i < 2 && in.Scan(); i++ {\n\tfmt.Println(in.Text())\n}", "3 4\nfive\n"},
	{"Reader", "in := bufio.NewReader(os.Stdin)\nline, err := in.ReadString('\\n')\nfmt.Printf(\"%q %v\\n\", line, err)", "\"3 4\\n\" <nil>\n"},
	{"Read", "b := make([]byte, 8)\nn, err := os.Stdin.Read(b)\nfmt.Printf(\"%q %v\\n\", b[:n], err)", "\"3 4\\n\" <nil>\n"},
	{"a variable", "f := os.Stdin\nvar r io.Reader = f\nb := make([]byte, 2)\nn, _ := r.Read(b)\nfmt.Printf(\"%q\\n\", b[:n])", "\"3 \"\n"},
	{"assigned", "var r io.Reader\nr = os.Stdin\nline, _ := bufio.NewReader(r).ReadString('\\n')\nfmt.Printf(\"%q\\n\", line)", "\"3 4\\n\"\n"},
	{"in a function", "func sum(r io.Reader) (n int) {\n\tvar a, b int\n\tfmt.Fscan(r, &a, &b)\n\treturn a + b\n}\nfmt.Println(sum(os.Stdin))", "7\n"},
	{"another file", "f, err := os.Open(\"/proc/self/comm\")\nif err != nil {\n\tpanic(err)\n}\nb := make([]byte, 1)\nn, _ := f.Read(b)\n" +
		"_, is := io.Reader(f).(*os.File)\nfmt.Println(n, is)", "1 true\n"},
}

// What is read of os.Stdin is asked for, in interpreted and in compiled cells.
func TestReadsAsk(t *testing.T) {
	for _, p := range []Policy{Interpret, Native} {
		if p == Native && !compiles(t) {
			t.Log("no toolchain: compiled cells are left out")
			continue
		}
		t.Run(string(p), func(t *testing.T) {
			s := newTestSession(t)
			s.policy = p
			for i, tt := range readers {
				who := &person{answers: []string{"3 4", "five"}}
				var out engine.Outcome
				stdout, _ := capture(t, func() {
					out = s.Execute(t.Context(), engine.Cell{ID: uint64(i + 1), Number: i + 1, Code: tt.code}, who)
				})
				if out.Err != nil {
					t.Errorf("%s: %v", tt.name, strings.Join(out.Err.Traceback, "\n"))
				} else if stdout != tt.want {
					t.Errorf("%s prints %q, want %q", tt.name, stdout, tt.want)
				}
			}
		})
	}
}

// What a cell left of a line is not the next one's.
func TestLineEndsWithItsCell(t *testing.T) {
	s := newTestSession(t)
	who := &person{answers: []string{"1 2 3", "4"}}
	for i, want := range []string{"1\n", "4\n"} {
		stdout, _ := capture(t, func() {
			s.Execute(t.Context(), engine.Cell{ID: uint64(i + 1), Number: i + 1, Code: "var n int\nfmt.Scan(&n)\nfmt.Println(n)"}, who)
		})
		if stdout != want {
			t.Errorf("cell %d prints %q, want %q", i+1, stdout, want)
		}
	}
}

// A read that waits ends with its cell, and leaves the next one alone.
func TestReadStops(t *testing.T) {
	s := newTestSession(t)
	who := &person{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan engine.Outcome, 1)
	go func() {
		done <- s.Execute(ctx, engine.Cell{ID: 1, Number: 1, Code: "before := 1\nvar n int\nfmt.Scan(&n)\nbefore = 2"}, who)
	}()
	for len(who.seen()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if out := <-done; out.Err == nil || out.Err.Name != "Interrupted" {
		t.Errorf("the cell ends with %v", out.Err)
	}
	who.answers = []string{"8"}
	stdout, _ := capture(t, func() {
		s.Execute(t.Context(), engine.Cell{ID: 2, Number: 2, Code: "var m int\nfmt.Scan(&m)\nfmt.Println(before, m)"}, who)
	})
	if stdout != "1 8\n" {
		t.Errorf("the next cell prints %q", stdout)
	}
}

func (p *person) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

// Where nobody can be asked a read fails at once.
func TestReadRefused(t *testing.T) {
	s := newTestSession(t)
	a := mustRun(t, s, 1, "var n int\n_, err := fmt.Scan(&n)\nfmt.Println(err)")
	if want := "this front end cannot ask for input\n"; a.stdout != want {
		t.Errorf("prints %q, want %q", a.stdout, want)
	}
}

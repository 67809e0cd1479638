//go:build cgo

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// ask takes the question of a cell.
func ask(t *testing.T, c *kerneltest.Client, id string) *kerneltest.Message {
	t.Helper()
	m, err := c.Take(kerneltest.Stdin, limit, kerneltest.Caused(id))
	if err != nil {
		t.Fatal(err)
	}
	if m.Header.MsgType != "input_request" {
		t.Fatalf("on stdin: %s", m.Header.MsgType)
	}
	return m
}

// asking runs a cell whose front end can be asked.
func asking(t *testing.T, c *kerneltest.Client, code string) string {
	t.Helper()
	return send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: code, AllowStdin: true})
}

func answer(t *testing.T, c *kerneltest.Client, text string) {
	t.Helper()
	send(t, c, kerneltest.Stdin, "input_reply", map[string]any{"value": text})
}

// Cells ask in interpreted and in compiled code; what was printed before a
// question is out before it, and the kernel answers beside it.
func TestInput(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	for _, tt := range []struct {
		code, prompt string
		secret       bool
		answers      []string
		want         string
	}{
		{"fmt.Print(\"n? \")\nvar n int\nfmt.Scan(&n)\nfmt.Println(n + 1)", "", false, []string{"41"}, "n? 42\n"},
		{"%%native\nvar m int\nfmt.Scanln(&m)\nfmt.Println(m + 1)", "", false, []string{"1"}, "2\n"},
		{"in := bufio.NewScanner(os.Stdin)\nin.Scan()\na := in.Text()\nin.Scan()\nfmt.Println(a, in.Text())", "", false,
			[]string{"größe €", "b"}, "größe € b\n"},
		{"s, err := display.Input(\"name? \")\nfmt.Println(s, err)", "name? ", false, []string{"Ann"}, "Ann <nil>\n"},
		{"s, err := display.Password(\"word? \")\nfmt.Println(len(s), err)", "word? ", true, []string{"sesame"}, "6 <nil>\n"},
	} {
		id := asking(t, c, tt.code)
		for _, text := range tt.answers {
			m := ask(t, c, id)
			var in struct {
				Prompt   string
				Password bool
			}
			if err := m.Decode(&in); err != nil || in.Prompt != tt.prompt || in.Password != tt.secret {
				t.Errorf("%s: asked %s", tt.code, m.Content)
			}
			if strings.HasPrefix(tt.want, "n? ") {
				if _, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool { return m.Get("text") == "n? " }); err != nil {
					t.Error("the text before the question is not out: ", err)
				}
				tt.want = tt.want[3:]
			}
			if a, err := c.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, limit); err != nil || a.Status() != "ok" {
				t.Errorf("beside a question: %v", err)
			}
			answer(t, c, text)
		}
		if a := finish(t, c, kerneltest.Shell, id); a.Shown() != tt.want {
			t.Errorf("%s: shows %q, want %q; %s", tt.code, a.Shown(), tt.want, a.Reply.Content)
		}
	}
}

// Where the front end cannot be asked a read fails at once, and the cell says so.
func TestInputRefused(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	shows(t, c, "var n int\n_, err := fmt.Scan(&n)\nfmt.Println(err)", "this front end cannot ask for input\n")
	shows(t, c, "%%native\n_, err := bufio.NewReader(os.Stdin).ReadString('\\n')\nfmt.Println(err)", "this front end cannot ask for input\n")
	shows(t, c, "_, err = display.Input(\"a\")\nfmt.Println(err)", "display.Input: this front end cannot ask for input\n")
	// A package that reads the descriptor itself finds its end, and does not hang.
	shows(t, c, "text, err := os.ReadFile(\"/dev/stdin\")\nfmt.Println(len(text), err)", "0 <nil>\n")
	if got := c.Waiting(kerneltest.Stdin); len(got) != 0 {
		t.Errorf("%d questions were sent", len(got))
	}
}

// An answer that comes late, or to another question, is not the next one's; an
// interrupt ends a question; a cell that is over asks nobody.
func TestInputStale(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	answer(t, c, "nobody asked")
	id := asking(t, c, "var n int\nfmt.Scan(&n)")
	old := ask(t, c, id)
	if _, err := c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit); err != nil {
		t.Fatal(err)
	}
	if a := finish(t, c, kerneltest.Shell, id); a.Reply.Get("ename") != "Interrupted" {
		t.Errorf("an interrupted question: %s", a.Reply.Content)
	}
	answer(t, c, "too late")
	id = asking(t, c, "s, _ := display.Input(\"now? \")\ns")
	now := ask(t, c, id)
	frames := c.Sign([]byte(`{"msg_id":"x1","session":"s","username":"u","date":"2026-01-01T00:00:00Z","msg_type":"input_reply","version":"5.5"}`),
		[]byte(`{"msg_id":"`+old.Header.MsgID+`"}`), []byte("{}"), []byte(`{"value":"to the old one"}`))
	if err := c.Socket(kerneltest.Stdin).Send(frames...); err != nil {
		t.Fatal(err)
	}
	frames = c.Sign([]byte(`{"msg_id":"x2","session":"s","username":"u","date":"2026-01-01T00:00:00Z","msg_type":"input_reply","version":"5.5"}`),
		[]byte(`{"msg_id":"`+now.Header.MsgID+`"}`), []byte("{}"), []byte(`{"value":"right"}`))
	if err := c.Socket(kerneltest.Stdin).Send(frames...); err != nil {
		t.Fatal(err)
	}
	if a := finish(t, c, kerneltest.Shell, id); a.Shown() != "=[right]" {
		t.Errorf("shows %q", a.Shown())
	}
	id = asking(t, c, "go func() { time.Sleep(300 * time.Millisecond); _, err := display.Input(\"late\"); display.Show(fmt.Sprint(err)) }()")
	finish(t, c, kerneltest.Shell, id)
	m, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool { return m.Header.MsgType == "display_data" })
	if err != nil || !strings.Contains(m.Text(), "over") {
		t.Errorf("a question behind its cell: %v, %v", m, err)
	}
	time.Sleep(10 * time.Millisecond)
	if got := c.Waiting(kerneltest.Stdin); len(got) != 0 {
		t.Errorf("%d questions wait", len(got))
	}
}

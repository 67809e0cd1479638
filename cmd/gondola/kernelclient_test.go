//go:build cgo

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// What blocks in a call, computes in a library or was compiled is stopped by a
// message and by SIGINT; variables keep their values.
func TestInterruptKinds(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	shows(t, c, "kept := 7", "")
	cells := map[string]string{"compiled": "%%native\nfmt.Println(\"in\")\nfor {\n}"}
	for what, code := range stops {
		cells[what] = code
	}
	for what, code := range cells {
		t.Run(what, func(t *testing.T) {
			for _, how := range []string{"message", "signal"} {
				id := send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: code})
				_, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool {
					return m.Parent.MsgID == id && m.Header.MsgType == "stream"
				})
				if err == nil && how == "message" {
					_, err = c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit)
				} else if err == nil {
					err = p.Signal(os.Interrupt)
				}
				if err != nil {
					t.Fatal(how, ": ", err)
				}
				if a := finish(t, c, kerneltest.Shell, id); a.Reply.Get("ename") != "Interrupted" || len(a.Of("error")) != 1 {
					t.Fatalf("%s: %s", how, a.Reply.Content)
				}
				shows(t, c, "kept", "=[7]")
			}
		})
	}
}

// Ten thousand lines arrive in order, and five thousand displays, also beside a
// subscriber that never reads.
func TestMuchOutput(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	w := kerneltest.Speech["go"]
	if _, err := kerneltest.Lines(c, w, 10_000); err != nil {
		t.Error(err)
	}
	m, err := kerneltest.Mute(p.Conn)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n, err := kerneltest.Pictures(c, w, 5000); err != nil || n != 5000 {
		t.Errorf("%d displays, %v", n, err)
	}
}

// A cursor counts code points: an emoji of two, a letter with a combining mark
// of two, and a letter of one.
func TestCursorBehindEmoji(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	shows(t, c, "alpha := \"x\"", "")
	code := "s := \"👍🏽e\u0301ä\" + alp"
	end := len([]rune(code))
	a, err := c.Ask(kerneltest.Shell, "complete_request", map[string]any{"code": code, "cursor_pos": end}, limit)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(a.Reply.Content), `"matches":["alpha"]`) || a.Reply.Int("cursor_start") != end-3 ||
		a.Reply.Int("cursor_end") != end {
		t.Errorf("completion at %d: %s", end, a.Reply.Content)
	}
	a, err = c.Ask(kerneltest.Shell, "inspect_request", map[string]any{"code": "s := \"👍🏽\" + alpha", "cursor_pos": 13}, limit)
	if err != nil || !strings.Contains(string(a.Reply.Content), `"found":true`) {
		t.Errorf("inspection: %s, %v", a.Reply.Content, err)
	}
}

// A display is updated under its id, and a cleared output says so, in the order
// in which they were made.
func TestUpdateAndClear(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	a := shows(t, c, "display.ShowID(\"p\", 1)\ndisplay.Update(\"p\", 2)\nfmt.Println(\"t\")\ndisplay.Clear(true)\nfmt.Println(\"u\")",
		"[1][2]t\nu\n")
	if got := a.Types(); got != "status execute_input display_data update_display_data stream clear_output stream status" {
		t.Error(got)
	}
	for _, m := range a.Pub[2:4] {
		var in struct {
			Transient struct {
				ID string `json:"display_id"`
			} `json:"transient"`
		}
		if err := m.Decode(&in); err != nil || in.Transient.ID != "p" {
			t.Errorf("%s %s", m.Header.MsgType, m.Content)
		}
	}
	if w := a.Of("clear_output")[0].Content; string(w) != `{"wait":true}` {
		t.Errorf("clear_output %s", w)
	}
}

// What ends a process is an answer: each row of the table that the benchmark
// runs too.
func TestCrashTable(t *testing.T) {
	p := startKernel(t, "/bin/sh", "-c", `exec "$0" -mem-limit 1G "$@"`)
	c := connect(t, p.Conn)
	for _, x := range kerneltest.Crashes() {
		t.Run(x.Name, func(t *testing.T) {
			if _, err := x.Try(c); err != nil {
				t.Error(err)
			}
		})
	}
}

// The rows of the benchmark judge as they say.
func TestBenchRows(t *testing.T) {
	for _, tt := range []struct {
		row  benchRow
		ok   bool
		says string
	}{
		{against("m", "ms", 4, 1, 5), true, "ratio   5.00"},
		{against("m", "ms", 4, 1, 3.9), false, "missed"},
		{against("m", "ms", 4, 1, 5).also(false, "p99 %d", 7), false, "(p99 7)"},
		{atMost("m", "ms", 250, 250), true, "bound   250  ok"},
		{atMost("m", "ms", 250, 251), false, "missed"},
		{exactly("m", 30, 30), true, "ok"},
		{exactly("m", 30, 29), false, "missed"},
		{(&kernelBench{}).measure(kernelMeasure{"1b", "raw", func(*kernelBench) (benchRow, error) {
			return benchRow{}, errSkip("no kernelspec")
		}}), false, "skipped: no kernelspec"},
	} {
		if got := tt.row.String(); tt.row.OK != tt.ok || !strings.Contains(got, tt.says) {
			t.Errorf("%+v: %q, want ok %v and %q", tt.row, got, tt.ok, tt.says)
		}
	}
}

//go:build cgo

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// vsCode sends as VS Code's notebook client does: its headers have an empty
// username and protocol 5.2, metadata names the cell, and everything, also the
// interrupt of a kernel with interrupt_mode message, goes out on shell.
type vsCode struct{ *kerneltest.Client }

// ask sends a request on shell, without waiting.
func (v vsCode) ask(t *testing.T, id, kind, metadata, content string) {
	t.Helper()
	header, err := json.Marshal(map[string]string{"date": "2026-01-05T10:00:00.000Z", "msg_id": id, "msg_type": kind,
		"session": v.Session, "username": "", "version": "5.2"})
	if err == nil {
		err = v.Socket(kerneltest.Shell).Send(v.Sign(header, []byte("{}"), []byte(metadata), []byte(content))...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// cell sends a cell as the client does: it stops the queue by itself.
func (v vsCode) cell(t *testing.T, id, code string) {
	t.Helper()
	content, err := json.Marshal(map[string]any{"code": code, "silent": false, "store_history": true,
		"user_expressions": map[string]any{}, "allow_stdin": true, "stop_on_error": false})
	if err != nil {
		t.Fatal(err)
	}
	v.ask(t, id, "execute_request", `{"cellId":"vscode-notebook-cell:/n.ipynb#W0sZmlsZQ=="}`, string(content))
}

// What VS Code sends at the start, for cells, for names and for an interrupt
// has the answers that its client waits for.
func TestVSCode(t *testing.T) {
	v := vsCode{connect(t, startKernel(t).Conn)}
	v.ask(t, "s1", "kernel_info_request", "{}", "{}")
	v.ask(t, "s2", "comm_info_request", "{}", `{"target_name":"jupyter.widget"}`)
	info := finish(t, v.Client, kerneltest.Shell, "s1")
	if c := string(info.Reply.Content); info.Status() != "ok" || !strings.Contains(c, `"mimetype":"text/x-go"`) ||
		!strings.Contains(c, `"file_extension":".go"`) { // without them its editor offers nothing
		t.Errorf("kernel_info_reply %s", c)
	}
	if a := finish(t, v.Client, kerneltest.Shell, "s2"); !strings.Contains(string(a.Reply.Content), `"comms":{}`) {
		t.Errorf("comm_info_reply %s", a.Reply.Content)
	}

	v.cell(t, "c1", "kept := 7\nfmt.Println(\"text\")\nkept")
	v.cell(t, "c2", "nothing")
	v.cell(t, "c3", "kept + 1") // runs: its client sends no cell behind a failure that it does not want run
	if a := finish(t, v.Client, kerneltest.Shell, "c1"); a.Shown() != "text\n=[7]" ||
		a.Types() != "status execute_input stream execute_result status" {
		t.Errorf("a cell shows %q: %s", a.Shown(), a.Types())
	}
	if a := finish(t, v.Client, kerneltest.Shell, "c2"); a.Status() != "error" || len(a.Of("error")) != 1 {
		t.Errorf("a wrong cell: %s, %s", a.Types(), a.Reply.Content)
	}
	if a := finish(t, v.Client, kerneltest.Shell, "c3"); a.Shown() != "=[8]" {
		t.Errorf("the cell behind it shows %q", a.Shown())
	}

	v.cell(t, "c4", "display.Show(\"in\")\nfor {}")
	shown(t, v.Client, "c4")
	v.ask(t, "n1", "complete_request", "{}", `{"code":"ke","cursor_pos":2}`)
	v.ask(t, "n2", "inspect_request", "{}", `{"code":"kept","cursor_pos":2,"detail_level":0}`)
	if a := finish(t, v.Client, kerneltest.Shell, "n1"); !strings.Contains(string(a.Reply.Content), `"matches":["kept"]`) {
		t.Errorf("complete_reply beside a cell: %s", a.Reply.Content)
	}
	if a := finish(t, v.Client, kerneltest.Shell, "n2"); !strings.Contains(string(a.Reply.Content), `"found":true`) {
		t.Errorf("inspect_reply beside a cell: %s", a.Reply.Content)
	}
	v.ask(t, "i1", "interrupt_request", "{}", "{}")
	if a := finish(t, v.Client, kerneltest.Shell, "i1"); a.Status() != "ok" {
		t.Errorf("interrupt_reply %s", a.Reply.Content)
	}
	if a := finish(t, v.Client, kerneltest.Shell, "c4"); a.Reply.Get("ename") != "Interrupted" {
		t.Errorf("the interrupted cell: %s", a.Reply.Content)
	}
	v.cell(t, "c5", "kept")
	if a := finish(t, v.Client, kerneltest.Shell, "c5"); a.Shown() != "=[7]" {
		t.Errorf("after the interrupt the variable shows %q", a.Shown())
	}
}

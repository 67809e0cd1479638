package notebook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

// cells makes a notebook; a cell that begins with "[tag] " has that tag.
func cells(sources ...string) *Notebook {
	var list []any
	for i, s := range sources {
		meta := map[string]any{}
		if tag, rest, ok := strings.Cut(s, "] "); ok && s[0] == '[' {
			meta["tags"], s = []any{tag[1:]}, rest
		}
		list = append(list, map[string]any{"cell_type": "code", "id": fmt.Sprintf("c%d", i+1), "source": s, "metadata": meta,
			"outputs": []any{map[string]any{"output_type": "stream", "name": "stdout", "text": "old"}}})
	}
	data, _ := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{},
		"cells": list})
	nb, err := Read(data)
	if err != nil {
		panic(err)
	}
	return nb
}

// outputs lists what a cell shows, as "stdout a\n|result 2".
func outputs(c *Cell) string {
	var list []string
	for _, o := range c.Outputs {
		m := o.(map[string]any)
		switch m["output_type"] {
		case "stream":
			list = append(list, fmt.Sprint(m["name"], " ", m["text"]))
		case "error":
			list = append(list, fmt.Sprint("error ", m["ename"], ": ", m["evalue"]))
		default:
			list = append(list, fmt.Sprint(m["output_type"], " ", m["data"].(map[string]any)["text/plain"]))
		}
	}
	return strings.Join(list, "|")
}

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cells   []string
		opt     Options
		status  Status
		ran     int
		outputs []string // of each cell
	}{
		{"order", []string{"fmt.Println(\"a\")\nfmt.Println(\"b\")\ndisplay.Show(\"c\")\nfmt.Fprintln(os.Stderr, \"d\")\nfmt.Println(\"e\")\n7"}, Options{}, OK, 1,
			[]string{"stdout a\nb\n|display_data c|stderr d\n|stdout e\n|execute_result 7"}},
		{"state", []string{"x := 5", "  ", "x"}, Options{}, OK, 2, []string{"", "stdout old", "execute_result 5"}},
		{"stops", []string{"x := 1", "panic(\"no\")", "x"}, Options{}, Failed, 2, []string{"", "error Panic: no", ""}},
		{"goes on", []string{"panic(\"no\")", "7"}, Options{AllowErrors: true}, OK, 2,
			[]string{"error Panic: no", "execute_result 7"}},
		{"raises", []string{"[raises-exception] panic(\"no\")", "7"}, Options{}, OK, 2,
			[]string{"error Panic: no", "execute_result 7"}},
		{"raises not", []string{"[raises-exception] 7", "8"}, Options{}, Failed, 1, []string{"execute_result 7", ""}},
		{"skip", []string{"[skip-execution] 7", "[slow] 8", "9"}, Options{Skip: []string{"slow"}}, OK, 1,
			[]string{"stdout old", "stdout old", "execute_result 9"}},
		{"only", []string{"7", "8", "9"}, Options{Only: []int{1, 3}}, OK, 2,
			[]string{"execute_result 7", "stdout old", "execute_result 9"}},
		{"update", []string{"display.ShowID(\"p\", \"one\")",
			"display.Update(\"p\", \"two\")\ndisplay.Update(\"q\", \"new\")"}, Options{}, OK, 2,
			[]string{"display_data two", "display_data new"}},
		{"clear", []string{"fmt.Println(\"a\")\ndisplay.Clear(false)\nfmt.Println(\"b\")\ndisplay.Clear(true)\nfmt.Println(\"c\")\ndisplay.Clear(true)"}, Options{}, OK, 1,
			[]string{"stdout c\n"}},
		{"return", []string{"fmt.Println(\"1 %\\r2 %\\r3 %\")\nfmt.Println(\"x\\r\")"}, Options{}, OK, 1,
			[]string{"stdout 3 %\nx\n"}},
		{"bytes", []string{"fmt.Println(\"a\\xffb\")"}, Options{}, OK, 1, []string{"stdout a\ufffdb\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nb := cells(tt.cells...)
			var notes []string
			tt.opt.Note = func(s string) { notes = append(notes, s) }
			r := nb.Run(context.Background(), enginetest.NewFake(), tt.opt)
			if r.Status != tt.status || r.Ran != tt.ran {
				t.Errorf("status %s, %d ran; want %s, %d (%v)", r.Status, r.Ran, tt.status, tt.ran, r.Errors)
			}
			for i, want := range tt.outputs {
				if got := outputs(nb.Cells[i]); got != want {
					t.Errorf("cell %d: %q, want %q", i+1, got, want)
				}
			}
			if len(tt.opt.Skip) > 0 && (len(notes) != 1 ||
				!strings.Contains(notes[0], "cell 2 (id c2) is left out: it has the tag slow")) {
				t.Errorf("notes %v", notes)
			}
			if _, err := Read(nb.Bytes()); err != nil {
				t.Errorf("the notebook is not read again: %v", err)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	nb := cells("1", "", "[skip-execution] 2", "3")
	nb.Cells[2].Count = 9
	nb.Run(context.Background(), enginetest.NewFake(), Options{})
	for i, want := range []int{1, 0, 9, 2} {
		if got := nb.Cells[i].Count; got != want {
			t.Errorf("cell %d has the count %d, want %d", i+1, got, want)
		}
	}
	out := nb.Cells[3].Outputs[0].(map[string]any)
	if fmt.Sprint(out["execution_count"]) != "2" {
		t.Errorf("the result has the count %v", out["execution_count"])
	}
}

func TestFailureText(t *testing.T) {
	nb := cells("x := 1", "x\n\neps")
	r := nb.Run(context.Background(), enginetest.NewFake(), Options{})
	if len(r.Errors) != 1 {
		t.Fatalf("errors %v", r.Errors)
	}
	if got, want := r.Errors[0].String(), "cell 2 (id c2, [2]) line 3: undefined: eps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f := failure(6, &Cell{ID: "3f2a", Count: 5},
		&engine.CellError{Name: "RuntimeError", Value: "index out of range [5] with length 3",
			Traceback: []string{"\x1b[31mRuntimeError\x1b[0m", "  f cell [5]:3"}})
	if got, want := f.String(), "cell 7 (id 3f2a, [5]) line 3: RuntimeError: index out of range [5] with length 3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if f.Traceback[0] != "RuntimeError" {
		t.Errorf("colours in %q", f.Traceback[0])
	}
}

// A limit ends a cell that asks, and the run; so does the caller.
func TestLimits(t *testing.T) {
	nb := cells("for {}", "7")
	r := nb.Run(context.Background(), enginetest.NewFake(), Options{Timeout: 20 * time.Millisecond, AllowErrors: true})
	if r.Status != TimedOut || r.Ran != 1 || outputs(nb.Cells[0]) != "error Interrupted: stopped" {
		t.Errorf("cell limit: %+v, %s", r, outputs(nb.Cells[0]))
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Millisecond, ErrTimeout)
	defer cancel()
	if r := cells("for {}", "7").Run(ctx, enginetest.NewFake(), Options{}); r.Status != TimedOut {
		t.Errorf("limit of the run: %+v", r)
	}
	stop, end := context.WithCancelCause(context.Background())
	time.AfterFunc(20*time.Millisecond, func() { end(ErrInterrupted) })
	if r := cells("for {}", "7").Run(stop, enginetest.NewFake(), Options{AllowErrors: true}); r.Status != Interrupted ||
		r.Ran != 1 {
		t.Errorf("interrupted: %+v", r)
	}
}

func TestLost(t *testing.T) {
	f := enginetest.NewFake()
	f.On["die"] = enginetest.Script("stdout before\nerror WorkerLost: killed")
	nb := cells("die", "7")
	if r := nb.Run(context.Background(), f, Options{AllowErrors: true}); r.Status != Lost || r.Ran != 2 ||
		outputs(nb.Cells[1]) != "execute_result 7" {
		t.Errorf("%+v", r)
	}
	if r := cells("[raises-exception] die", "7").Run(context.Background(), f, Options{}); r.Status != Lost || r.Ran != 1 {
		t.Errorf("a lost worker is not what raises-exception means: %+v", r)
	}
}

// JSON from an engine is written as it came, also where only Go has the type.
func TestForeignValues(t *testing.T) {
	nb := cells("plot()")
	f := enginetest.NewFake()
	f.On["plot()"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		s.Display(engine.Display{Bundle: display.Bundle{Data: map[string]any{"application/json": struct{ N []int }{[]int{1}},
			"text/plain": "t"},
			Meta: map[string]any{"image/png": map[string]int{"width": 3}}}})
		return engine.Outcome{}
	}
	nb.Run(context.Background(), f, Options{})
	for _, want := range []string{"\"N\": [\n        1\n       ]", "\"width\": 3"} {
		if got := string(nb.Bytes()); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

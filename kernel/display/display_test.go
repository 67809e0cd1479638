package display

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// record is an Output that writes one line for each thing.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) Display(b Bundle, id string, update bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf("%v %s %s %v", b.Data["text/plain"], strings.Join(sortedKeys(b.Data), ","), id,
		update))
}

func (r *record) Clear(wait bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf("clear %v", wait))
}

func TestCalls(t *testing.T) {
	r := &record{}
	defer SetOutput(r)()
	for name, err := range map[string]error{
		"Show": Show(1, "two"), "ShowID": ShowID("tcalls", 3), "Update": Update("tcalls", 4),
		"Update new":   Update("tcalls2", 5),
		"Update again": Update("tcalls2", 6),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, err := range []error{Clear(true), HTML("<p>a &amp; <b>b</b><script>x()</script></p> 1 < 2"), Markdown("*x*"),
		LaTeX("$y$"),
		SVG(`<svg viewBox="0 0 30 20"></svg>`), PNG(onePNG(2, 3)), JSON(map[string]any{"a": "<", "b": nan()})} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []string{"1 text/plain  false", "two text/plain  false", "3 text/plain tcalls false",
		"4 text/plain tcalls true",
		"5 text/plain tcalls2 false", "6 text/plain tcalls2 true", "clear true", "a & b 1 < 2 text/html,text/plain  false",
		"*x* text/markdown,text/plain  false", "$y$ text/latex,text/plain  false",
		"SVG drawing, 30 × 20 pixels image/svg+xml,text/plain  false",
		"PNG picture, 2 × 3 pixels image/png,text/plain  false",
		"{\n  \"a\": \"<\",\n  \"b\": null\n}\nnote: 1 number that JSON cannot hold (NaN or infinite) became null application/json,text/plain  false"}
	for i := range max(len(r.lines), len(want)) {
		if i >= len(r.lines) || i >= len(want) || r.lines[i] != want[i] {
			t.Fatalf("line %d\ngot  %q\nwant %q", i, r.lines[i:], want[min(i, len(want)):])
		}
	}
}

func TestNoOutput(t *testing.T) {
	defer SetOutput(nil)()
	for name, err := range map[string]error{
		"Show": Show(1), "Show nothing": Show(), "ShowID": ShowID("a", 1), "Update": Update("a", 1), "Clear": Clear(false),
		"HTML":     HTML(""),
		"Markdown": Markdown(""), "LaTeX": LaTeX(""), "SVG": SVG("<svg/>"), "PNG": PNG(onePNG(1, 1)), "JSON": JSON(1),
	} {
		var h interface{ Hint() string }
		if !errors.Is(err, ErrNoOutput) || !errors.As(err, &h) || h.Hint() == "" ||
			!strings.HasPrefix(err.Error(), "display."+strings.Fields(name)[0]+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadCalls(t *testing.T) {
	r := &record{}
	defer SetOutput(r)()
	for want, err := range map[string]error{
		"display.ShowID: the id is empty":            ShowID("", 1),
		"display.Update: the id is empty":            Update("", 1),
		"display.PNG: 3 bytes that are no PNG":       PNG([]byte("abc")),
		"display.SVG: the text has no <svg> element": SVG("<p>"),
		"display.JSON: a func() has no JSON":         JSON(func() {}),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if len(r.lines) != 0 {
		t.Errorf("shown all the same: %q", r.lines)
	}
}

func TestSetOutputNests(t *testing.T) {
	a, b := &record{}, &record{}
	back := SetOutput(a)
	inner := SetOutput(b)
	Show("b")
	inner()
	inner() // a second call does nothing
	Show("a")
	back()
	if len(a.lines) != 1 || len(b.lines) != 1 || Show() == nil {
		t.Errorf("a %q, b %q", a.lines, b.lines)
	}
	if x, y := NewID(), NewID(); x == y || !strings.HasPrefix(x, "display-") {
		t.Errorf("ids %q, %q", x, y)
	}
}

func TestManyGoroutines(t *testing.T) {
	r := &record{}
	defer SetOutput(r)()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if err := Update(fmt.Sprint("g", g), i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(r.lines) != 400 {
		t.Errorf("%d outputs, want 400", len(r.lines))
	}
}

// asked is an output that answers with what it was asked.
type asked struct{ Output }

func (asked) Ask(prompt string, secret bool) (string, error) { return fmt.Sprint(prompt, secret), nil }

func TestInput(t *testing.T) {
	var none *Error
	if _, err := Input("a"); !errors.Is(err, ErrNoOutput) || !errors.As(err, &none) || none.Op != "display.Input" {
		t.Errorf("without a notebook: %v", err)
	}
	restore := SetOutput(asked{})
	defer restore()
	if s, err := Input("na\xffme "); err != nil || s != "na\uFFFDme false" {
		t.Errorf("Input: %q, %v", s, err)
	}
	if s, err := Password("word"); err != nil || s != "wordtrue" {
		t.Errorf("Password: %q, %v", s, err)
	}
	defer SetOutput(struct{ Output }{})()
	if _, err := Password("word"); !errors.Is(err, ErrNoOutput) {
		t.Errorf("an output that cannot ask: %v", err)
	}
}

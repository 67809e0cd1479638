package display

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/png"
	"regexp"
	"strings"
	"sync"
)

// ErrNoOutput says that nobody shows pictures: the program has no notebook.
var ErrNoOutput = errors.New("no notebook is there to show it")

// Error reports a failed call of this package.
type Error struct {
	Op     string // the function, as in "display.PNG"
	Err    error  // the cause
	Advice string // what to do next, one imperative sentence, or ""
}

// Error is the function and the cause, with the numbers; the advice is Hint.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice; the kernel prints it under the error.
func (e *Error) Hint() string { return e.Advice }

// Output takes what the calls of this package show. Its methods are called on
// the goroutine of the caller, from any goroutine.
type Output interface {
	// Display shows b, or with update set replaces what has the id. An empty
	// id is no id.
	Display(b Bundle, id string, update bool)
	// Clear takes away what the cell has shown; with wait, only when the next
	// output comes.
	Clear(wait bool)
}

// Asker is an [Output] behind which a person can be asked.
type Asker interface {
	// Ask shows prompt and waits for a line, without its newline; secret hides
	// what is typed. It is called on the goroutine of the caller.
	Ask(prompt string, secret bool) (string, error)
}

var state struct {
	sync.Mutex
	out   Output
	known map[string]bool // ids that were shown
	last  int             // number of the last counted id
}

// SetOutput makes o take everything that is shown until restore is called,
// which puts back what was there before.
func SetOutput(o Output) (restore func()) {
	state.Lock()
	defer state.Unlock()
	before := state.out
	state.out = o
	var once sync.Once
	return func() {
		once.Do(func() {
			state.Lock()
			defer state.Unlock()
			state.out = before
		})
	}
}

// NewID returns a display id for ShowID and Update that was not given out
// before. Ids are counted, so that a notebook that runs again has the same.
func NewID() string {
	state.Lock()
	defer state.Unlock()
	state.last++
	return fmt.Sprintf("display-%d", state.last)
}

// Resume makes ids known that an earlier process of the notebook has shown:
// Update replaces them, and NewID gives out none of them.
func Resume(ids []string) {
	state.Lock()
	defer state.Unlock()
	if state.known == nil {
		state.known = map[string]bool{}
	}
	for _, id := range ids {
		state.known[id] = true
		var n int
		if _, err := fmt.Sscanf(id, "display-%d", &n); err == nil {
			state.last = max(state.last, n)
		}
	}
}

func output(op string) (Output, error) {
	state.Lock()
	defer state.Unlock()
	if state.out == nil {
		return nil, &Error{"display." + op, ErrNoOutput, "run it in a cell of a notebook"}
	}
	return state.out, nil
}

func send(op string, b Bundle, id string, update bool) error {
	o, err := output(op)
	if err != nil {
		return err
	}
	if id != "" {
		state.Lock()
		update = update && state.known[id]
		if state.known == nil {
			state.known = map[string]bool{}
		}
		state.known[id] = true
		state.Unlock()
	}
	o.Display(b, id, update)
	return nil
}

// Show shows each value as [Of] does, in the middle of a cell, each in an
// output of its own. Without a notebook it returns ErrNoOutput.
func Show(v ...any) error {
	if _, err := output("Show"); err != nil {
		return err
	}
	for _, x := range v {
		if err := send("Show", Of(x), "", false); err != nil {
			return err
		}
	}
	return nil
}

// ShowID shows v under an id by which [Update] can replace it. The id is the
// caller's own, or one of [NewID]; an empty one is an error.
func ShowID(id string, v any) error { return withID("ShowID", id, v, false) }

// Update replaces what was shown under the id, in every place, by v. An id that
// was not shown yet is shown as new.
func Update(id string, v any) error { return withID("Update", id, v, true) }

func withID(op, id string, v any, update bool) error {
	if id == "" {
		return &Error{"display." + op, errors.New("the id is empty"),
			"give a name of your own, or take one from display.NewID"}
	}
	if _, err := output(op); err != nil {
		return err
	}
	return send(op, Of(v), valid(id), update)
}

// Clear takes away what the cell has shown so far; with wait set, only when
// the next output comes, so that a picture that is drawn anew does not flicker.
func Clear(wait bool) error {
	o, err := output("Clear")
	if err != nil {
		return err
	}
	o.Clear(wait)
	return nil
}

var tags = regexp.MustCompile(`(?s)<!--.*?-->|<(script|style)\b.*?</(script|style)\s*>|<[a-zA-Z/!][^>]*>`)

// HTML shows s as HTML. Its text/plain is s without the tags.
func HTML(s string) error {
	text := strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(s, "")))
	return sendOne("HTML", typeHTML, s, text)
}

// Markdown shows s as Markdown, with formulas between dollar signs.
func Markdown(s string) error { return sendOne("Markdown", typeMarkdown, s, s) }

// LaTeX shows s as a formula; it stands between dollar signs, as in "$x^2$".
func LaTeX(s string) error { return sendOne("LaTeX", typeLaTeX, s, s) }

// SVG shows a drawing given as SVG text.
func SVG(s string) error {
	if !strings.Contains(s, "<svg") {
		return &Error{"display.SVG", errors.New("the text has no <svg> element"),
			"give the whole drawing, beginning with <svg"}
	}
	w, h, ok := svgSize(s)
	text := "SVG drawing"
	if ok {
		text += fmt.Sprintf(", %s × %s pixels", count(w), count(h))
	}
	return sendOne("SVG", typeSVG, s, text)
}

// PNG shows a picture given as the bytes of a PNG file.
func PNG(data []byte) error {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return &Error{"display.PNG", fmt.Errorf("%d bytes that are no PNG: %w", len(data), err),
			"give the bytes of a PNG file, or show an image.Image"}
	}
	return sendOne("PNG", typePNG, data, fmt.Sprintf("PNG picture, %s × %s pixels", count(c.Width), count(c.Height)))
}

// JSON shows v as a tree that can be folded. NaN and infinite numbers become
// null, for JSON has neither; the text says how many.
func JSON(v any) error {
	x, nulls, err := jsonValue(v)
	if err != nil {
		return &Error{"display.JSON", err, "give maps, slices, structs, numbers and text"}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(x); err != nil {
		return &Error{"display.JSON", err, ""}
	}
	b, notes := newBundle(), []string(nil)
	noteNulls(nulls, &notes)
	b.Data[typeJSON] = x
	b.setText(strings.TrimSuffix(text.String(), "\n"), notes)
	return send("JSON", b, "", false)
}

func sendOne(op, mime string, data any, text string) error {
	b, notes := newBundle(), []string(nil)
	b.put(mime, data, &notes)
	b.sizes()
	b.setText(text, notes)
	return send(op, b, "", false)
}

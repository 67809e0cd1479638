package session

import (
	"context"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
)

// Complete offers names for a byte offset: of magics behind a percent sign that
// begins a line, else those that front finds in what the last cell committed.
// It does not wait for a running cell.
func (s *Session) Complete(_ context.Context, code string, at int) (engine.Completion, error) {
	at = max(0, min(at, len(code)))
	if c, ok := completeMagic(code, at); ok {
		return c, nil
	}
	blanked, list := cell.Directives(code)
	line := 1 + strings.Count(code[:at], "\n")
	if slices.ContainsFunc(list, func(d cell.Directive) bool { return d.Name == "!" && d.Line == line }) {
		return engine.Completion{Start: at, End: at}, nil // the shell knows no names of Go
	}
	found := s.check.Complete(withArguments(code, blanked, at), at, s.asked())
	c := engine.Completion{Start: found.Start, End: found.End}
	for _, i := range found.Items {
		c.Items = append(c.Items, engine.Item{Text: i.Text, Type: i.Type, Signature: i.Signature})
	}
	return c, nil
}

// Inspect describes the name at a byte offset.
func (s *Session) Inspect(_ context.Context, code string, at, detail int) (engine.Inspection, error) {
	at = max(0, min(at, len(code)))
	blanked, _ := cell.Directives(code)
	i := s.check.Inspect(withArguments(code, blanked, at), at, detail, s.asked())
	return engine.Inspection{Found: i.Found, Text: i.Text, Markdown: i.Markdown}, nil
}

// askedScope is the scope of a state, made for the first question about it.
type askedScope struct {
	state *state
	scope *front.Scope
}

// asked is the scope that questions are answered from: what the last cell
// committed.
func (s *Session) asked() *front.Scope {
	now, last := s.now.Load(), s.questions.Load()
	if last == nil || last.state != now {
		last = &askedScope{now, now.scope(true)}
		s.questions.Store(last)
	}
	return last.scope
}

// completeMagic completes the name of a magic that begins the line.
func completeMagic(code string, at int) (engine.Completion, bool) {
	line := code[strings.LastIndexByte(code[:at], '\n')+1 : at]
	word := strings.TrimPrefix(strings.TrimLeft(line, " \t"), "//")
	if !strings.HasPrefix(word, "%") || strings.ContainsAny(word, " \t") {
		return engine.Completion{}, false
	}
	c := engine.Completion{Start: at - len(word), End: at}
	for _, m := range magics {
		if name := spelled(m.name, m.whole); strings.HasPrefix(name, word) {
			signature := strings.TrimSpace(name + " " + m.args)
			c.Items = append(c.Items, engine.Item{Text: name, Type: "magic", Signature: signature})
		}
	}
	return c, true
}

// withArguments is the blanked text with the Go text of the magic at an offset
// put back, as in "%time f(‸".
func withArguments(code, blanked string, at int) string {
	start := strings.LastIndexByte(code[:at], '\n') + 1
	end := len(code)
	if i := strings.IndexByte(code[at:], '\n'); i >= 0 {
		end = at + i
	}
	line := code[start:end]
	if blanked[start:end] == line || !strings.HasPrefix(strings.TrimLeft(line, " \t/"), "%") {
		return blanked
	}
	args := strings.IndexByte(line, '%')
	i := strings.IndexAny(line[args:], " \t")
	if i < 0 || start+args+i > at {
		return blanked
	}
	args += i
	return blanked[:start+args] + line[args:] + blanked[end:]
}

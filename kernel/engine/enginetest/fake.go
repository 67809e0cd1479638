package enginetest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Fake is an engine without a language. It plays the statements that [Run]
// uses, line by line, and what On says for cells whose whole text is a key.
//
// Its statements, one a line: fmt.Println("…"), fmt.Fprintln(os.Stderr, "…"),
// display.Show, ShowID, Update, Clear, x, _ := display.Input("…"), panic("…"), for {}, x := 1, x = "a",
// func f() int { return 1 } (a body may name a variable), go func() { late }()
// as in the suite, and a name, call or constant as last line, which is the
// result. Anything else is a CompileError before anything has run.
type Fake struct {
	// On replaces the play of a cell by its exact text. Make a value with Script.
	On map[string]func(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome
	// Completion and Inspection replace the answers made from the names.
	Completion func(code string, at int) (engine.Completion, error)
	Inspection func(code string, at, detail int) (engine.Inspection, error)

	mu     sync.Mutex
	names  map[string]value
	lost   map[string]string
	cancel context.CancelFunc // of the running cell
	late   sync.WaitGroup
}

type value struct {
	text   string // what a use of the name gives; of a function: a constant or a name
	isFunc bool
	typ    string
	cell   int
}

var (
	_ engine.Engine   = (*Fake)(nil)
	_ engine.Declarer = (*Fake)(nil)
)

// NewFake returns a fake without names.
func NewFake() *Fake {
	return &Fake{On: map[string]func(context.Context, engine.Cell, engine.Sink) engine.Outcome{},
		names: map[string]value{}, lost: map[string]string{}}
}

// Execute implements engine.Engine.
func (f *Fake) Execute(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
	if c.Comm != nil {
		return engine.Outcome{Err: &engine.CellError{Name: engine.NoComm, Value: "no cell has opened comm " + c.Comm.ID}}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.cancel = cancel
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.cancel = nil
		f.mu.Unlock()
	}()
	if play, ok := f.On[c.Code]; ok {
		return play(ctx, c, s)
	}
	out := f.play(ctx, c, s)
	if out.Err == nil && len(c.Expressions) > 0 {
		out.Expressions = map[string]engine.Expressed{}
		for k, e := range c.Expressions {
			if v, err := f.eval(e); err != "" {
				out.Expressions[k] = engine.Expressed{Err: failure("CompileError", err)}
			} else {
				out.Expressions[k] = engine.Expressed{Bundle: text(v)}
			}
		}
	}
	return out
}

// Complete implements engine.Engine: names that begin with the word before at.
func (f *Fake) Complete(_ context.Context, code string, at int) (engine.Completion, error) {
	if f.Completion != nil {
		return f.Completion(code, at)
	}
	start, word := wordBefore(code, at)
	c := engine.Completion{Start: start, End: at}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(f.names)) {
		if strings.HasPrefix(n, word) {
			c.Items = append(c.Items, engine.Item{Text: n, Type: "instance", Signature: f.names[n].typ})
		}
	}
	return c, nil
}

// Inspect implements engine.Engine: name and type of the word that ends at at.
func (f *Fake) Inspect(_ context.Context, code string, at, detail int) (engine.Inspection, error) {
	if f.Inspection != nil {
		return f.Inspection(code, at, detail)
	}
	_, word := wordBefore(code, at)
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := f.names[word]
	if !ok {
		return engine.Inspection{}, nil
	}
	t := word + " " + v.typ
	return engine.Inspection{Found: true, Text: t, Markdown: "`" + t + "`"}, nil
}

// Interrupt implements engine.Engine.
func (f *Fake) Interrupt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cancel != nil {
		f.cancel()
	}
}

// Close waits for late outputs.
func (f *Fake) Close() error { f.late.Wait(); return nil }

// Declare implements engine.Declarer.
func (f *Fake) Declare(_ context.Context, cells []engine.Cell, lost map[string]string) engine.Outcome {
	var out engine.Outcome
	f.mu.Lock()
	maps.Copy(f.lost, lost)
	f.mu.Unlock()
	for _, c := range cells {
		for line := range strings.Lines(c.Code) {
			if m := reFunc.FindStringSubmatch(strings.TrimSpace(line)); m != nil && lost[m[1]] == "" {
				out.Names = append(out.Names, f.set(m[1], value{m[2], true, "func() int", c.Number}))
			}
		}
	}
	return out
}

func wordBefore(code string, at int) (int, string) {
	i := strings.LastIndexFunc(code[:at], func(r rune) bool { return !strings.ContainsRune(letters, r) }) + 1
	return i, code[i:at]
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

var (
	str      = `("(?:[^"\\]|\\.)*")`
	rePrint  = regexp.MustCompile(`^fmt\.Println\(` + str + `\)$`)
	reErr    = regexp.MustCompile(`^fmt\.Fprintln\(os\.Stderr, ` + str + `\)$`)
	reShow   = regexp.MustCompile(`^display\.Show\(` + str + `\)$`)
	reShowID = regexp.MustCompile(`^display\.(ShowID|Update)\(` + str + `, ` + str + `\)$`)
	reClear  = regexp.MustCompile(`^display\.Clear\((true|false)\)$`)
	rePanic  = regexp.MustCompile(`^panic\(` + str + `\)$`)
	reLoop   = regexp.MustCompile(`^for \{ ?\}$`)
	reLate   = regexp.MustCompile(`^go func\(\) \{ time\.Sleep\((\d+) \* time\.Millisecond\); display\.Show\(` + str +
		`\) \}\(\)$`)
	reInput   = regexp.MustCompile(`^(\w+), _ := display\.(Input|Password)\(` + str + `\)$`)
	reSet     = regexp.MustCompile(`^(\w+) (:?=) (\d+|` + str + `)$`)
	reFunc    = regexp.MustCompile(`^func (\w+)\(\) (?:int|string) \{ return (\w+|` + str + `) \}$`)
	reValue   = regexp.MustCompile(`^(\w+)(\(\))?$`)
	reString  = regexp.MustCompile(`^` + str + `$`)
	reComment = regexp.MustCompile(`^(//.*)?$`)
	known     = []*regexp.Regexp{rePrint, reErr, reShow, reShowID, reClear, rePanic, reLoop, reLate, reInput, reSet, reFunc,
		reString, reComment}
)

// check is the fake's compiler: it looks at the whole cell before it plays.
func (f *Fake) check(c engine.Cell) *engine.CellError {
	made := map[string]bool{}
	for i, line := range strings.Split(c.Code, "\n") {
		at := fmt.Sprintf("cell [%d]:%d:1: ", c.Number, i+1)
		line = strings.TrimSpace(line)
		if m := reSet.FindStringSubmatch(line); m != nil && m[2] == ":=" {
			made[m[1]] = true
		} else if m := reFunc.FindStringSubmatch(line); m != nil {
			made[m[1]] = true
		}
		if slices.ContainsFunc(known, func(r *regexp.Regexp) bool { return r.MatchString(line) }) {
			continue
		}
		m := reValue.FindStringSubmatch(line)
		if m == nil {
			return failure("CompileError", at+"not a statement of the fake: "+line)
		}
		if _, err := f.eval(line); err != "" && !made[m[1]] {
			return failure("CompileError", at+err)
		}
	}
	return nil
}

func (f *Fake) play(ctx context.Context, c engine.Cell, s engine.Sink) (out engine.Outcome) {
	if out.Err = f.check(c); out.Err != nil {
		return out
	}
	lines := strings.Split(strings.TrimSpace(c.Code), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if m := rePanic.FindStringSubmatch(line); m != nil {
			out.Err = failure("Panic", unquote(m[1]))
			return out
		}
		if reLoop.MatchString(line) {
			<-ctx.Done()
			out.Err = failure("Interrupted", "stopped")
			return out
		}
		if m := reSet.FindStringSubmatch(line); m != nil {
			out.Names = append(out.Names, f.set(m[1], value{m[3], false, typeOf(m[3]), c.Number}))
			continue
		}
		if m := reFunc.FindStringSubmatch(line); m != nil {
			out.Names = append(out.Names, f.set(m[1], value{m[2], true, "func() int", c.Number}))
			continue
		}
		if m := reInput.FindStringSubmatch(line); m != nil {
			answer := ask(ctx, s, unquote(m[3]), m[2] == "Password")
			if ctx.Err() != nil {
				out.Err = failure("Interrupted", "stopped")
				return out
			}
			out.Names = append(out.Names, f.set(m[1], value{strconv.Quote(answer), false, "string", c.Number}))
			continue
		}
		if f.show(line, s) || reComment.MatchString(line) || i < len(lines)-1 {
			continue
		}
		if v, _ := f.eval(line); !c.Silent {
			s.Result(text(v))
		}
	}
	return out
}

// show plays the statements that only put something out.
func (f *Fake) show(line string, s engine.Sink) bool {
	if m := rePrint.FindStringSubmatch(line); m != nil {
		s.Stream(false, unquote(m[1])+"\n")
	} else if m := reErr.FindStringSubmatch(line); m != nil {
		s.Stream(true, unquote(m[1])+"\n")
	} else if m := reShow.FindStringSubmatch(line); m != nil {
		s.Display(engine.Display{Bundle: text(unquote(m[1]))})
	} else if m := reShowID.FindStringSubmatch(line); m != nil {
		s.Display(engine.Display{Bundle: text(unquote(m[3])), ID: unquote(m[2]), Update: m[1] == "Update"})
	} else if m := reClear.FindStringSubmatch(line); m != nil {
		s.Clear(m[1] == "true")
	} else if m := reLate.FindStringSubmatch(line); m != nil {
		ms, _ := strconv.Atoi(m[1])
		f.late.Go(func() {
			time.Sleep(time.Duration(ms) * time.Millisecond)
			s.Display(engine.Display{Bundle: text(unquote(m[2]))})
		})
	} else {
		return false
	}
	return true
}

func (f *Fake) set(name string, v value) engine.Name {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names[name] = v
	delete(f.lost, name)
	n := engine.Name{Name: name, Kind: "var", Type: v.typ, Cell: v.cell}
	if v.isFunc {
		n.Kind = "func"
		if _, isName := f.names[v.text]; isName {
			n.Uses = []string{v.text}
		}
	}
	return n
}

// eval gives the text of a constant, a variable or a call, or the error.
func (f *Fake) eval(e string) (string, string) {
	if reString.MatchString(e) {
		return unquote(e), ""
	}
	if _, err := strconv.Atoi(e); err == nil {
		return e, ""
	}
	m := reValue.FindStringSubmatch(e)
	if m == nil {
		return "", "not an expression of the fake: " + e
	}
	f.mu.Lock()
	v, ok := f.names[m[1]]
	why := f.lost[m[1]]
	f.mu.Unlock()
	switch {
	case !ok && why != "":
		return "", "undefined: " + m[1] + " (" + why + ")"
	case !ok:
		return "", "undefined: " + m[1]
	case v.isFunc != (m[2] == "()"):
		return "", m[1] + " is a " + v.typ
	}
	return f.eval(v.text)
}

func typeOf(lit string) string {
	if strings.HasPrefix(lit, `"`) {
		return "string"
	}
	return "int"
}

func unquote(s string) string {
	u, err := strconv.Unquote(s)
	if err != nil {
		panic("enginetest: bad string " + s)
	}
	return u
}

func failure(name, value string) *engine.CellError {
	return &engine.CellError{Name: name, Value: value, Traceback: []string{name + ": " + value}}
}

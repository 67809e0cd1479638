package session

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// spelled is a magic as the user writes it.
func spelled(name string, whole bool) string {
	switch {
	case name == "!":
		return name
	case whole:
		return "%%" + name
	}
	return "%" + name
}

// magic is one row of %help. One that takes Go text has neither run nor cell:
// the cell runs the text.
type magic struct {
	name, args, help string
	whole, code      bool // begins with %%; takes Go text
	run              func(r *run, args string) error
	cell             func(r *run, d cell.Directive) error // of a cell whose text is no Go
}

// magics is filled by init, because %help reads it.
var magics []magic

func init() {
	magics = []magic{
		{name: "!", args: "COMMAND", help: "a command of the shell", run: (*run).command},
		{name: "autoimport", args: "[on|off]", help: "import what a cell names without an import", run: (*run).autoimport},
		{name: "bash", help: "the cell is a script of bash", whole: true, cell: script("bash")},
		{name: "capture", args: "NAME | > FILE", help: "keep what the cell shows", whole: true, code: true},
		{name: "cd", args: "[FOLDER|-]", help: "change the folder", run: (*run).cd},
		{name: "doc", args: "NAME", help: "documentation of a name, as NAME?", run: (*run).doc},
		{name: "engine", args: "[auto|interpret|native]", help: "where cells run", run: (*run).engine},
		{name: "env", args: "[NAME[=VALUE]]", help: "show or set a variable of the environment", run: (*run).env},
		{name: "help", args: "[NAME]", help: "all magics, or one", run: (*run).help},
		{name: "history", args: "[-n N]", help: "the cells that ran, or the last N", run: (*run).history},
		{name: "html", help: "show the text of the cell as HTML", whole: true, cell: exhibit(display.HTML)},
		{name: "latex", help: "show the text of the cell as LaTeX", whole: true, cell: exhibit(display.LaTeX)},
		{name: "limit", args: "[output|patience|memory|build=VALUE …]", help: "what a cell may take", run: (*run).limit},
		{name: "load", args: "FILE", help: "a file as the text of the next cell", run: (*run).load},
		{name: "markdown", help: "show the text of the cell as Markdown", whole: true, cell: exhibit(display.Markdown)},
		{name: "native", help: "what the last cell ran on, and why", run: (*run).native},
		{name: "native", args: "[nopoll]", help: "compile the cell; with nopoll no interrupt can stop it", whole: true, code: true},
		{name: "prun", args: "STATEMENT", help: "where the CPU time goes, by function", code: true},
		{name: "prun", help: "the same for the whole cell", whole: true, code: true},
		{name: "pwd", help: "the folder", run: (*run).pwd},
		{name: "replay", args: "[N N-M …]", help: "run the cells of this session again", run: action("replay")},
		{name: "reset", args: "[-f] [NAME…]", help: "forget all names, or some; -f does not ask", run: (*run).reset},
		{name: "restart", args: "[-f]", help: "a new worker, with the declarations; with -f empty", run: action("restart")},
		{name: "run", args: "FILE.go", help: "run a file as part of the session", run: (*run).file},
		{name: "seed", args: "[N]", help: "declare rng, a generator of random numbers with a seed", run: (*run).seed},
		{name: "sh", help: "the cell is a script of sh", whole: true, cell: script("sh")},
		{name: "time", args: "STATEMENT", help: "wall and CPU time, and where it went", code: true},
		{name: "time", help: "the same for the whole cell", whole: true, code: true},
		{name: "timeit", args: "[-n N] [-r R] STATEMENT", help: "the time of one run, by many", code: true},
		{name: "timeit", args: "[-n N] [-r R]", help: "the same for the whole cell", whole: true, code: true},
		{name: "version", help: "versions of gondola, Go, libzmq, packs and GPU", run: (*run).version},
		{name: "who", args: "[PATTERN]", help: "names of the session", run: (*run).who},
		{name: "whos", args: "[PATTERN]", help: "names with type, shape, bytes and value", run: (*run).whos},
		{name: "writefile", args: "[-a] FILE", help: "write the text of the cell to a file; -a appends", whole: true,
			cell: (*run).writeFile},
	}
}

// find returns the row of a magic, or an error with the nearest names.
func find(d cell.Directive) (magic, error) {
	for _, m := range magics {
		if m.name == d.Name && m.whole == d.Whole {
			return m, nil
		}
	}
	sign := spelled(d.Name, d.Whole)
	var near []string
	for _, m := range magics {
		if m.name == d.Name || distance(m.name, d.Name) <= min(2, len(d.Name)/2) || d.Name != "" && strings.HasPrefix(m.name, d.Name) {
			near = append(near, spelled(m.name, m.whole))
		}
	}
	slices.Sort(near)
	if near = slices.Compact(near); len(near) > 0 {
		return magic{}, fmt.Errorf("unknown magic %s: did you mean %s?", sign, strings.Join(near, " or "))
	}
	return magic{}, fmt.Errorf("unknown magic %s: %%help lists those that are here", sign)
}

// distance is the number of letters that differ between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// action hands a wish on to the process around the engine.
func action(kind string) func(*run, string) error {
	return func(r *run, args string) error {
		r.actions = append(r.actions, engine.Action{Kind: kind, Text: args})
		return nil
	}
}

// say writes a line of text as the cell's standard output.
func (r *run) say(format string, a ...any) {
	r.sink.Stream(false, fmt.Sprintf(format, a...)+"\n")
}

func (r *run) autoimport(args string) error {
	switch args {
	case "on", "off":
		next := r.s.now.Load().clone()
		next.noAuto = args == "off"
		r.s.now.Store(next)
		r.setting("autoimport " + args)
	case "":
		r.say("autoimport is %s", map[bool]string{true: "off", false: "on"}[r.s.now.Load().noAuto])
	default:
		return fmt.Errorf("%%autoimport %s: it is on or off", args)
	}
	return nil
}

func (r *run) engine(args string) error {
	if args == "" {
		r.say("%s", r.s.policy)
		return nil
	}
	p, err := ParsePolicy(args)
	if err != nil {
		return fmt.Errorf("%%engine %s: %w", args, err)
	}
	r.s.policy = p
	r.setting("engine " + args)
	return nil
}

func (r *run) env(args string) error {
	name, value, set := strings.Cut(args, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case args == "":
		list := os.Environ()
		slices.Sort(list)
		r.say("%s", strings.Join(list, "\n"))
	case set:
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("%%env %s: %w", name, err)
		}
		r.setting("env " + name + "=" + value)
	default:
		v, ok := os.LookupEnv(name)
		if !ok {
			return fmt.Errorf("%%env %s: it is not set", name)
		}
		r.say("%s", v)
	}
	return nil
}

func (r *run) help(args string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	name := strings.TrimLeft(args, "%")
	found := false
	for _, m := range magics {
		if name == "" || name == m.name {
			found = true
			fmt.Fprintf(w, "%s %s\t%s\n", spelled(m.name, m.whole), m.args, m.help)
		}
	}
	w.Flush()
	if !found {
		_, err := find(cell.Directive{Name: name})
		return err
	}
	r.actions = append(r.actions, engine.Action{Kind: "page", Text: b.String()})
	return nil
}

func (r *run) native(string) error {
	if r.s.last == "" {
		return fmt.Errorf("%%native: no cell has run yet")
	}
	r.say("%s", r.s.last)
	return nil
}

func (r *run) version(string) error {
	r.say("gondola %s\n%s %s/%s\n%d packages built in",
		r.s.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, len(r.s.index.Paths()))
	for _, line := range r.s.parts {
		r.say("%s", line)
	}
	return nil
}

func (r *run) who(args string) error {
	list, err := r.s.now.Load().who(args)
	if err != nil {
		return fmt.Errorf("%%who: %w", err)
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.name
	}
	r.say("%s", strings.Join(names, " "))
	return nil
}

func (r *run) whos(args string) error {
	text, err := r.s.now.Load().whos(args)
	if err != nil {
		return fmt.Errorf("%%whos: %w", err)
	}
	if n := r.s.background(); n != "" {
		text += n + "\n"
	}
	if n := loaded(); n != "" {
		text += n + "\n"
	}
	r.sink.Stream(false, text)
	return nil
}

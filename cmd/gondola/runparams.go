package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// inject puts the values of -p into the notebook, once each is known to fit
// its variable; -1 means go on, with the options that fit the notebook then.
// Nothing of the notebook has run when it refuses.
func (c *runCall) inject(
	ctx context.Context, cfg worker.Config, name string, nb *notebook.Notebook,
) (notebook.Options, int) {
	opt := c.opt
	if len(c.params) == 0 {
		return opt, -1
	}
	at, err := nb.Parameters()
	if err == nil && len(opt.Only) > 0 && !slices.Contains(opt.Only, at+1) {
		err = fmt.Errorf("--cell leaves out cell %d, the variables of which -p sets", at+1)
	}
	if err == nil {
		err = c.fits(ctx, cfg, nb, at)
	}
	var chosen []*notebook.Cell
	for _, n := range opt.Only {
		chosen = append(chosen, nb.Cells[n-1])
	}
	if err == nil {
		at, err = nb.Inject(c.params)
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "%s: %v\n", name, err)
		return opt, exitUsage
	}
	if len(chosen) > 0 { // the places of cells have moved
		opt.Only = []int{at + 1}
		for i, cell := range nb.Cells {
			if slices.Contains(chosen, cell) {
				opt.Only = append(opt.Only, i+1)
			}
		}
	}
	return opt, -1
}

// unfinished is a name that no cell declares: a text with it is refused before
// anything of it runs, with all its errors.
const unfinished = "theTextIsCheckedOnly"

// fits has a worker check the assignments behind the parameters cell. They are
// checked as the text that they will be, and that text never runs. A cell that
// builds on earlier ones is checked with their text before it.
func (c *runCall) fits(ctx context.Context, cfg worker.Config, nb *notebook.Notebook, at int) error {
	cfg.Limits.Engine, cfg.Limits.Memory = "interpret", c.memory
	e := worker.NewParent(cfg)
	defer e.Close()
	text := func(i int) string {
		code, _ := cell.Directives(nb.Cells[i].Source)
		return strings.TrimRight(code, " \t\n") + "\n"
	}
	own := text(at)
	err, others := c.faults(ctx, e, own)
	if !others || at == 0 {
		return err
	}
	var before strings.Builder
	for i := range at { // one that does not parse would hide the others; it fails when it is run
		if nb.Cells[i].Kind == "code" && parses(ctx, e, text(i)) {
			before.WriteString(text(i))
		}
	}
	err, _ = c.faults(ctx, e, before.String()+own)
	return err
}

// parses says whether a cell has no fault of syntax. It is checked, and never
// runs.
func parses(ctx context.Context, e engine.Engine, text string) bool {
	out := e.Execute(ctx, engine.Cell{ID: 1, Number: 1, Code: text + unfinished, Silent: true}, &notebook.Printer{})
	if out.Err == nil {
		return false
	}
	seen, faults := false, 0
	for _, line := range notebook.Plain(out.Err.Traceback) {
		m := atLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		faults++
		seen = seen || strings.Contains(m[2], unfinished)
		if strings.HasPrefix(m[2], "syntax error") {
			return false
		}
	}
	return seen || faults >= mostTold // else the text behind the fault was not looked at
}

// mostTold is how many errors of a cell are told.
const mostTold = 10

var atLine = regexp.MustCompile(`^cell \[1\]:(\d+):\d+: (.*)`)

// faults checks the assignments behind text: the first that does not fit, and
// whether there are faults elsewhere.
func (c *runCall) faults(ctx context.Context, e engine.Engine, text string) (fault error, others bool) {
	first := strings.Count(text, "\n") + 1
	for _, p := range c.params { // one for each, for only so many errors are told
		out := e.Execute(ctx, engine.Cell{ID: 1, Number: 1, Code: text + p.String() + "\n" + unfinished, Silent: true},
			&notebook.Printer{})
		if out.Err == nil {
			return fmt.Errorf("-p %s: it could not be checked", p), false
		}
		if out.Err.Name != "CompileError" {
			return out.Err, false
		}
		for _, line := range notebook.Plain(out.Err.Traceback) {
			m := atLine.FindStringSubmatch(line)
			if m == nil || strings.Contains(m[2], unfinished) {
				continue
			}
			if n, _ := strconv.Atoi(m[1]); n != first {
				others = true
				continue
			}
			return fmt.Errorf("-p %s=%s: %s", p.Name, p.Value, paramAdvice(p, m[2])), others
		}
	}
	return nil, others
}

// paramAdvice is what the check says of an assignment, with the way out.
func paramAdvice(p notebook.Param, said string) string {
	switch said {
	case "undefined: " + p.Name:
		return "the cell with the tag parameters has no variable " + p.Name
	case "undefined: " + p.Value:
		return fmt.Sprintf("%s (a text needs quotes: -p '%s=\"%s\"')", said, p.Name, p.Value)
	}
	return said
}

package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// ledger is what the parent knows of the session: the texts of the cells that
// ran, the names they made, and the names that went with a worker.
type ledger struct {
	ran       []engine.Cell // the last keptCells, and those that made a name in force
	names     map[string]entry
	lost      map[string]string // name to the words that explain it
	complaint string            // about settings, for the summary
	gone      []entry           // lost with the last worker, for the summary; the caller of die empties it
}

type entry struct {
	engine.Name
	cell int    // index in ran
	why  string // of a lost name: "uses xs"
}

func newLedger() *ledger {
	return &ledger{names: map[string]entry{}, lost: map[string]string{}}
}

// add notes a cell that ran, also one that failed on its way.
func (l *ledger) add(c engine.Cell, names []engine.Name) {
	l.ran = append(l.ran, c)
	for _, n := range names {
		l.names[n.Name] = entry{Name: n, cell: len(l.ran) - 1}
		delete(l.lost, n.Name)
	}
	if len(l.ran) >= 2*keptCells {
		l.thin(len(l.ran) - keptCells)
	}
}

// thin forgets the first n cells that ran, but for those that made a name in
// force.
func (l *ledger) thin(n int) {
	wanted, moved := map[int]bool{}, map[int]int{}
	for _, e := range l.names {
		wanted[e.cell] = true
	}
	var ran []engine.Cell
	for i, c := range l.ran {
		if i >= n || wanted[i] {
			moved[i] = len(ran)
			ran = append(ran, c)
		}
	}
	l.ran = ran
	for name, e := range l.names {
		e.cell = moved[e.cell]
		l.names[name] = e
	}
}

// forget notes names that a magic took out of the session in cell number. Their
// cells may be declared again for the sake of other names: these stay out.
func (l *ledger) forget(names []string, number int) {
	for _, name := range names {
		if e, ok := l.names[name]; ok {
			l.lost[name] = fmt.Sprintf("forgotten in [%d]; made in [%d]: %%replay %d", number, e.Cell, e.Cell)
			delete(l.names, name)
		}
	}
}

// die parts the names into those that a new worker can declare again and those
// that are lost: variables, and what uses a lost name. where is the cell the
// worker ended in. It returns what [engine.Declarer] wants.
func (l *ledger) die(where int) ([]engine.Cell, map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if l.names[name].Kind == "var" {
			l.lose(name, "", where)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(l.names)) {
			e := l.names[name]
			i := slices.IndexFunc(e.Uses, func(u string) bool { return l.lost[u] != "" })
			if i >= 0 && e.Kind != "import" {
				l.lose(name, "uses "+e.Uses[i], where)
				changed = true
			}
		}
	}
	wanted := map[int]bool{}
	for _, e := range l.names {
		wanted[e.cell] = true
	}
	var cells []engine.Cell
	for i, c := range l.ran {
		if wanted[i] {
			c.Expressions = nil
			cells = append(cells, c)
		}
	}
	return cells, maps.Clone(l.lost)
}

func (l *ledger) lose(name, why string, where int) {
	e := l.names[name]
	e.why = why
	delete(l.names, name)
	l.gone = append(l.gone, e)
	words := fmt.Sprintf("lost with the worker in [%d]; made in [%d]: %%replay %d", where, e.Cell, e.Cell)
	if why != "" {
		words = fmt.Sprintf("lost with the worker in [%d], %s; made in [%d]: %%replay %d", where, why, e.Cell, e.Cell)
	}
	l.lost[name] = words
}

// settle notes what the new worker has declared; what did not come back is
// lost too. It returns the summary for the person.
func (l *ledger) settle(back []engine.Name, where int) string {
	there := map[string]bool{}
	for _, n := range back {
		there[n.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if !there[name] {
			l.lose(name, "it does not compile alone", where)
		}
	}
	return l.summary()
}

// summary is "Kept: 3 imports, 2 types, 9 functions. Lost: xs []float64 ([3]),
// cost func ([5], uses xs); %replay runs the cells again".
func (l *ledger) summary() string {
	count := map[string]int{}
	for _, e := range l.names {
		count[e.Kind]++
	}
	var kept []string
	for _, k := range []struct{ kind, one, many string }{{"import", "import", "imports"}, {"type", "type", "types"},
		{"const", "constant", "constants"}, {"func", "function", "functions"}} {
		switch n := count[k.kind]; n {
		case 0:
		case 1:
			kept = append(kept, "1 "+k.one)
		default:
			kept = append(kept, fmt.Sprintf("%d %s", n, k.many))
		}
	}
	text := "Kept: " + or(strings.Join(kept, ", "), "nothing") + ". "
	complaint := l.complaint
	l.complaint = ""
	if len(l.gone) == 0 {
		return text + "Lost: nothing" + complaint
	}
	slices.SortStableFunc(l.gone, func(a, b entry) int { return a.cell - b.cell })
	var lost []string
	for _, e := range l.gone {
		what := e.Name.Name + " " + or(e.Type, e.Kind)
		if e.Kind == "func" {
			what = e.Name.Name + " func"
		}
		if e.why == "" {
			lost = append(lost, fmt.Sprintf("%s ([%d])", what, e.Cell))
		} else {
			lost = append(lost, fmt.Sprintf("%s ([%d], %s)", what, e.Cell, e.why))
		}
	}
	return text + "Lost: " + atMost(lost, ", ") + "; %replay runs the cells again" + complaint
}

// atRisk lists what a kill now would lose: "xs, model and 12 more".
func (l *ledger) atRisk() string {
	var vars []string
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if l.names[name].Kind == "var" {
			vars = append(vars, name)
		}
	}
	switch n := len(vars); {
	case n == 0:
		return "no variable"
	case n > 3:
		return fmt.Sprintf("%s, %s and %d more", vars[0], vars[1], n-2)
	}
	return strings.Join(vars, ", ")
}

func atMost(list []string, sep string) string {
	if n := len(list) - listNames; n > 0 {
		return strings.Join(list[:listNames], sep) + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, sep)
}

// chosen are the kept cells of "3 5-7", or all for "", each once.
func (l *ledger) chosen(list string) ([]engine.Cell, error) {
	keep := func(int) bool { return true }
	if fields := strings.Fields(list); len(fields) > 0 {
		var spans [][2]int
		for _, f := range fields {
			var from, to int
			if n, _ := fmt.Sscanf(f, "%d-%d", &from, &to); n == 1 {
				to = from
			} else if n != 2 {
				return nil, fmt.Errorf("replay: %q is no cell number and no range such as 5-7", f)
			}
			spans = append(spans, [2]int{from, to})
		}
		keep = func(n int) bool {
			return slices.ContainsFunc(spans, func(s [2]int) bool { return s[0] <= n && n <= s[1] })
		}
	}
	var cells []engine.Cell
	for _, c := range l.ran {
		if keep(c.Number) {
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("replay: no cell that ran has such a number")
	}
	return cells, nil
}

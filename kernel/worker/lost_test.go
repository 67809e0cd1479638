package worker

import (
	"fmt"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Of very many cells the last are kept, and those that made a name in force.
func TestLedgerThins(t *testing.T) {
	l := newLedger()
	made := func(n int, names ...engine.Name) {
		l.add(engine.Cell{Number: n, Code: fmt.Sprint("cell ", n)}, names)
	}
	f := func(n int) engine.Name { return engine.Name{Name: "f", Kind: "func", Cell: n} }
	made(1, f(1))
	made(2, engine.Name{Name: "g", Kind: "func", Cell: 2})
	for n := 3; n < 5*keptCells; n++ {
		made(n)
		if n == keptCells {
			made(n, f(n))
		}
		if len(l.ran) >= 2*keptCells {
			t.Fatalf("after cell %d there are %d", n, len(l.ran))
		}
	}
	cells, _ := l.die(1)
	if len(cells) != 2 || cells[0].Code != "cell 2" || cells[1].Code != fmt.Sprint("cell ", keptCells) {
		t.Errorf("declared again: %v", cells)
	}
	for list, want := range map[string]int{"1": 0, "2": 1, fmt.Sprintf("%d-%d", 4*keptCells+1, 4*keptCells+3): 3} {
		if got, _ := l.chosen(list); len(got) != want { // an error says that there are none
			t.Errorf("%%replay %s: %d cells, want %d", list, len(got), want)
		}
	}
}

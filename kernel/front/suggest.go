package front

import (
	"sort"
	"strings"
)

// nearest are the names that are a slip away from name: other case, or the
// fewest edits: at most 2, 1 for names of two to four letters, none for one
// letter, since a short name is near to everything. Ties are all returned,
// sorted.
func nearest(name string, names []string) []string {
	best, found := 2, map[string]bool{}
	switch n := len([]rune(name)); {
	case n < 2:
		best = 0
	case n < 5:
		best = 1
	}
	for _, n := range names {
		d := 0
		if !strings.EqualFold(n, name) {
			if d = edits(name, n, best); d == 0 {
				continue
			}
		} else if n == name {
			continue
		}
		switch {
		case d < best:
			best, found = d, map[string]bool{n: true}
		case d == best:
			found[n] = true
		}
	}
	var l []string
	for n := range found {
		l = append(l, n)
	}
	sort.Strings(l)
	return l
}

// edits is the number of letters to insert, delete, change or swap to come from
// a to b; more than most is most+1.
func edits(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > most || -d > most {
		return most + 1
	}
	var two []int // row i-2
	one := make([]int, len(y)+1)
	for k := range one {
		one[k] = k
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for k := 1; k <= len(y); k++ {
			cost := 1
			if x[i-1] == y[k-1] {
				cost = 0
			}
			row[k] = min(one[k]+1, row[k-1]+1, one[k-1]+cost)
			if i > 1 && k > 1 && x[i-1] == y[k-2] && x[i-2] == y[k-1] {
				row[k] = min(row[k], two[k-2]+1)
			}
		}
		two, one = one, row
	}
	return min(one[len(y)], most+1)
}

// didYouMean is the advice that names the nearest names, or "".
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) > 5 {
		names = names[:5]
	}
	last := len(names) - 1
	if last == 0 {
		return "did you mean " + names[0] + "?"
	}
	return "did you mean " + strings.Join(names[:last], ", ") + " or " + names[last] + "?"
}

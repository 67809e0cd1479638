package notebook

import (
	"fmt"
	"strings"
)

// Texts are what each cell shows, as text: streams, the plain text of results
// and displays, names and values of errors. Pictures and counts are left out.
func (nb *Notebook) Texts() []string {
	all := make([]string, len(nb.Cells))
	for i, c := range nb.Cells {
		var b strings.Builder
		for _, o := range c.Outputs {
			m, _ := o.(map[string]any)
			b.WriteString(textOf(m))
		}
		all[i] = b.String()
	}
	return all
}

// textOf is one output as lines; all but standard output say what they are.
func textOf(m map[string]any) string {
	head, text := "", ""
	switch m["output_type"] {
	case "stream":
		text, _ = m["text"].(string)
		text = fold(text)
		if m["name"] == "stderr" {
			head = "stderr:\n"
		}
	case "error":
		head, text = "error:\n", fmt.Sprint(m["ename"], ": ", m["evalue"])
	default:
		head = map[any]string{"execute_result": "result:\n"}[m["output_type"]]
		if head == "" {
			head = "display:\n"
		}
		data, _ := m["data"].(map[string]any)
		text = plainText(data)
	}
	text = ansi.ReplaceAllString(text, "")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return head + text
}

// Difference is a cell whose text is another than before.
type Difference struct {
	Cell int    `json:"cell"` // place in the notebook, from 1
	ID   string `json:"id"`
	Diff string `json:"diff"` // lines that begin with " ", "-" (stored) or "+" (now)
}

// String is "cell 7 (id 3f2a): the output is not the stored one", and the lines.
func (d Difference) String() string {
	return fmt.Sprintf("cell %d (id %s): the output is not the stored one\n%s", d.Cell, d.ID, d.Diff)
}

// Compare tells the cells that ran whose texts are not those stored before:
// stored is what Texts gave then.
func (nb *Notebook) Compare(stored []string) []Difference {
	list := []Difference{}
	now := nb.Texts()
	for i, c := range nb.Cells {
		if c.Kind == "code" && c.ran && i < len(stored) && stored[i] != now[i] {
			list = append(list, Difference{i + 1, c.ID, diff(stored[i], now[i])})
		}
	}
	return list
}

const (
	diffLines   = 40        // of one cell that are told
	diffContext = 2         // equal lines around a difference
	diffCells   = 4_000_000 // of the table; above it the middle counts as all other
)

// diff is how one text becomes another, line by line, equal ends left out.
func diff(old, now string) string {
	a, b := splitLines(old), splitLines(now)
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var lines []string
	for _, l := range a[max(0, from-diffContext):from] {
		lines = append(lines, " "+l)
	}
	lines = append(lines, middle(a[from:endA], b[from:endB])...)
	for _, l := range a[endA:min(len(a), endA+diffContext)] {
		lines = append(lines, " "+l)
	}
	if more := len(lines) - diffLines; more > 0 {
		lines = append(lines[:diffLines], fmt.Sprintf("… %d lines more", more))
	}
	return strings.Join(lines, "\n")
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// middle is the shortest way from a to b, by the table of the longest common
// subsequence: O(len(a)·len(b)) time and memory.
func middle(a, b []string) (lines []string) {
	if len(a)*len(b) > diffCells {
		for _, l := range a {
			lines = append(lines, "-"+l)
		}
		for _, l := range b {
			lines = append(lines, "+"+l)
		}
		return lines
	}
	w := len(b) + 1
	common := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*w+j] = common[(i+1)*w+j+1] + 1
			} else {
				common[i*w+j] = max(common[(i+1)*w+j], common[i*w+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, " "+a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[(i+1)*w+j] >= common[i*w+j+1]):
			lines = append(lines, "-"+a[i])
			i++
		default:
			lines = append(lines, "+"+b[j])
			j++
		}
	}
	return lines
}

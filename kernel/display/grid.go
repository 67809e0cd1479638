package display

import (
	"html"
	"strings"
	"unicode/utf8"
)

// grid is a table ready to be written: every cell is one line of text.
type grid struct {
	head  []string   // column names; nil: none
	rows  [][]string // each as long as the others
	right []bool     // columns of numbers
	first bool       // the first column is an index or a key
	note  string     // the sizes
}

func (g *grid) all() [][]string {
	if g.head == nil {
		return g.rows
	}
	return append([][]string{g.head}, g.rows...)
}

func (g *grid) text() string {
	var width []int
	for _, r := range g.all() {
		for j, c := range r {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, r := range g.all() {
		var line strings.Builder
		for j, c := range r {
			if j > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(c))
			if g.right[j] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String() + g.note
}

// html escapes every text: a cell may hold what looks like markup.
func (g *grid) html() string {
	var b strings.Builder
	b.WriteString("<table>\n")
	row := func(r []string, tag string) {
		b.WriteString("<tr>")
		for j, c := range r {
			t, style := tag, ""
			if j == 0 && g.first {
				t = "th"
			}
			if g.right[j] {
				style = ` style="text-align:right"`
			} else {
				style = ` style="text-align:left"`
			}
			b.WriteString("<" + t + style + ">" + html.EscapeString(c) + "</" + t + ">")
		}
		b.WriteString("</tr>\n")
	}
	if g.head != nil {
		b.WriteString("<thead>")
		row(g.head, "th")
		b.WriteString("</thead>\n")
	}
	b.WriteString("<tbody>\n")
	for _, r := range g.rows {
		row(r, "td")
	}
	b.WriteString("</tbody>\n</table>\n<p>" + html.EscapeString(g.note) + "</p>")
	return b.String()
}

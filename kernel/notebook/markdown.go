package notebook

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

var (
	heading  = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*\s*$`)
	bullet   = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+(.*)$`)
	rule     = regexp.MustCompile(`^\s*(-{3,}|\*{3,}|_{3,})\s*$`)
	tableCut = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

	codeSpan = regexp.MustCompile("`([^`]+)`")
	image    = regexp.MustCompile(`!\[([^\]]*)\]\(([^)\s]+)[^)]*\)`)
	link     = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)[^)]*\)`)
	strong   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	emphasis = regexp.MustCompile(`\*([^*\s][^*]*)\*`)
	scheme   = regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://`)
)

// markdown turns the part of Markdown that notebooks use into HTML: headings,
// paragraphs, lists, quotes, fenced code, tables, rules, emphasis, code, links.
// Raw HTML is shown as text. A link is its text and its address in brackets,
// without a scheme: the page leads nowhere. attachments are the cell's pictures.
func markdown(src string, attachments any) string {
	m := &marker{lines: strings.Split(src, "\n"), attachments: attachments}
	for m.at < len(m.lines) {
		m.block()
	}
	return m.out.String()
}

type marker struct {
	lines       []string
	at          int
	attachments any
	out         strings.Builder
}

// block takes one block off the lines.
func (m *marker) block() {
	line := m.lines[m.at]
	switch {
	case strings.TrimSpace(line) == "":
		m.at++
	case strings.HasPrefix(strings.TrimSpace(line), "```"):
		m.at++
		body := m.while(func(l string) bool { return !strings.HasPrefix(strings.TrimSpace(l), "```") })
		m.at++
		fmt.Fprintf(&m.out, "<pre class=\"code\">%s</pre>\n", html.EscapeString(strings.Join(body, "\n")))
	case heading.MatchString(line):
		h := heading.FindStringSubmatch(line)
		fmt.Fprintf(&m.out, "<h%d>%s</h%d>\n", len(h[1]), m.inline(h[2]), len(h[1]))
		m.at++
	case rule.MatchString(line):
		m.out.WriteString("<hr>\n")
		m.at++
	case strings.HasPrefix(line, ">"):
		body := m.while(func(l string) bool { return strings.HasPrefix(l, ">") })
		for i, l := range body {
			body[i] = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
		}
		fmt.Fprintf(&m.out, "<blockquote>\n%s</blockquote>\n", markdown(strings.Join(body, "\n"), m.attachments))
	case bullet.MatchString(line):
		m.list()
	case strings.Contains(line, "|") && m.at+1 < len(m.lines) && tableCut.MatchString(m.lines[m.at+1]):
		m.table()
	default:
		body := m.while(func(l string) bool {
			t := strings.TrimSpace(l)
			return t != "" && !heading.MatchString(l) && !bullet.MatchString(l) && !strings.HasPrefix(t, "```") &&
				!strings.HasPrefix(l, ">")
		})
		fmt.Fprintf(&m.out, "<p>%s</p>\n", m.inline(strings.Join(body, "\n")))
	}
}

// while takes lines as long as ok.
func (m *marker) while(ok func(string) bool) []string {
	from := m.at
	for m.at < len(m.lines) && ok(m.lines[m.at]) {
		m.at++
	}
	return append([]string(nil), m.lines[from:m.at]...)
}

func (m *marker) list() {
	kind := "ul"
	if first := bullet.FindStringSubmatch(m.lines[m.at])[1]; len(first) > 1 {
		kind = "ol"
	}
	fmt.Fprintf(&m.out, "<%s>\n", kind)
	for m.at < len(m.lines) && bullet.MatchString(m.lines[m.at]) {
		item := bullet.FindStringSubmatch(m.lines[m.at])[2]
		m.at++
		more := m.while(func(l string) bool { return strings.TrimSpace(l) != "" && l[0] == ' ' && !bullet.MatchString(l) })
		fmt.Fprintf(&m.out, "<li>%s</li>\n", m.inline(strings.Join(append([]string{item}, more...), "\n")))
	}
	fmt.Fprintf(&m.out, "</%s>\n", kind)
}

func (m *marker) table() {
	rows := m.while(func(l string) bool { return strings.Contains(l, "|") })
	m.out.WriteString("<table>\n")
	for i, row := range rows {
		if i == 1 {
			continue
		}
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		m.out.WriteString("<tr>")
		for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(row), "|"), "|") {
			fmt.Fprintf(&m.out, "<%s>%s</%s>", tag, m.inline(strings.TrimSpace(c)), tag)
		}
		m.out.WriteString("</tr>\n")
	}
	m.out.WriteString("</table>\n")
}

// inline is the text of a block. Code spans are put aside first: nothing in
// them is markup.
func (m *marker) inline(s string) string {
	var spans []string
	keep := func(h string) string {
		spans = append(spans, h)
		return fmt.Sprintf("\x00%d\x00", len(spans)-1)
	}
	s = strings.ReplaceAll(s, "\x00", "\ufffd")
	s = codeSpan.ReplaceAllStringFunc(s, func(c string) string {
		return keep("<code>" + html.EscapeString(c[1:len(c)-1]) + "</code>")
	})
	s = image.ReplaceAllStringFunc(s, func(c string) string {
		p := image.FindStringSubmatch(c)
		return keep(m.picture(p[1], p[2]))
	})
	s = link.ReplaceAllString(s, "$1 ($2)")
	s = scheme.ReplaceAllString(s, "")
	s = html.EscapeString(s)
	s = strong.ReplaceAllString(s, "<strong>$1</strong>")
	s = emphasis.ReplaceAllString(s, "<em>$1</em>")
	for i := len(spans) - 1; i >= 0; i-- {
		s = strings.ReplaceAll(s, fmt.Sprintf("\x00%d\x00", i), spans[i])
	}
	return s
}

// picture is an image of Markdown: an attachment or data, else its text.
func (m *marker) picture(alt, address string) string {
	if name, ok := strings.CutPrefix(address, "attachment:"); ok {
		all, _ := m.attachments.(map[string]any)
		data, _ := all[name].(map[string]any)
		if len(data) > 0 {
			return rich(data)
		}
	}
	if strings.HasPrefix(address, "data:image/") {
		return fmt.Sprintf("<img src=\"%s\" alt=\"%s\">", html.EscapeString(address), html.EscapeString(alt))
	}
	return html.EscapeString("[picture: " + alt + "]")
}

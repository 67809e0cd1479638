package notebook

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// still is HTML that asks for nothing from elsewhere and runs nothing: scripts,
// frames and what else loads is left out with all that is in it, handlers and
// addresses are taken off; data pictures and places in the page stay.
func still(src string) string {
	var b strings.Builder
	for src != "" {
		i := strings.IndexByte(src, '<')
		if i < 0 {
			b.WriteString(src)
			break
		}
		b.WriteString(src[:i])
		src = src[i:]
		t, n := readTag(src)
		switch {
		case n == 0: // a "<" that begins no tag
			b.WriteString("&lt;")
			n = 1
		case slices.Contains(loads, t.name):
			if !t.closes {
				n += elementEnd(src[n:], t.name)
			}
		case t.name == "style" && !t.closes:
			end := elementEnd(src[n:], "style")
			body := src[n : n+end]
			if i := strings.LastIndex(body, "</"); i >= 0 {
				body = body[:i]
			}
			t.write(&b)
			b.WriteString(stillStyle(strings.ReplaceAll(body, "<", "")) + "</style>")
			n += end
		case t.name != "":
			t.write(&b)
		}
		src = src[n:]
	}
	return b.String()
}

// loads are the elements that a page without addresses cannot have.
var loads = []string{"script", "iframe", "frame", "frameset", "object", "embed", "applet", "link", "meta", "base",
	"template", "noscript", "portal"}

// empty are those of them that have no end.
var empty = []string{"frame", "embed", "link", "meta", "base"}

// elementEnd is the offset behind the end tag of an element whose start tag
// stands before rest.
func elementEnd(rest, name string) int {
	if slices.Contains(empty, name) {
		return 0
	}
	lower := lowerASCII(rest)
	i := strings.Index(lower, "</"+name)
	if i < 0 {
		return len(rest)
	}
	if j := strings.IndexByte(lower[i:], '>'); j >= 0 {
		return i + j + 1
	}
	return len(rest)
}

// lowerASCII keeps every offset, also of text that is not UTF-8.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// tag is one tag of HTML; comments and declarations are tags without a name.
type tag struct {
	name   string // lower case
	closes bool
	attrs  [][2]string // name as written, value with entities resolved
	single bool        // ends with "/>"
}

var (
	tagHead   = regexp.MustCompile(`^<(/?)([A-Za-z][^\s/>]*)`)
	attribute = regexp.MustCompile(`^[\s/]*([^\s/>=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]*))?`)
	tagEnd    = regexp.MustCompile(`^\s*(/?)\s*>`)
)

// readTag reads the tag at the beginning of src and its length; 0: there is none.
func readTag(src string) (t tag, n int) {
	for open, shut := range map[string]string{"<!--": "-->", "<!": ">", "<?": ">"} {
		if open == "<!" && strings.HasPrefix(src, "<!--") || !strings.HasPrefix(src, open) {
			continue
		}
		if i := strings.Index(src, shut); i >= 0 {
			return tag{}, i + len(shut)
		}
		return tag{}, len(src)
	}
	m := tagHead.FindStringSubmatch(src)
	if m == nil {
		return tag{}, 0
	}
	t.closes, t.name = m[1] == "/", strings.ToLower(m[2])
	for n = len(m[0]); ; {
		if end := tagEnd.FindStringSubmatch(src[n:]); end != nil {
			t.single = end[1] == "/"
			return t, n + len(end[0])
		}
		a := attribute.FindStringSubmatch(src[n:])
		if a == nil { // the text ends within the tag
			return tag{}, len(src)
		}
		value := a[2]
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : len(value)-1]
		}
		t.attrs = append(t.attrs, [2]string{a[1], html.UnescapeString(value)})
		n += len(a[0])
	}
}

// asks are the attributes whose value is an address.
var asks = []string{"href", "src", "srcset", "action", "formaction", "data", "poster", "background", "cite", "longdesc",
	"ping", "manifest", "xlink:href", "imagesrcset", "icon", "classid", "codebase", "usemap", "dynsrc", "lowsrc"}

func (t tag) write(b *strings.Builder) {
	b.WriteString("<")
	if t.closes {
		b.WriteString("/")
	}
	b.WriteString(t.name)
	for _, a := range t.attrs {
		name, value := strings.ToLower(a[0]), a[1]
		here := strings.HasPrefix(value, "#") || strings.HasPrefix(strings.ToLower(value), "data:image/")
		if strings.HasPrefix(name, "on") || strings.HasPrefix(name, "xmlns") || strings.ContainsAny(name, "\"'<") ||
			name == "srcdoc" || slices.Contains(asks, name) && !here {
			continue
		}
		if !slices.Contains(asks, name) {
			value = stillStyle(value)
		}
		b.WriteString(" " + a[0] + `="` + html.EscapeString(value) + `"`)
	}
	if t.single {
		b.WriteString("/")
	}
	b.WriteString(">")
}

var (
	styleURL    = regexp.MustCompile(`(?i)url\(\s*["']?([^"')]*)["']?\s*\)`)
	styleImport = regexp.MustCompile(`(?i)@import[^;]*;?`)
	styleSet    = regexp.MustCompile(`(?i)image-set\(`)
)

// stillStyle takes the addresses out of a style.
func stillStyle(s string) string {
	if strings.Contains(s, `\`) && styleURL.MatchString(strings.ReplaceAll(s, `\`, "")) {
		return "" // an address behind escapes
	}
	s = styleImport.ReplaceAllString(s, "")
	s = styleSet.ReplaceAllString(s, "none(")
	return styleURL.ReplaceAllStringFunc(s, func(u string) string {
		where := strings.ToLower(styleURL.FindStringSubmatch(u)[1])
		if strings.HasPrefix(where, "#") || strings.HasPrefix(where, "data:image/") {
			return u
		}
		return "none"
	})
}

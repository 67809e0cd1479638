package notebook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// pageStyle needs no other file: the page has no address in it.
const pageStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}
pre,code{tab-size:4;font:13px/1.45 ui-monospace,monospace}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.cell{display:flex;margin:.6em 0}.count{flex:0 0 4em;color:#777;font:13px/1.45 ui-monospace,monospace;padding-top:.5em}
.body{flex:1;min-width:0}.code{background:#f5f5f5;border:1px solid #ddd;border-radius:3px;padding:.5em}
.out{padding:.3em .5em;overflow-x:auto}.stderr{background:#fdeeee}.error{border-left:3px solid #c33;background:#fdf5f5}
.out p{margin:.3em 0}img{max-width:100%}table{border-collapse:collapse;font-size:13px}td,th{border:1px solid #ddd;padding:.2em .5em;text-align:right}
blockquote{border-left:3px solid #ddd;margin-left:0;padding-left:1em}`

// HTML is the notebook as one static page: pictures are data in it, and it asks
// for nothing from elsewhere.
func (nb *Notebook) HTML(title string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<style>\n%s\n</style>\n</head>\n<body>\n",
		html.EscapeString(title), pageStyle)
	for _, c := range nb.Cells {
		switch c.Kind {
		case "markdown":
			fmt.Fprintf(&b, "<div class=\"text\">\n%s</div>\n", markdown(c.Source, c.raw["attachments"]))
		case "code":
			c.page(&b)
		default:
			fmt.Fprintf(&b, "<pre>%s</pre>\n", html.EscapeString(c.Source))
		}
	}
	b.WriteString("</body>\n</html>\n")
	// an address in a text is read as before, and is none to a program
	return bytes.ReplaceAll(b.Bytes(), []byte("://"), []byte(":&#47;&#47;"))
}

func (c *Cell) page(b *bytes.Buffer) {
	count := ""
	if c.Count > 0 {
		count = fmt.Sprintf("[%d]", c.Count)
	}
	fmt.Fprintf(b, "<div class=\"cell\"><div class=\"count\">%s</div><div class=\"body\">\n<pre class=\"code\">%s</pre>\n",
		count, html.EscapeString(c.Source))
	for _, o := range c.Outputs {
		m, _ := o.(map[string]any)
		switch m["output_type"] {
		case "stream":
			text, _ := m["text"].(string)
			fmt.Fprintf(b, "<pre class=\"out %s\">%s</pre>\n", html.EscapeString(fmt.Sprint(m["name"])),
				html.EscapeString(ansi.ReplaceAllString(text, "")))
		case "error":
			trace, _ := m["traceback"].([]any)
			var lines []string
			for _, t := range trace {
				lines = append(lines, ansi.ReplaceAllString(fmt.Sprint(t), ""))
			}
			fmt.Fprintf(b, "<pre class=\"out error\">%s</pre>\n", html.EscapeString(strings.Join(lines, "\n")))
		default:
			data, _ := m["data"].(map[string]any)
			fmt.Fprintf(b, "<div class=\"out\">%s</div>\n", rich(data))
		}
	}
	b.WriteString("</div></div>\n")
}

// rich is the best format of a bundle that a page without scripts can show.
func rich(data map[string]any) string {
	if s, ok := data["text/html"].(string); ok {
		return still(s)
	}
	if s, ok := data["image/svg+xml"].(string); ok { // as an image its scripts do not run
		return picture("image/svg+xml", base64.StdEncoding.EncodeToString([]byte(s)), plainText(data))
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif"} {
		if s, ok := data[mime].(string); ok {
			return picture(mime, strings.ReplaceAll(s, "\n", ""), plainText(data))
		}
	}
	if s, ok := data["text/markdown"].(string); ok {
		return markdown(s, nil)
	}
	for _, mime := range []string{"text/latex", "text/plain"} {
		if s, ok := data[mime].(string); ok {
			return "<pre>" + html.EscapeString(ansi.ReplaceAllString(s, "")) + "</pre>"
		}
	}
	if v, ok := data["application/json"]; ok {
		text, _ := json.MarshalIndent(v, "", " ")
		return "<pre>" + html.EscapeString(string(text)) + "</pre>"
	}
	return ""
}

func picture(mime, data, alt string) string {
	return fmt.Sprintf("<img src=\"data:%s;base64,%s\" alt=\"%s\">", mime, html.EscapeString(data), html.EscapeString(alt))
}

func plainText(data map[string]any) string {
	s, _ := data["text/plain"].(string)
	return s
}

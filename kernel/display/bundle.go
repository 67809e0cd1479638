// Package display turns a value into what a notebook can show, and is what a
// cell calls to show one.
package display

// Bundle is one picture of a value in several formats: MIME type to data.
// Binary data is base64 text without line breaks; JSON types are values. It
// always has text/plain when it comes from Of.
type Bundle struct {
	Data map[string]any `json:"data"`
	Meta map[string]any `json:"metadata"`
}

// MIME types of the small methods and calls.
const (
	typeText     = "text/plain"
	typeHTML     = "text/html"
	typeMarkdown = "text/markdown"
	typeLaTeX    = "text/latex"
	typeSVG      = "image/svg+xml"
	typePNG      = "image/png"
	typeJSON     = "application/json"
)

func newBundle() Bundle { return Bundle{Data: map[string]any{}, Meta: map[string]any{}} }

// setText sets text/plain, valid and of bounded size, with the notes below it,
// one line each.
func (b *Bundle) setText(s string, notes []string) {
	s = bounded(s)
	for _, n := range notes {
		if s != "" {
			s += "\n"
		}
		s += "note: " + oneLine(valid(n), 300)
	}
	b.Data[typeText] = s
}

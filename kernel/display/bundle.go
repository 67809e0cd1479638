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

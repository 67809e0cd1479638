package display

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type pair struct{ A, B int }
type small struct{ x, y float64 }
type loud struct{ A int }

func (loud) String() string { return "loud!" }

type ptrError struct{ s string }

func (e *ptrError) Error() string { return "ptr " + e.s }

type shout string

func TestText(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{1 + 2, "3"},
		{2.5 * 2, "5"},
		{"ab", "ab"},
		{shout("hey"), "hey"},
		{[]int{1, 2, 3}, "[1 2 3]"},
		{[]string{"a b", "c"}, "[a b c]"},
		{true, "true"},
		{func(a int) int { return a }, "func(int) int"},
		{func(a any, b ...string) error { return nil }, "func(any, ...string) error"},
		{http.HandlerFunc(nil), "http.HandlerFunc"},
		{pair{1, 2}, "{A:1 B:2}"},
		{&pair{1, 2}, "&{A:1 B:2}"},
		{struct{ A, B int }{1, 2}, "{A:1 B:2}"},
		{small{2, 1}, "{x:2 y:1}"},
		{'a', "97"},
		{new(big.Int).Lsh(big.NewInt(1), 70), "1180591620717411303424"},
		{nil, "<nil>"},
		{(*pair)(nil), "<nil>"},
		{(*ptrError)(nil), "<nil>"},
		{(*big.Int)(nil), "<nil>"},
		{errors.New("e"), "error: e"},
		{&ptrError{"x"}, "error: ptr x"},
		{1500 * time.Millisecond, "1.5s"},
		{[]time.Duration{time.Second}, "[1s]"},
		{[]loud{{1}, {2}}, "[loud! loud!]"},
		{complex(1, -2), "(1-2i)"},
		{"bad \xff byte", "bad \uFFFD byte"},
		{[]byte("ab"), "[97 98]"},
		{struct{}{}, "{}"},
		{[2][]int{{1}, {2, 3}}, "[[1] [2 3]]"},
	} {
		b := Of(tt.v)
		if got := b.Data["text/plain"]; got != tt.want {
			t.Errorf("%#v: %q, want %q", tt.v, got, tt.want)
		}
		if len(b.Data) != 1 || b.Meta == nil {
			t.Errorf("%#v: data %v, meta %v", tt.v, b.Data, b.Meta)
		}
	}
}

// A value that holds itself would overflow the stack in fmt, and no recover
// helps against that.
func TestEndless(t *testing.T) {
	list := []any{1, nil}
	list[1] = list
	mapping := map[string]any{}
	mapping["me"] = mapping
	type node struct{ Next any }
	n := &node{}
	n.Next = []any{n, mapping}
	deep := any(1)
	for range 200 {
		deep = []any{deep}
	}
	for _, v := range []any{list, mapping, deep, struct{ X any }{list}, []any{mapping}, []struct{ V any }{{list}}} {
		if s := Of(v).Data["text/plain"].(string); len(s) > 500 || s == "" {
			t.Errorf("%T: %d bytes of text", v, len(s))
		}
	}
	if s := Of(n).Data["text/plain"].(string); !strings.HasPrefix(s, "*display.node (nested") {
		t.Errorf("node: %q", s)
	}
}

func TestLong(t *testing.T) {
	s := Of(make([]float64, 1_000_000)).Data["text/plain"].(string)
	if !strings.HasSuffix(s, "0 0 … (1,000,000 elements, the first 1,000 shown)]") || len(s) > 3000 {
		t.Errorf("long slice ends in %q", s[max(0, len(s)-80):])
	}
	type cloud struct {
		N    int
		X    []float32
		Name any
		Attr map[string][]int8
		W    []float64
		d    time.Duration
	}
	c := &cloud{2, make([]float32, 20_000), "c", map[string][]int8{"b": {1}, "a": make([]int8, 2000)}, nil, 1}
	s = Of(c).Data["text/plain"].(string)
	s = strings.ReplaceAll(s, strings.Repeat(" 0", 999), "")
	const want = "&{N:2 X:[0 … (20,000 elements, the first 1,000 shown)] Name:c " +
		"Attr:map[a:[0 … (2,000 elements, the first 1,000 shown)] b:[1]] W:[] d:1}"
	if s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	wide := make([]any, 20_000) // each holds all: without a bound 1,000 to the power of 100
	for i := range wide {
		wide[i] = wide
	}
	if s := Of(wide).Data["text/plain"].(string); len(s) > maxText+1000 {
		t.Errorf("%d bytes of text", len(s))
	}
	s = Of(strings.Repeat("é", maxText)).Data["text/plain"].(string)
	if !utf8.ValidString(s) || !strings.HasSuffix(s, "é… (262,144 of 524,288 bytes shown)") {
		t.Errorf("long text ends in %q", s[len(s)-60:])
	}
}

type bundled struct {
	data map[string]any
	meta map[string]any
	err  error
}

func (b bundled) MIMEBundle() (map[string]any, error) { return b.data, b.err }
func (b bundled) MIMEMetadata() map[string]any        { return b.meta }

func onePNG(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestMIMEBundle(t *testing.T) {
	raw := onePNG(3, 2)
	line := base64.StdEncoding.EncodeToString(raw)
	for _, png := range []any{raw, line, line[:20] + "\n" + line[20:] + "\n", "data:image/png;base64," + line,
		string(raw)} {
		b := Of(bundled{data: map[string]any{"image/png": png, "text/plain": "a \xffpicture"}})
		size, _ := b.Meta["image/png"].(map[string]any)
		if b.Data["image/png"] != line || b.Data["text/plain"] != "a \uFFFDpicture" || size["width"] != 3 ||
			size["height"] != 2 {
			t.Errorf("%.20q: data %v, meta %v", png, b.Data, b.Meta)
		}
	}
	b := Of(bundled{
		data: map[string]any{"image/png": raw, "application/vnd.x.v1+json": map[string]any{"a": []float64{1, nan(), 3}},
			"application/json": []byte(`{"n": 12345678901234567890}`)},
		meta: map[string]any{"image/png": map[string]any{"width": 1}},
	})
	text, err := json.Marshal(b.Data["application/vnd.x.v1+json"])
	if err != nil || string(text) != `{"a":[1,null,3]}` {
		t.Errorf("json %s, %v", text, err)
	}
	if text, _ = json.Marshal(b.Data["application/json"]); string(text) != `{"n":12345678901234567890}` {
		t.Errorf("json of bytes %s", text)
	}
	if text, _ = json.Marshal(b.Meta); string(text) != `{"image/png":{"height":2,"width":1}}` {
		t.Errorf("the value's own width is lost: %s", text)
	}
	if s := b.Data["text/plain"].(string); !strings.HasSuffix(s,
		"\nnote: 1 number that JSON cannot hold (NaN or infinite) became null") {
		t.Errorf("text %q", s)
	}
}

func TestMIMEBundleFails(t *testing.T) {
	b := Of(bundled{err: errors.New("no ink")})
	if s := b.Data["text/plain"].(string); len(b.Data) != 1 || !strings.HasSuffix(s, "\nnote: MIMEBundle: no ink") {
		t.Errorf("%v", b.Data)
	}
	b = Of(bundled{data: map[string]any{"text/html": 7, "x/y": []byte{1}}, meta: map[string]any{"a": func() {}}})
	if s := b.Data["text/plain"].(string); b.Data["x/y"] != "AQ==" ||
		!strings.Contains(s, "note: text/html is a int, not text or bytes") ||
		!strings.Contains(s, "note: MIMEMetadata is not JSON") {
		t.Errorf("%v", b.Data)
	}
}

type methods struct{ s string }

func (m methods) HTML() string     { return "<b>" + m.s + "</b>" }
func (m methods) SVG() string      { return `<svg width="10pt" height="20px"/>` }
func (m methods) Markdown() string { return "**" + m.s + "**" }
func (m methods) LaTeX() string    { return "$" + m.s + "$" }
func (m methods) PNG() []byte      { return onePNG(5, 4) }
func (m methods) JSON() any        { return pair{1, 2} }

func TestSmallMethods(t *testing.T) {
	b := Of(methods{"x"})
	got, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(map[string]any{
		"data": map[string]any{"text/html": "<b>x</b>", "image/svg+xml": `<svg width="10pt" height="20px"/>`,
			"text/markdown": "**x**",
			"text/latex":    "$x$", "image/png": base64.StdEncoding.EncodeToString(onePNG(5, 4)),
			"application/json": map[string]int{"A": 1, "B": 2},
			"text/plain":       "{s:x}"},
		"metadata": map[string]any{"image/png": map[string]int{"width": 5, "height": 4},
			"image/svg+xml": map[string]int{"width": 13, "height": 20}},
	})
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type broken struct{ A int }

func (broken) MIMEBundle() (map[string]any, error) { panic("boom") }
func (broken) HTML() string                        { panic(errors.New("html boom")) }
func (broken) Dims() (int, int)                    { panic(broken{}) }
func (broken) At(int, int) float64                 { return 0 }

type badString struct{}

func (*badString) String() string { panic(&badString{}) }

func TestPanicsBecomeNotes(t *testing.T) {
	if s := Of(broken{7}).Data["text/plain"]; s != "{A:7}\nnote: MIMEBundle panicked: boom\nnote: HTML panicked: html boom\nnote: Dims or At panicked: {0}" {
		t.Errorf("%q", s)
	}
	if s := Of(&badString{}).Data["text/plain"]; s != "*display.badString\nnote: String panicked: a value of type *display.badString" {
		t.Errorf("%q", s)
	}
}

type noPixels struct{ image.Image }

func (noPixels) Bounds() image.Rectangle         { return image.Rect(0, 0, 4, 4) }
func (noPixels) ColorModel() color.Model         { return color.RGBAModel }
func (noPixels) At(x, y int) (c color.Color)     { panic("no pixel") }
func (noPixels) Set(x, y int, c color.Color)     {}
func (noPixels) ColorIndexAt(x, y int) (i uint8) { return 0 }

func TestImage(t *testing.T) {
	b := Of(image.NewRGBA(image.Rect(1, 1, 8, 5)))
	raw, err := base64.StdEncoding.DecodeString(b.Data["image/png"].(string))
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(raw))
	size := b.Meta["image/png"].(map[string]any)
	if err != nil || m.Bounds().Dx() != 7 || size["width"] != 7 || size["height"] != 4 ||
		b.Data["text/plain"] != "image, 7 × 4 pixels (*image.RGBA)" {
		t.Errorf("%v, %v, %v", err, b.Meta, b.Data["text/plain"])
	}
	for want, v := range map[string]any{
		"note: an image without pixels has no PNG": image.NewRGBA(image.Rect(0, 0, 0, 9)),
		"note: more than 67,108,864 pixels":        image.NewUniform(color.White),
		"note: the image panicked: no pixel":       noPixels{},
	} {
		b := Of(v)
		if s := b.Data["text/plain"].(string); len(b.Data) != 1 || !strings.Contains(s, want) {
			t.Errorf("%T: %q, want %q", v, s, want)
		}
	}
	if s := Of((*image.RGBA)(nil)).Data["text/plain"]; s != "<nil>" {
		t.Errorf("nil image: %q", s)
	}
}

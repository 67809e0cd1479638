package notebooks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// book is the part of a notebook that is judged.
type book struct {
	Cells []cell `json:"cells"`
}

type cell struct {
	ID       string `json:"id"`
	Type     string `json:"cell_type"`
	Metadata struct {
		Tags []string `json:"tags"`
	} `json:"metadata"`
	Source  text     `json:"source"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type  string                     `json:"output_type"`
	Name  string                     `json:"name"`
	Text  text                       `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	EName string                     `json:"ename"`
	EVal  string                     `json:"evalue"`
}

// text is a string, or a list of lines as the format keeps it.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

func readBook(path string) (book, error) {
	var b book
	data, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

// judge compares what a run made with the committed notebook and returns one
// line for each cell that differs. Cells that the run left out do not count.
func judge(want, got book) (faults []string) {
	made := map[string]cell{}
	for _, c := range got.Cells {
		made[c.ID] = c
	}
	for _, w := range want.Cells {
		if w.Type != "code" || slices.Contains(w.Metadata.Tags, "slow") || slices.Contains(w.Metadata.Tags, "gpu") {
			continue
		}
		g, ok := made[w.ID]
		if !ok {
			faults = append(faults, fmt.Sprintf("cell %s: not in the notebook that ran", w.ID))
			continue
		}
		if why := differ(w, g); why != "" {
			faults = append(faults, fmt.Sprintf("cell %s: %s", w.ID, why))
		}
	}
	return faults
}

// differ tells how the outputs of one cell differ, or "".
func differ(want, got cell) string {
	w, g := joined(want.Outputs), joined(got.Outputs)
	if len(w) != len(g) {
		return fmt.Sprintf("%d outputs, want %d", len(g), len(w))
	}
	volatile, check := slices.Contains(want.Metadata.Tags, "volatile"), slices.Contains(want.Metadata.Tags, "check")
	for i := range w {
		if w[i].Type != g[i].Type || w[i].Name != g[i].Name {
			return fmt.Sprintf("output %d is %s %s, want %s %s", i+1, g[i].Type, g[i].Name, w[i].Type, w[i].Name)
		}
		if w[i].EName != g[i].EName || !sameText(string(w[i].EVal), string(g[i].EVal), 1e-6) {
			return fmt.Sprintf("error %s: %s, want %s: %s", g[i].EName, g[i].EVal, w[i].EName, w[i].EVal)
		}
		switch {
		case check && w[i].Text != g[i].Text:
			return fmt.Sprintf("checks %q, want %q", g[i].Text, w[i].Text)
		case !volatile && !sameText(string(w[i].Text), string(g[i].Text), 1e-6):
			return fmt.Sprintf("%s %q, want %q", g[i].Name, g[i].Text, w[i].Text)
		}
		if why := sameBundle(w[i].Data, g[i].Data, volatile); why != "" {
			return why
		}
	}
	return ""
}

// joined returns outputs with neighbouring texts of one stream as one: how a
// stream is cut is not promised.
func joined(outputs []output) (all []output) {
	for _, o := range outputs {
		if n := len(all); o.Type == "stream" && n > 0 && all[n-1].Type == "stream" && all[n-1].Name == o.Name {
			all[n-1].Text += o.Text
			continue
		}
		all = append(all, o)
	}
	return all
}

func sameBundle(want, got map[string]json.RawMessage, volatile bool) string {
	for mime, w := range want {
		g, ok := got[mime]
		if !ok {
			return "no " + mime
		}
		var a, b text
		isText := json.Unmarshal(w, &a) == nil && json.Unmarshal(g, &b) == nil
		switch {
		case mime == "image/png":
			if why := samePicture(string(a), string(b), volatile); why != "" {
				return why
			}
		case volatile:
		case isText && !sameText(string(a), string(b), 1e-6):
			return fmt.Sprintf("%s %q, want %q", mime, b, a)
		case !isText && !bytes.Equal(w, g):
			return mime + " differs"
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d MIME types, want %d", len(got), len(want))
	}
	return ""
}

var number = regexp.MustCompile(`[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?`)

// sameText compares words exactly and numbers within tol relative.
func sameText(a, b string, tol float64) bool {
	if number.ReplaceAllString(a, "#") != number.ReplaceAllString(b, "#") {
		return false
	}
	xs, ys := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range xs {
		x, err1 := strconv.ParseFloat(xs[i], 64)
		y, err2 := strconv.ParseFloat(ys[i], 64)
		if xs[i] != ys[i] && (err1 != nil || err2 != nil || !(math.Abs(x-y) <= tol*math.Abs(x))) {
			return false
		}
	}
	return true
}

// samePicture holds two PNGs to one size, and, unless what they show changes
// with each run, to at most 0.1 % of pixels that differ by more than 16 of 255
// in a channel. No picture may be of one colour.
func samePicture(want, got string, volatile bool) string {
	a, err1 := decode(want)
	b, err2 := decode(got)
	if err1 != nil || err2 != nil {
		return fmt.Sprintf("a picture does not decode: %v, %v", err1, err2)
	}
	if a.Bounds() != b.Bounds() {
		return fmt.Sprintf("picture of %v, want %v", b.Bounds().Size(), a.Bounds().Size())
	}
	far, blank := 0, true
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if distance(a, b, x, y) > 16<<8 {
				far++
			}
			blank = blank && b.At(x, y) == b.At(r.Min.X, r.Min.Y)
		}
	}
	switch {
	case blank:
		return "a picture of one colour"
	case !volatile && far*1000 > r.Dx()*r.Dy():
		return fmt.Sprintf("%d of %d pixels differ", far, r.Dx()*r.Dy())
	}
	return ""
}

func decode(s string) (image.Image, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil {
		return nil, err
	}
	return png.Decode(bytes.NewReader(b))
}

// distance is the largest difference of a channel, of 65,535.
func distance(a, b image.Image, x, y int) int {
	r1, g1, b1, _ := a.At(x, y).RGBA()
	r2, g2, b2, _ := b.At(x, y).RGBA()
	return max(abs(int(r1)-int(r2)), abs(int(g1)-int(g2)), abs(int(b1)-int(b2)))
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

package plots

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// The file is an APNG: chunks with their sums, one number after the other, a picture
// first that is no frame and is the last frame, which any reader of PNG shows.
func TestMovingPicture(t *testing.T) {
	a, err := sample20(FlowOptions{Options: Options{DPI: 60}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := a.PNG()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	sequence, frames, plays := uint32(0), uint32(0), uint32(9)
	for rest := data[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, body := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Errorf("chunk %s has another sum", kind)
		}
		switch kind {
		case "acTL":
			frames, plays = binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
		case "fcTL", "fdAT":
			if got := binary.BigEndian.Uint32(body); got != sequence {
				t.Errorf("%s has number %d, want %d", kind, got, sequence)
			}
			sequence++
		}
		kinds, rest = append(kinds, kind), rest[12+n:]
	}
	if got := strings.Join(kinds[:5], " "); got != "IHDR acTL IDAT fcTL fdAT" || kinds[len(kinds)-1] != "IEND" {
		t.Errorf("chunks %s", got)
	}
	if frames != 20 || plays != 1 || sequence != 40 {
		t.Errorf("%d frames, %d plays, %d numbers", frames, plays, sequence)
	}
	last, err := a.Frame(a.Len() - 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := last.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if err := same(data, want); err != nil {
		t.Errorf("a reader that does not move shows another picture: %v", err)
	}
	if first, _ := a.Frame(0); first != nil {
		other, err := first.PNG()
		if err != nil || same(data, other) == nil {
			t.Errorf("the first frame is like the last, %v", err)
		}
	}
}

// An animation in a notebook and in a file; above 2 MiB frames are left out.
func TestMovingBundle(t *testing.T) {
	a, err := sample20(FlowOptions{Loop: true, Frames: 10, Options: Options{DPI: 60}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(b["image/png"].(string))
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(raw))
	size := a.MIMEMetadata()["image/png"].(map[string]any)
	if err != nil || size["width"] != 367 || c.Width < 366 || c.Width > 367 || b["text/plain"] != a.Text() || a.Len() != 10 {
		t.Errorf("%v wide, shown at %v, %d frames, %q, %v", c.Width, size, a.Len(), b["text/plain"], err)
	}
	name := filepath.Join(t.TempDir(), "flow.png")
	if err := a.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(name); err != nil || !bytes.Equal(file, raw) {
		t.Errorf("the file differs, %v", err)
	}
	if err := a.WriteFile(name + ".gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("a GIF: %v", err)
	}
	a.thin(4 * maxMoving)
	if f, err := a.Frame(0); a.Len() != 2 || err != nil || !strings.Contains(strings.Join(f.layout.caption, " "), "2 of 20 clouds shown") {
		t.Errorf("%d frames are left, %v", a.Len(), err)
	}
}

// What cannot be drawn is refused.
func TestFlowRefuses(t *testing.T) {
	x, y, _ := rings(8)
	two := []cloud.Cloud{x, y}
	m := Curve{X: []float64{0, 1}, Y: []float64{1, .5}}
	deep := cloud.Cloud{N: 1, D: 4, X: make([]float32, 4)}
	bad := x.Clone()
	bad.X[3] = float32(math.NaN())
	for name, c := range map[string]struct {
		clouds []cloud.Cloud
		target cloud.Cloud
		metric Curve
		opt    FlowOptions
		want   error
	}{
		"one cloud":       {two[:1], y, m, FlowOptions{}, ErrEmpty},
		"metric":          {two, y, Curve{X: []float64{0}, Y: []float64{1}}, FlowOptions{}, ErrShape},
		"lengths":         {two, y, Curve{X: []float64{0, 1}, Y: []float64{1}}, FlowOptions{}, ErrShape},
		"NaN in a cloud":  {[]cloud.Cloud{x, bad}, y, m, FlowOptions{}, ErrNotFinite},
		"NaN in a metric": {two, y, Curve{X: m.X, Y: []float64{1, math.NaN()}}, FlowOptions{}, ErrNotFinite},
		"log of 0":        {two, y, Curve{X: m.X, Y: []float64{1, 0}}, FlowOptions{LogY: true}, ErrLog},
		"dimensions":      {two, spiral(5, 0, 1), m, FlowOptions{}, ErrShape},
		"4 dimensions":    {[]cloud.Cloud{deep, deep}, deep, m, FlowOptions{}, ErrShape},
		"no target":       {two, cloud.Cloud{D: 2}, m, FlowOptions{}, ErrEmpty},
		"frames":          {two, y, m, FlowOptions{Frames: 201}, ErrOption},
		"seconds":         {two, y, m, FlowOptions{Seconds: math.NaN()}, ErrOption},
		"axes":            {two, y, m, FlowOptions{Axes: [2]int{0, 2}}, ErrOption},
		"bars":            {two, y, Curve{X: m.X, Y: m.Y, Err: m.Y}, FlowOptions{}, ErrOption},
		"no room":         {two, y, m, FlowOptions{Options: Options{Height: 100}}, ErrRoom},
	} {
		if _, err := Flow(c.clouds, c.target, c.metric, c.opt); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	a, err := Flow(two, y, m, FlowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Frame(2); !errors.Is(err, ErrOption) {
		t.Errorf("frame 2 of 2: %v", err)
	}
	if _, err := animate([][]byte{[]byte(pngHead)}, 1, 1); err == nil {
		t.Error("a PNG that is cut off is taken")
	}
}

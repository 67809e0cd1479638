package plots

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/gondola-lab/gondola/cloud"
)

// A PDF holds no date of today and no font, for its text is outlines.
func TestPDF(t *testing.T) {
	f, err := pictures()[0].make()
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := f.PDF()
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("%%EOF")) ||
		bytes.Contains(pdf, []byte("/BaseFont")) {
		t.Errorf("%v in %d bytes", err, len(pdf))
	}
	if n := bytes.Count(pdf, []byte("(D:20000101000000)")); n != bytes.Count(pdf, []byte("Date")) || n == 0 {
		t.Errorf("%d fixed dates of %d", n, bytes.Count(pdf, []byte("Date")))
	}
}

// imagesOnly keeps the images that are drawn.
type imagesOnly struct {
	boxes
	images []image.Image
}

func (i *imagesOnly) DrawImage(_ vg.Rectangle, m image.Image) { i.images = append(i.images, m) }

// The PDF writer draws images upside down: upright hands them over so. And it
// keeps images in a map: two of them would come in any order.
func TestPDFImages(t *testing.T) {
	m := image.NewNRGBA(image.Rect(2, 3, 4, 6))
	m.SetNRGBA(3, 3, color.NRGBA{1, 2, 3, 255})
	c := &imagesOnly{}
	upright{c}.DrawImage(vg.Rectangle{}, m)
	if got := c.images[0].At(1, 2); got != (color.NRGBA{1, 2, 3, 255}) {
		t.Errorf("the upper right pixel is handed over as %v", c.images[0])
	}
	for _, d := range pictures() {
		f, err := d.make()
		if err != nil {
			t.Fatal(err)
		}
		all := &imagesOnly{boxes: *newBoxes(f.size())}
		if f.draw(all); len(all.images) > 1 {
			t.Errorf("%s has %d images, at most 1", d.name, len(all.images))
		}
	}
}

var pdfImage = regexp.MustCompile(`(?s)/Width (\d+)\n/Height (\d+)\n/ColorSpace /DeviceRGB.*?/Length (\d+)>>\nstream\n`)

// imageIn returns the colour image of a PDF as it is stored: its stream is the
// IDAT of a PNG, so a PNG around it can be decoded.
func imageIn(t *testing.T, pdf []byte) image.Image {
	t.Helper()
	m := pdfImage.FindSubmatchIndex(pdf)
	if m == nil {
		t.Fatal("no image in the PDF")
	}
	value := func(k int) int {
		v, err := strconv.Atoi(string(pdf[m[2*k]:m[2*k+1]]))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var b bytes.Buffer
	chunk := func(name string, data []byte) {
		body := append([]byte(name), data...)
		for _, v := range []any{uint32(len(data)), body, crc32.ChecksumIEEE(body)} {
			if err := binary.Write(&b, binary.BigEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.WriteString("\x89PNG\r\n\x1a\n")
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(value(1))), uint32(value(2)))
	chunk("IHDR", append(size, 8, 2, 0, 0, 0))
	chunk("IDAT", pdf[m[1]:m[1]+value(3)])
	chunk("IEND", nil)
	out, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sources in the upper half must lie in the lower half of the image that the
// PDF holds, for the writer's transform turns it round.
func TestPDFImageIsTurned(t *testing.T) {
	x := flat(2001, 2, 0)
	for i := range x.N {
		x.X[2*i+1] = 1
	}
	y := cloud.Cloud{N: 1, D: 2, X: []float32{0, 0}}
	f, err := Matching(x, y, entriesOf{2001, 1, []link{{0, 0, 1}}}, MatchingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := f.PDF()
	if err != nil {
		t.Fatal(err)
	}
	m := imageIn(t, pdf)
	top, bottom := 0, 0
	for v := range m.Bounds().Dy() {
		for u := range m.Bounds().Dx() {
			if c := color.NRGBAModel.Convert(m.At(u, v)).(color.NRGBA); near(c, blue) && v < m.Bounds().Dy()*2/5 {
				top++
			} else if near(c, blue) && v > m.Bounds().Dy()*3/5 {
				bottom++
			}
		}
	}
	if top > 0 || bottom == 0 {
		t.Errorf("%d blue pixels above, %d below", top, bottom)
	}
}

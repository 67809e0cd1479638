package install

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// The logo is a gondola that carries three points. It is drawn from formulas,
// so that the vector form and every size of the pixels are one shape.

// hull returns the outline of the boat on a 64×64 sheet: the lower and the
// upper arc of a crescent, prow to the right.
func hull() [][2]float64 {
	var p [][2]float64
	const steps = 48
	for i := 0; i <= steps; i++ { // keel, left to right
		t := float64(i) / steps
		p = append(p, [2]float64{4 + 57*t, 36 + 19*4*t*(1-t) - 17*t*t*t})
	}
	for i := steps; i >= 0; i-- { // deck, back again
		t := float64(i) / steps
		p = append(p, [2]float64{4 + 57*t, 36 + 9*4*t*(1-t) - 17*t*t*t})
	}
	return p
}

// load are the points on board: centre x, y and radius.
var load = [][3]float64{{20, 30, 5}, {34, 32, 5}, {28, 19, 5}}

var (
	hullColour = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	loadColour = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
)

// LogoSVG returns the logo as an SVG picture.
func LogoSVG() []byte {
	var b bytes.Buffer
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><polygon fill="#0072B2" points="`)
	for _, p := range hull() {
		fmt.Fprintf(&b, "%.2f,%.2f ", p[0], p[1])
	}
	b.WriteString(`"/>`)
	for _, c := range load {
		fmt.Fprintf(&b, `<circle fill="#D55E00" cx="%g" cy="%g" r="%g"/>`, c[0], c[1], c[2])
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// LogoPNG returns the logo as a square PNG of size pixels on clear ground,
// smoothed by 4×4 samples a pixel.
func LogoPNG(size int) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	outline, scale := hull(), 64/float64(size)
	for y := range size {
		for x := range size {
			boat, point := 0, 0
			for s := range 16 {
				px := (float64(x) + (float64(s%4)+0.5)/4) * scale
				py := (float64(y) + (float64(s/4)+0.5)/4) * scale
				switch {
				case onLoad(px, py):
					point++
				case inside(outline, px, py):
					boat++
				}
			}
			c := hullColour
			if point > boat {
				c = loadColour
			}
			c.A = uint8(255 * (boat + point) / 16)
			img.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("install: encoding an image in memory: " + err.Error())
	}
	return b.Bytes()
}

func onLoad(x, y float64) bool {
	for _, c := range load {
		if math.Hypot(x-c[0], y-c[1]) <= c[2] {
			return true
		}
	}
	return false
}

// inside tells by the even-odd rule whether a point lies in a polygon.
func inside(p [][2]float64, x, y float64) bool {
	in := false
	for i, j := 0, len(p)-1; i < len(p); j, i = i, i+1 {
		a, b := p[i], p[j]
		if (a[1] > y) != (b[1] > y) && x < (b[0]-a[0])*(y-a[1])/(b[1]-a[1])+a[0] {
			in = !in
		}
	}
	return in
}

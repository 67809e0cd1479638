package plots

import (
	"image"
	"image/draw"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlines is a canvas that draws text as filled glyphs. Two writers need it: the
// PDF one encodes text in a code page of 256 characters, which has no superscript
// minus; the PNG one takes the kerning of a face of 2,048 pixels at every size
// (opentype.Face.Kern), so that T and w of "Two" lie on each other.
type outlines struct{ vg.CanvasSizer }

// FillString fills the glyphs of s from pt on, with the advances and the
// kerning that font.Face.Width counts.
func (o outlines) FillString(face font.Face, pt vg.Point, s string) {
	if face.Font.Size == 0 {
		return
	}
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	scale := face.Font.Size / vg.Length(em)
	var prev sfnt.GlyphIndex
	for i, r := range s {
		g, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic(err) // render makes it an error
		}
		if i > 0 {
			if k, err := face.Face.Kern(&buf, prev, g, em, 0); err == nil {
				pt.X += vg.Length(k) * scale
			}
		}
		segments, err := face.Face.LoadGlyph(&buf, g, em, nil)
		if err != nil {
			panic(err)
		}
		if p := outline(segments, pt, scale); len(p) > 0 {
			o.Fill(p)
		}
		adv, err := face.Face.GlyphAdvance(&buf, g, em, 0)
		if err != nil {
			panic(err)
		}
		pt.X += vg.Length(adv) * scale
		prev = g
	}
}

// outline turns the segments of one glyph into a path; y grows downwards in a
// font file.
func outline(segments sfnt.Segments, pt vg.Point, scale vg.Length) (p vg.Path) {
	at := func(q fixed.Point26_6) vg.Point {
		return vg.Point{X: pt.X + vg.Length(q.X)*scale, Y: pt.Y - vg.Length(q.Y)*scale}
	}
	for i, s := range segments {
		a := s.Args
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				p.Close()
			}
			p.Move(at(a[0]))
		case sfnt.SegmentOpLineTo:
			p.Line(at(a[0]))
		case sfnt.SegmentOpQuadTo:
			p.QuadTo(at(a[0]), at(a[1]))
		case sfnt.SegmentOpCubeTo:
			p.CubeTo(at(a[0]), at(a[1]), at(a[2]))
		}
	}
	if len(segments) > 0 {
		p.Close()
	}
	return p
}

// upright is a canvas whose images stand upright: the PDF writer of gonum/plot
// draws them upside down.
type upright struct{ vg.CanvasSizer }

// DrawImage turns the rows round before they are turned again.
func (u upright) DrawImage(r vg.Rectangle, m image.Image) {
	b := m.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := image.Rect(0, b.Dy()-1-y, b.Dx(), b.Dy()-y)
		draw.Draw(out, row, m, image.Pt(b.Min.X, b.Min.Y+y), draw.Src)
	}
	u.CanvasSizer.DrawImage(r, out)
}

package plots

import (
	"image/png"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// ratioOf runs base and candidate in turn and reports the median of their
// ratios: absolute times on a shared machine move by a factor of five.
func ratioOf(b *testing.B, name string, base, candidate func()) {
	clock := func(f func()) float64 {
		start := time.Now()
		f()
		return time.Since(start).Seconds()
	}
	var rs []float64
	for range 5 {
		rs = append(rs, clock(candidate)/clock(base))
	}
	slices.Sort(rs)
	b.ReportMetric(rs[2], name)
}

func paint(b *testing.B, make func() (*Figure, error)) func() {
	return func() {
		f, err := make()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}

// empty is a themed picture with nothing but its axes.
func empty() (*Figure, error) {
	m := &composer{op: "empty", plot: newPlot(), legend: &legend{scene: &scene{}}, x: span{0, 1}, y: span{0, 1}}
	m.opt, _ = Options{}.check("empty")
	m.labels("empty", "x", "y")
	return m.finish(func() string { return "" })
}

func BenchmarkPicture(b *testing.B) {
	x, y, p := rings(171)
	many := entriesOf{n: 500, m: 500}
	for i := range 500 {
		for k := range 8 {
			many.list = append(many.list, link{i, (i + k*7) % 500, 1 + float64(k)/8})
		}
	}
	u, v, _ := rings(500)
	for name, make := range map[string]func() (*Figure, error){
		"op=scaling/curves=2": func() (*Figure, error) {
			return Scaling([]Curve{power("a", "", 8, 14, 1, 1, .1), power("b", "", 8, 14, 1, 2, .1)}, ScalingOptions{})
		},
		"op=matching/lines=513":  func() (*Figure, error) { return Matching(x, y, p, MatchingOptions{}) },
		"op=matching/lines=4000": func() (*Figure, error) { return Matching(u, v, many, MatchingOptions{}) },
		"op=line/n=1000000": func() (*Figure, error) {
			return Line([]Curve{overRange("a", "", 0, 1, 999_999, math.Sqrt)}, LineOptions{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				paint(b, make)()
			}
			ratioOf(b, "x-empty", paint(b, empty), paint(b, make))
		})
	}
}

// Own dots of 100,000 points against gonum's scatter of 2,000.
func BenchmarkDots(b *testing.B) {
	scatter := func(n int) plotter.XYs {
		out := make(plotter.XYs, n)
		for i := range out {
			out[i] = plotter.XY{X: math.Mod(float64(i)*.618034, 1), Y: float64(i) / float64(n)}
		}
		return out
	}
	draws := func(add func(m *composer)) func() {
		return func() {
			m := &composer{plot: newPlot()}
			m.plot.X.Max, m.plot.Y.Max, m.plot.X.Min, m.plot.Y.Min = 1, 1, 0, 0
			add(m)
			c := vgimg.NewWith(vgimg.UseWH(440, 320), vgimg.UseDPI(110))
			m.plot.Draw(draw.New(c))
			if err := png.Encode(io.Discard, c.Image()); err != nil {
				b.Fatal(err)
			}
		}
	}
	few, many := scatter(2000), scatter(100_000)
	base := draws(func(m *composer) { m.plot.Add(&plotter.Scatter{XYs: few, GlyphStyle: plotter.DefaultGlyphStyle}) })
	style := draw.GlyphStyle{Color: blue, Radius: .8, Shape: disc} // as Matching draws so many
	own := draws(func(m *composer) { m.plot.Add(dots{[]plotter.XYs{many}, []draw.GlyphStyle{style}, 110}) })
	b.Run("op=dots/n=100000", func(b *testing.B) {
		for b.Loop() {
			own()
		}
		ratioOf(b, "x-scatter2000", base, own)
	})
}

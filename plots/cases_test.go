package plots

import (
	"math"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/cloud"
)

// drawn is a picture of the tests: it has a golden, and the layout test takes
// it. texts must stand in it.
type drawn struct {
	name  string
	make  func() (*Figure, error)
	texts []string
}

// entriesOf is a plan as a list.
type entriesOf struct {
	n, m int
	list []link
}

func (e entriesOf) Dims() (int, int) { return e.n, e.m }
func (e entriesOf) Each(f func(i, j int, p float64)) {
	for _, l := range e.list {
		f(l.i, l.j, l.p)
	}
}

// rings are a small ring around (0.2, 0.1) and a larger one around it, and a
// plan that gives the nearest angle 0.7 of the mass of a point and 0.15 to each
// of its neighbours.
func rings(n int) (x, y cloud.Cloud, plan entriesOf) {
	x, y = cloud.Cloud{N: n, D: 2}, cloud.Cloud{N: n, D: 2}
	plan = entriesOf{n: n, m: n}
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		x.X = append(x.X, float32(.6*cos), float32(.6*sin))
		y.X = append(y.X, float32(.2+cos), float32(.1+sin))
		for _, k := range []int{-1, 0, 1} {
			plan.list = append(plan.list, link{i, (i + k + n) % n, []float64{.7, .15}[k*k] / float64(n)})
		}
	}
	return x, y, plan
}

// spiral is a cloud of n points in space.
func spiral(n int, turn, scale float64) cloud.Cloud {
	c := cloud.Cloud{N: n, D: 3}
	for i := range n {
		z := (float64(i) + .5) / float64(n)
		sin, cos := math.Sincos(turn + 2.399963*float64(i))
		r := scale * math.Sqrt(1-(2*z-1)*(2*z-1))
		c.X = append(c.X, float32(r*cos), float32(r*sin), float32(scale*(2*z-1)))
	}
	return c
}

func diagonal(n int) entriesOf {
	plan := entriesOf{n: n, m: n}
	for i := range n {
		plan.list = append(plan.list, link{i, i, 1 / float64(n)})
	}
	return plan
}

// power is a curve a·n^b over sizes 2^from … 2^to with a wave on it.
func power(name, loss string, from, to int, a, b, wave float64) Curve {
	c := Curve{Name: name, Loss: loss}
	for k := from; k <= to; k++ {
		n := math.Pow(2, float64(k))
		c.X = append(c.X, n)
		c.Y = append(c.Y, a*math.Pow(n, b)*(1+wave*math.Cos(3*float64(k))))
	}
	return c
}

// overRange is a curve of f at n+1 places from lo to hi.
func overRange(name, loss string, lo, hi float64, n int, f func(float64) float64) Curve {
	c := Curve{Name: name, Loss: loss}
	for i := range n + 1 {
		x := lo + (hi-lo)*float64(i)/float64(n)
		c.X = append(c.X, x)
		c.Y = append(c.Y, f(x))
	}
	return c
}

func publishedMemory() []Published {
	return []Published{
		{Name: "dense", Source: "figure of CUDA-APML, arXiv 2512.19743, read off to 1 %",
			X: []float64{1024, 4096, 8192, 32768, 65536}, Y: []float64{49.5, 407.5, 1628.8, 18671.8, 69021.3}},
		{Name: "sparse", X: []float64{1024, 4096, 8192, 32768, 65536}, Y: []float64{.384, 1.289, 2.602, 8.555, 16.936}},
	}
}

var nasty = "</script><b>\n\x00 bad \xff\xfe byte, 🚀 and ✈, 10⁻¹ " + strings.Repeat("long words ", 50)

// pictures are all pictures of the goldens.
func pictures() []drawn {
	return slices.Concat(curvePictures(), gridPictures(), seriesPictures(), groupPictures())
}

func curvePictures() []drawn {
	return []drawn{
		{"scaling-memory", func() (*Figure, error) {
			return Scaling([]Curve{power("dense", "apml-dense", 8, 12, 3.2e-5, 2, .04),
				power("sparse", "apml", 8, 18, .0009, .95, .06)},
				ScalingOptions{From: 1024, Published: publishedMemory(), Options: Options{
					Title: "Peak memory of APML, forward and backward, sphere, t = 10⁻²⁰", YLabel: "peak memory", Unit: "MiB",
					Caption: "Variant Faithful"}})
		}, []string{"dense: exponent 1.9919 ± 0.0009", "sparse: exponent 0.946 ± 0.006", "published: dense, sparse",
			"slope 1", "slope 2",
			"peak memory (MiB)", "points per cloud N (count)", "10⁻¹", "10⁵"}},
		{"scaling-entries", func() (*Figure, error) {
			return Scaling([]Curve{power("sparse, t = 10⁻⁸", "apml", 9, 17, 9, .92, .04)}, ScalingOptions{Guides: []float64{1},
				Published: []Published{{Name: "entries", Source: "figure of CUDA-APML",
					X: []float64{512, 4096, 32768, 131072, 262144},
					Y: []float64{3132, 19425, 132771, 478184, 487559}, Crossed: []int{4},
					Reason: "the last point is below the bound of 2N entries"}},
				Options: Options{Title: "Entries of the plan, sphere, Faithful", YLabel: "entries", Unit: "count"}})
		}, []string{"entries (count)", "published: entries", "slope 1", "exponent 0.922 ± 0.003"}},
		{"scaling-errors", func() (*Figure, error) {
			a, b := power("first", "", 6, 12, 2, .5, .2), power("second", "", 6, 7, 40, 0, 0)
			for _, y := range a.Y {
				a.Err = append(a.Err, y*.3)
			}
			b.Err = []float64{20, 50}
			return Scaling([]Curve{a, b}, ScalingOptions{Options: Options{Title: "Error bars, one as large as its value",
				Unit: "ms"}})
		}, []string{"value (ms)", "second: exponent 0.00"}},
		{"scaling-side", func() (*Figure, error) {
			var cs []Curve
			for k, l := range []string{"emd", "sinkhorn", "apml-dense", "apml", "chamfer", "dcd", "hypercd", "infocd"} {
				cs = append(cs, power(strings.ToUpper(l), l, 6, 10, .01*math.Pow(3, float64(k)), 2-.2*float64(k), .09))
			}
			return Scaling(cs, ScalingOptions{Options: Options{Title: "Eight losses: the legend stands beside the data",
				Width: 620, YLabel: "time", Unit: "s"}})
		}, []string{"INFOCD: exponent 0.59 ± 0.02", "EMD: exponent 1.99 ± 0.02", "time (s)"}},
		{"scaling-one", func() (*Figure, error) {
			return Scaling([]Curve{{Name: "one point", X: []float64{1024}, Y: []float64{3}}}, ScalingOptions{})
		}, []string{"Scaling of one point", "value (no unit)", "one point: no fit", "10³"}},
		{"line-jumps", func() (*Figure, error) {
			step := func(x float64) float64 { return math.Sin(x/40) + 2*math.Floor(x/60) }
			return Line([]Curve{overRange("EMD", "emd", 0, 180, 180,
				func(x float64) float64 { return 2 + 3*math.Sin(x*math.Pi/360) }),
				overRange("APML", "apml", 0, 180, 180, step)}, LineOptions{Options: Options{
				Title: "Two losses of a turned ring, N = 256", XLabel: "angle (degrees)", YLabel: "value", Unit: "m"}})
		}, []string{"angle (degrees)", "value (m)", "EMD", "APML", "3 jumps are gaps in the line."}},
		{"line-simple", func() (*Figure, error) {
			return Line([]Curve{overRange("", "", 0, 6, 24, func(x float64) float64 { return math.Exp(-x/3) * math.Cos(2*x) })},
				LineOptions{
					Options: Options{Title: "A damped swing", XLabel: "time (s)", YLabel: "deflection", Unit: "cm"}})
		}, []string{"A damped swing", "time (s)", "deflection (cm)", "−0.5"}},
		{"line-relative", func() (*Figure, error) {
			a := overRange("Chamfer", "chamfer", -1, 1, 20, func(x float64) float64 { return 1e-7 * (x*x + .5) })
			b := overRange("Sinkhorn", "sinkhorn", -1, 1, 20, func(x float64) float64 { return 4e8 * (math.Abs(x) + 1) })
			a.Y[3], b.Y[17] = math.NaN(), math.Inf(1)
			return Line([]Curve{a, b}, LineOptions{Relative: true, Options: Options{XLabel: "shift (m)", SkipNotFinite: true}})
		}, []string{"Chamfer, Sinkhorn", "value / value at x = 0 (no unit)", "2 points not finite left out."}},
		{"matching-rings", func() (*Figure, error) {
			x, y, p := rings(60)
			return Matching(x, y, p, MatchingOptions{Options: Options{Title: "Plan between two rings, 60 points each",
				Unit: "m"}})
		}, []string{"x (m)", "y (m)", "source x: 60 points", "target y: 60 points",
			"180 of 180 entries drawn with 100 % of the mass; marginal error 0 in rows, 0 in columns."}},
		{"matching-space", func() (*Figure, error) {
			x, y := spiral(200, 0, 1), spiral(200, .2, 1.3)
			p := diagonal(200)
			for i := range p.list {
				p.list[i].p *= 1 + .9*math.Sin(float64(i))
			}
			return Matching(x, y, p, MatchingOptions{Axes: [2]int{0, 2},
				Options: Options{Width: 360, Height: 360, Caption: "EMD 0.302"}})
		}, []string{"Plan from 200 points to 200 points", "x (no unit)", "z (no unit)"}},
		{"matching-many", func() (*Figure, error) {
			x, y := spiral(3000, 0, 1), spiral(3000, .1, 1.2)
			return Matching(x, y, diagonal(3000), MatchingOptions{Options: Options{Title: "3,000 points to 3,000", Unit: "m"}})
		}, []string{"source x: 3,000 points"}},
		{"nasty-text", func() (*Figure, error) {
			return Line([]Curve{overRange(nasty, "", 0, 1, 9, math.Sqrt), overRange("plain", "", 0, 1, 9, math.Exp)},
				LineOptions{Options: Options{Title: nasty, XLabel: nasty, YLabel: nasty, Caption: nasty}})
		}, []string{"plain"}},
	}
}

package plots_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/plots"
)

// Memory that grows as the square of N, and memory that grows as N.
func ExampleScaling() {
	dense := plots.Curve{Name: "dense", Loss: "apml-dense", X: []float64{1024, 2048, 4096}, Y: []float64{8, 32, 128}}
	sparse := plots.Curve{Name: "sparse", Loss: "apml", X: []float64{1024, 4096, 16384}, Y: []float64{0.5, 2, 8}}
	f, err := plots.Scaling([]plots.Curve{dense, sparse}, plots.ScalingOptions{
		From:    1024,
		Options: plots.Options{Title: "Memory", YLabel: "peak memory", Unit: "MiB"},
		Published: []plots.Published{{Name: "sparse", Source: "a paper", X: []float64{1024, 65536}, Y: []float64{0.4, 17},
			Crossed: []int{1}, Reason: "the last point was not measured"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())

	_, err = plots.Scaling([]plots.Curve{{Name: "dense", X: []float64{1, 2}, Y: []float64{3, 0}}}, plots.ScalingOptions{})
	fmt.Println(err)
	fmt.Println(errors.Is(err, plots.ErrLog))
	// Output:
	// Memory. peak memory (MiB) over points per cloud N (count): dense: 128 at N = 4,096, exponent 2.0000 ± <0.0001 over N = 1,024 to 4,096 (3 points); sparse: 8 at N = 16,384, exponent 1.0000 ± <0.0001 over N = 1,024 to 16,384 (3 points); published sparse: 2 points, 1 crossed out. Exponents: least squares over N ≥ 1,024. Published sparse: a paper. Crossed out: the last point was not measured.
	// plots.Scaling: a log axis needs values above 0: curve "dense", point 1 is 0
	// true
}

// A value over an angle, with one jump.
func ExampleLine() {
	c := plots.Curve{Name: "value"}
	for a := 0.; a <= 90; a += 10 {
		c.X, c.Y = append(c.X, a), append(c.Y, a/10+20*math.Floor(a/50))
	}
	f, err := plots.Line([]plots.Curve{c}, plots.LineOptions{Options: plots.Options{
		Title: "One loss of a turned ring, N = 6", XLabel: "angle (degrees)", YLabel: "value", Unit: "m"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())
	// Output:
	// One loss of a turned ring, N = 6. value (m) over angle (degrees): value has 10 points, least 0 at 0, most 29 at 90. 1 jump is a gap in the line.
}

// half gives each source half of its mass to its own target and half to the next.
type half int

func (n half) Dims() (int, int) { return int(n), int(n) }
func (n half) Each(f func(i, j int, p float64)) {
	for i := range int(n) {
		f(i, i, 0.5/float64(n))
		f(i, (i+1)%int(n), 0.5/float64(n))
	}
}

// Two squares of four points.
func ExampleMatching() {
	x := cloud.Cloud{N: 4, D: 2, X: []float32{0, 0, 1, 0, 1, 1, 0, 1}}
	y := cloud.Cloud{N: 4, D: 2, X: []float32{2, 0, 3, 0, 3, 1, 2, 1}}
	f, err := plots.Matching(x, y, half(4), plots.MatchingOptions{Options: plots.Options{Unit: "m"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())

	_, err = plots.Matching(x, y, half(5), plots.MatchingOptions{})
	fmt.Println(err)
	// Output:
	// Plan from 4 points to 4 points. 8 of 8 entries drawn with 100 % of the mass; marginal error 0 in rows, 0 in columns.
	// plots.Matching: sizes do not match: the plan is 5×5, the clouds have 4 and 4 points
}

func picture() *plots.Figure {
	f, err := plots.Line([]plots.Curve{{X: []float64{0, 1}, Y: []float64{0, 1}}}, plots.LineOptions{})
	if err != nil {
		panic(err)
	}
	return f
}

func ExampleFigure_WriteFile() {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(picture().WriteFile(filepath.Join(dir, "line.svg")))
	fmt.Println(picture().WriteFile("line.gif"))
	// Output:
	// <nil>
	// plots.WriteFile: unknown kind of file: "line.gif"
}

func ExampleFigure_MIMEBundle() {
	b, err := picture().MIMEBundle()
	fmt.Println(len(b), b["text/plain"], err)
	// Output: 2 one curve. value (no unit) over x (no unit): the curve has 2 points, least 0 at 0, most 1 at 1. <nil>
}

func ExampleFigure_MIMEMetadata() {
	fmt.Println(picture().MIMEMetadata())
	// Output: map[image/png:map[height:489 width:672]]
}

func ExampleFigure_PNG() {
	data, err := picture().PNG()
	fmt.Printf("%q %v\n", data[:4], err)
	// Output: "\x89PNG" <nil>
}

func ExampleFigure_SVG() {
	data, err := picture().SVG()
	fmt.Printf("%s %v\n", data[:5], err)
	// Output: <?xml <nil>
}

func ExampleFigure_PDF() {
	data, err := picture().PDF()
	fmt.Printf("%s %v\n", data[:5], err)
	// Output: %PDF- <nil>
}

func ExampleFigure_Text() {
	fmt.Println(picture().Text())
	// Output: one curve. value (no unit) over x (no unit): the curve has 2 points, least 0 at 0, most 1 at 1.
}

// What our theme does not offer, gonum/plot may.
func ExampleFigure_Plot() {
	f := picture()
	f.Plot().Title.Text = "a title of my own"
	_, err := f.PNG()
	fmt.Println(err)
	// Output: <nil>
}

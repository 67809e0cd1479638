package display_test

import (
	"fmt"
	"image"

	"github.com/gondola-lab/gondola/kernel/display"
)

// page stands for a notebook: it prints the text of what is shown.
type page struct{}

func (page) Display(b display.Bundle, id string, update bool) {
	fmt.Printf("%s id=%q update=%v\n", b.Data["text/plain"], id, update)
}
func (page) Clear(wait bool) { fmt.Println("cleared", wait) }

// quiet shows nothing.
type quiet struct{ page }

func (quiet) Display(display.Bundle, string, bool) {}

func ExampleOf() {
	type loss struct {
		Name  string
		Value float64
	}
	fmt.Println(display.Of([]loss{{"Chamfer", 0.25}, {"EMD", 1}}).Data["text/plain"])
	fmt.Println(display.Of(fmt.Errorf("no such file")).Data["text/plain"])
	// Output:
	//    Name     Value
	// 0  Chamfer   0.25
	// 1  EMD          1
	// 2 rows × 2 columns
	// error: no such file
}

func ExampleShow() {
	fmt.Println(display.Show(1))
	defer display.SetOutput(page{})()
	fmt.Println(display.Show([]int{1, 2}, image.NewGray(image.Rect(0, 0, 3, 2))))
	// Output:
	// display.Show: no notebook is there to show it
	// [1 2] id="" update=false
	// image, 3 × 2 pixels (*image.Gray) id="" update=false
	// <nil>
}

func ExampleUpdate() {
	defer display.SetOutput(page{})()
	display.ShowID("progress", "step 1")
	display.Update("progress", "step 2")
	display.Update("other", "was not there yet")
	// Output:
	// step 1 id="progress" update=false
	// step 2 id="progress" update=true
	// was not there yet id="other" update=false
}

func ExampleShowID() {
	defer display.SetOutput(page{})()
	fmt.Println(display.ShowID("", 1))
	display.ShowID("value", 1)
	// Output:
	// display.ShowID: the id is empty
	// 1 id="value" update=false
}

func ExampleClear() {
	defer display.SetOutput(page{})()
	display.Show("old")
	display.Clear(true)
	// Output:
	// old id="" update=false
	// cleared true
}

func ExampleHTML() {
	defer display.SetOutput(page{})()
	display.HTML("<b>bold</b> &amp; plain")
	// Output: bold & plain id="" update=false
}

func ExampleMarkdown() {
	defer display.SetOutput(page{})()
	display.Markdown("the cost $|x-y|^2$")
	// Output: the cost $|x-y|^2$ id="" update=false
}

func ExampleLaTeX() {
	defer display.SetOutput(page{})()
	display.LaTeX(`$\varepsilon$`)
	// Output: $\varepsilon$ id="" update=false
}

func ExampleSVG() {
	defer display.SetOutput(page{})()
	display.SVG(`<svg width="30" height="20"></svg>`)
	// Output: SVG drawing, 30 × 20 pixels id="" update=false
}

func ExamplePNG() {
	defer display.SetOutput(page{})()
	fmt.Println(display.PNG([]byte("not a picture")))
	// Output: display.PNG: 13 bytes that are no PNG: png: invalid format: not a PNG file
}

func ExampleJSON() {
	defer display.SetOutput(page{})()
	display.JSON([]int{1})
	// Output:
	// [
	//   1
	// ] id="" update=false
}

func ExampleNewID() {
	defer display.SetOutput(quiet{})()
	id := display.NewID()
	fmt.Println(id != display.NewID(), display.ShowID(id, "a") == nil)
	// Output: true true
}

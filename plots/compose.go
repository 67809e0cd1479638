package plots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// add puts layers of data into the picture, each over those before.
func (m *composer) add(layers ...plot.Plotter) {
	m.layers = append(m.layers, layers...)
	m.plot.Add(layers...)
}

// addBar puts the colour bar at the right of the data.
func (m *composer) addBar(b bar) {
	m.bar, m.right = &b, b.off+b.width()
	m.plot.Add(b)
}

// see counts a data point: ranges hold it, and labels keep clear of it.
func (m *composer) see(x, y float64) {
	m.x.add(x)
	m.y.add(y)
	m.legend.scene.points = append(m.legend.scene.points, plotter.XY{X: x, Y: y})
}

// labels sets title and axes: the caller's, or those given.
func (m *composer) labels(title, x, y string) {
	o := m.opt
	m.title = orText(o.Title, title)
	m.xLabel = withUnit(orText(o.XLabel, x), "")
	m.yLabel = withUnit(orText(o.YLabel, y), o.Unit)
	if c := clean(o.Caption); c != "" {
		m.captions = append(m.captions, sentence(c))
	}
}

// orText is the caller's text, or ours where there is none.
func orText(own, def string) string {
	if c := clean(own); c != "" {
		return c
	}
	return def
}

// dropped says in the caption how many points were not finite.
func (m *composer) dropped(n int) {
	if n > 0 {
		m.captions = append(m.captions, points(n)+" not finite left out.")
	}
}

// sentence is the text of the picture: title, axes, facts and caption.
func (m *composer) sentence(facts []string) string {
	s := sentence(m.title) + " " + m.yLabel.String() + " over " + m.xLabel.String() + ": " + strings.Join(facts, "; ") +
		"."
	return strings.TrimSpace(s + " " + strings.Join(m.captions, " "))
}

// sentence ends s with a full stop.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

func points(n int) string {
	if n == 1 {
		return "1 point"
	}
	return wholeNumber(float64(n)) + " points"
}

// names lists the curves, as many as a title can hold.
func names(ss []series) string {
	var out []string
	for i, s := range ss {
		if i == 4 {
			out = append(out, fmt.Sprintf("%d more", len(ss)-i))
			break
		}
		if s.name != "" {
			out = append(out, s.name)
		}
	}
	if len(out) == 0 {
		return "one curve"
	}
	return list(out)
}

// join makes one text of sentences.
func join(captions []string) string { return strings.Join(captions, " ") }

// xy is a point of the data.
func xy(x, y float64) plotter.XY { return plotter.XY{X: x, Y: y} }

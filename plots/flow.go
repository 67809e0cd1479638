package plots

import (
	"encoding/base64"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gondola-lab/gondola/cloud"
)

// FlowOptions tune [Flow]. The zero value is the recommended setting.
type FlowOptions struct {
	Options         // Unit is that of the coordinates; of Height zero means 400.
	Metric  string  // name of the metric below, with its unit in brackets. Empty: "value".
	LogY    bool    // a logarithmic axis of the metric, whose values must be above 0.
	Axes    [2]int  // the coordinates to project on, from 0. Both zero means 0 and 1.
	Frames  int     // frames at most, 2 to 200, an even choice. Zero means 25.
	Seconds float64 // that it takes, 0.1 to 60. Zero means 0.2 a frame, 5 at most.
	Loop    bool    // begin again at the end, for ever.
}

// Limits of an animation.
const (
	usualFrames, maxFrames = 25, 200
	maxMoving              = 2 << 20 // bytes; over it frames are left out
)

// Animation is a picture that moves. It shows itself in a notebook by
// [Animation.MIMEBundle]; what cannot move shows the last frame.
type Animation struct {
	mu   sync.Mutex
	film *film
	kept []int // frames
	data []byte
}

// Flow draws clouds on their way to a target, one after the other, and below them a
// metric of each, with a mark that goes along: one range over all frames, the number of
// the step, moving points as discs, the target as triangles. It plays once.
//
// metric holds one X (the step) and one Y (a loss, say) for each cloud; clouds have as
// many dimensions as the target, 1 to 3, and need not have equally many points. Above 2
// MiB frames are left out, and the picture says so. Errors: ErrEmpty, ErrShape,
// ErrNotFinite, ErrLog, ErrRange, ErrOption, ErrRoom.
func Flow(clouds []cloud.Cloud, target cloud.Cloud, metric Curve, opt FlowOptions) (*Animation, error) {
	const op = "Flow"
	if opt.Height == 0 {
		opt.Height = 400
	}
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	m := &film{clouds: clouds, target: target, opt: opt}
	m.opt.Options = o
	if err := m.check(metric); err != nil {
		return nil, err
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	a := &Animation{film: m}
	for k := range min(m.opt.Frames, len(clouds)) {
		a.kept = append(a.kept, k*(len(clouds)-1)/(min(m.opt.Frames, len(clouds))-1))
	}
	if _, err := a.Frame(len(a.kept) - 1); err != nil { // what one frame lacks all lack
		return nil, err
	}
	return a, nil
}

// film is what all frames have in common.
type film struct {
	clouds []cloud.Cloud
	target cloud.Cloud
	opt    FlowOptions
	metric series
	x, y   span // of the clouds
	at, of span // of the metric
	note   string
}

// check refuses what cannot be drawn, and fills in what is usual.
func (m *film) check(metric Curve) error {
	const op = "Flow"
	n := len(m.clouds)
	if n < 2 {
		return fail(op, ErrEmpty, "give at least two clouds", "%d clouds", n)
	}
	if len(metric.X) != n {
		return fail(op, ErrShape, "give one X and Y of the metric for each cloud", "%d clouds, %d values of the metric", n,
			len(metric.X))
	}
	if m.opt.Axes == [2]int{} {
		m.opt.Axes = [2]int{0, 1}
	}
	if m.opt.Frames == 0 {
		m.opt.Frames = usualFrames
	}
	if m.opt.Frames < 2 || m.opt.Frames > maxFrames {
		return fail(op, ErrOption, "give 2 to 200 frames, or leave it out", "Frames is %d", m.opt.Frames)
	}
	if m.opt.Seconds == 0 {
		m.opt.Seconds = min(5, .2*float64(min(n, m.opt.Frames)))
	}
	if !(m.opt.Seconds >= .1 && m.opt.Seconds <= 60) {
		return fail(op, ErrOption, "give 0.1 to 60 seconds, or leave it out", "Seconds is %g", m.opt.Seconds)
	}
	if metric.Err != nil || m.opt.SkipNotFinite {
		return fail(op, ErrOption, "leave Err and SkipNotFinite out", "a metric with error bars or gaps")
	}
	for k, c := range append(m.clouds[:n:n], m.target) {
		name := fmt.Sprintf("of frame %d", k)
		if k == n {
			name = "target"
		}
		if err := checkCloud(op, name, c, m.opt.Axes); err != nil {
			return err
		}
		if c.D != m.target.D {
			return fail(op, ErrShape, "give clouds of one dimension", "cloud %s has %d dimensions, the target %d", name, c.D,
				m.target.D)
		}
	}
	ss, _, err := checkCurves(op, []Curve{metric}, m.opt.Options, logAxes{y: m.opt.LogY})
	if err == nil {
		err = looks(op, ss)
	}
	if err != nil {
		return err
	}
	m.metric = ss[0]
	return nil
}

// settle finds the ranges, which are those of all frames.
func (m *film) settle() error {
	const op = "Flow"
	m.x, m.y, m.at, m.of = newSpan(), newSpan(), newSpan(), newSpan()
	for _, c := range append(m.clouds[:len(m.clouds):len(m.clouds)], m.target) {
		for _, q := range project(c, m.opt.Axes) {
			m.x.add(q.X)
			m.y.add(q.Y)
		}
	}
	m.metric.takeLogs(logAxes{y: m.opt.LogY})
	for _, q := range m.metric.points {
		m.at.add(q.x)
		m.of.add(q.y)
	}
	for k, s := range []span{m.x, m.y, m.at, m.of} {
		name := []string{"the horizontal axis", "the vertical axis", "the step", "the metric"}[k]
		if err := checkSpan(op, name, s.lo, s.hi); err != nil {
			return err
		}
	}
	m.x.pad(.04)
	m.y.pad(.04)
	m.at.pad(.03)
	m.of.padFor(m.opt.LogY, .08)
	return nil
}

// layers are the points of a frame.
func (m *film) layers(k int) (out []plot.Plotter, marks []entry) {
	all := []plotter.XYs{project(m.target, m.opt.Axes), project(m.clouds[k], m.opt.Axes)}
	n := max(len(all[0]), len(all[1]))
	r := max(vg.Length(2.4*math.Sqrt(min(1, 500/float64(n)))), .8)
	styles := []draw.GlyphStyle{{Color: vermilion, Radius: r, Shape: pyramid}, {Color: blue, Radius: r, Shape: disc}}
	if n > manyDots {
		out = []plot.Plotter{dots{[]plotter.XYs{even(all[0]), even(all[1])}, styles, m.opt.dots()}}
	} else {
		out = []plot.Plotter{glyphs{all[0], styles[0]}, glyphs{all[1], styles[1]}}
	}
	for i, name := range []string{"target y", "moving x"} {
		g := styles[i]
		g.Radius = glyphRadius
		marks = append(marks, entry{glyph: &g, shown: name + ": " + points(len(all[i]))})
	}
	return out, marks
}

// curve are the layers of the metric, with the mark of frame k.
func (m *film) curve(k int) []plot.Plotter {
	var line plotter.XYs
	for _, q := range m.metric.points {
		line = append(line, xy(q.x, q.y))
	}
	here := m.metric.points[k]
	mark := draw.GlyphStyle{Color: blue, Radius: glyphRadius + 1, Shape: disc}
	return []plot.Plotter{path{[]plotter.XYs{line}, m.metric.look.line()}, marks{[]sample{here}, mark}}
}

// Len is how many frames there are.
func (a *Animation) Len() int { return len(a.kept) }

// Frame is one frame as a picture, from 0 to Len − 1.
//
// Errors: ErrOption, ErrRoom.
func (a *Animation) Frame(k int) (*Figure, error) {
	if k < 0 || k >= len(a.kept) {
		return nil, fail("Flow", ErrOption, "count the frames from 0", "frame %d of %d", k, len(a.kept))
	}
	return a.film.frame(a.kept[k], k, len(a.kept))
}

// PNG returns the animation as an APNG file, of 2 MiB at most.
func (a *Animation) PNG() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.data == nil {
		var frames [][]byte
		for k := range a.kept {
			f, err := a.Frame(k)
			if err != nil {
				return nil, err
			}
			data, err := f.PNG()
			if err != nil {
				return nil, err
			}
			frames = append(frames, data)
		}
		plays := 1
		if a.film.opt.Loop {
			plays = 0
		}
		data, err := animate(frames, int(1000*a.film.opt.Seconds/float64(len(frames))), plays)
		if err != nil {
			return nil, &Error{"plots.Flow", err, ""}
		}
		if len(data) <= maxMoving || len(a.kept) <= 2 {
			a.data = data
			break
		}
		a.thin(len(data))
	}
	if len(a.data) > maxMoving {
		return nil, fail("Flow", ErrRange, "make Width, Height or DPI smaller", "two frames take %d bytes, at most %d",
			len(a.data), maxMoving)
	}
	return a.data, nil
}

// thin leaves frames out, so that a file of so many bytes becomes small enough.
func (a *Animation) thin(bytes int) {
	n := len(a.kept)
	keep := max(2, min(n-1, int(float64(n)*maxMoving/float64(bytes)*.95)))
	var kept []int
	for k := range keep {
		kept = append(kept, a.kept[k*(n-1)/(keep-1)])
	}
	a.kept = kept
	a.film.note = fmt.Sprintf("%d of %d clouds shown", keep, len(a.film.clouds))
}

// MIMEBundle returns the animation as image/png (base64, one line) and its sentence as
// text/plain.
func (a *Animation) MIMEBundle() (map[string]any, error) {
	data, err := a.PNG()
	if err != nil {
		return nil, err
	}
	return map[string]any{"image/png": base64.StdEncoding.EncodeToString(data), "text/plain": a.Text()}, nil
}

// MIMEMetadata returns the size at which it is shown, in pixels.
func (a *Animation) MIMEMetadata() map[string]any {
	f := Figure{opt: a.film.opt.Options}
	return f.MIMEMetadata()
}

// Text is the animation in one sentence, for a reader who cannot see it.
func (a *Animation) Text() string {
	m := a.film
	first, last := m.metric.curve, len(m.metric.curve.X)-1
	s := fmt.Sprintf("%s %d frames of %s on their way to %s; %s is %s at step %s, %s at step %s. %s", sentence(m.title()),
		len(a.kept), points(m.clouds[0].N), points(m.target.N), m.name(), number(first.Y[0]), number(first.X[0]),
		number(first.Y[last]), number(first.X[last]), sentence(clean(m.opt.Caption)))
	return strings.Join(strings.Fields(s), " ")
}

// WriteFile writes the animation to a file that ends in .png or .apng, as
// [Figure.WriteFile] does.
func (a *Animation) WriteFile(name string) error {
	if ext := strings.ToLower(filepath.Ext(name)); ext != ".png" && ext != ".apng" {
		return fail("WriteFile", ErrFormat, "end the name in .png or .apng", "%q", name)
	}
	data, err := a.PNG()
	if err != nil {
		return err
	}
	if err := writeFile(name, data); err != nil {
		return &Error{"plots.WriteFile", err, "choose a folder that exists and can be written to"}
	}
	return nil
}

func (m *film) title() string { return orText(m.opt.Title, "Flow of "+points(m.clouds[0].N)) }
func (m *film) name() string  { return withUnit(orText(m.opt.Metric, "value"), "").String() }

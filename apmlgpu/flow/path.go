package flow

import (
	"fmt"

	"github.com/gondola-lab/gondola/cloud"
)

// Path is where a flow went. Entry k of the slices of numbers is of the cloud after k
// steps, so that there is one more than steps were taken.
type Path struct {
	Value    []float64 // of the loss
	GradNorm []float64 // root mean square over the points of |Scale · GradX|: what a step moves a point, over Step
	RowError []float64 // Stats.RowError of the loss; 0 of losses without a plan
	Seconds  []float64 // since the start, when the loss was there

	Clouds []cloud.Cloud // kept: every k-th, the first and the last; read them
	At     []int         // after how many steps each of them is

	Calls     int    // of the loss
	Converged bool   // the flow ended as it was meant to
	Reason    string // why it ended, "" where an error says it
}

// End is the last cloud, the empty one of an empty path.
func (p Path) End() cloud.Cloud {
	if len(p.Clouds) == 0 {
		return cloud.Cloud{}
	}
	return p.Clouds[len(p.Clouds)-1]
}

// Steps counts the steps from 0: the X of a curve whose Y is one of the slices.
func (p Path) Steps() []float64 {
	out := make([]float64, len(p.Value))
	for k := range out {
		out[k] = float64(k)
	}
	return out
}

// Kept is after how many steps each kept cloud is, and its value: the metric of a moving
// picture of the clouds.
func (p Path) Kept() (steps, values []float64) {
	for _, k := range p.At {
		steps, values = append(steps, float64(k)), append(values, p.Value[k])
	}
	return steps, values
}

// String is the path in a line.
func (p Path) String() string {
	n := len(p.Value)
	if n == 0 {
		return "flow: no step"
	}
	s := fmt.Sprintf("flow of %d points, %d steps, %d calls of the loss: value %.6g to %.6g, gradient %.4g to %.4g",
		p.End().N, n-1, p.Calls, p.Value[0], p.Value[n-1], p.GradNorm[0], p.GradNorm[n-1])
	if p.Reason != "" {
		s += "; " + p.Reason
	}
	return s
}

// MIMEBundle shows the path in a notebook: its line of text.
func (p Path) MIMEBundle() (map[string]any, error) {
	return map[string]any{"text/plain": p.String()}, nil
}

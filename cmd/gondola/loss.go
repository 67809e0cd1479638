package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"strings"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// lossLine is what gondola loss prints: one object on one line.
type lossLine struct {
	Loss      string   `json:"loss"`
	Value     float64  `json:"value"`
	N         int      `json:"n"`
	M         int      `json:"m"`
	NNZ       int64    `json:"nnz"`
	RowError  float64  `json:"row_error"`
	ColError  float64  `json:"col_error"`
	Threshold float64  `json:"threshold"`
	Method    string   `json:"method"`
	Backend   string   `json:"backend"`
	PeakBytes int64    `json:"peak_bytes"`
	Seconds   float64  `json:"seconds"`
	Notes     []string `json:"notes"`

	APML       *apmlLine      `json:"apml,omitempty"`
	Sinkhorn   *sinkhornLine  `json:"sinkhorn,omitempty"`
	Directions int            `json:"directions,omitempty"`
	StdErr     *float64       `json:"std_err,omitempty"`
	Direction  []float64      `json:"direction,omitempty"`
	Metrics    map[string]any `json:"metrics,omitempty"`
}

// metricWords are the metrics that a call was asked for, by name.
func metricWords(m *apmlgpu.MetricValues) map[string]any {
	if m == nil {
		return nil
	}
	words := map[string]any{}
	if m.Quantile > 0 {
		words["quantile"], words["hausdorff"] = m.Quantile, m.Hausdorff
		words["hausdorff_x"], words["hausdorff_y"] = m.HausdorffX, m.HausdorffY
	}
	if m.Radius > 0 {
		words["radius"], words["fscore"], words["precision"], words["recall"] = m.Radius, m.FScore, m.Precision, m.Recall
	}
	if m.Hits != nil {
		hits := make([][2]int, len(m.Hits))
		for k, h := range m.Hits {
			hits[k] = [2]int{h.Hits, h.Points}
		}
		words["coverage"], words["uncovered"], words["hits"] = m.Coverage, m.Uncovered, hits
	}
	return words
}

// runLoss is gondola loss NAME A B: one loss between two clouds, as one line of
// JSON.
func runLoss(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && isHelp(args[0]) {
		lossUsage(stdout)
		return exitOK
	}
	set := newFlags("loss", "", stdout, stderr)
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return set.wrong("no loss is named first; there are %s", strings.Join(lossNames(), ", "))
	}
	l, ok := findLoss(args[0])
	if !ok {
		return set.wrong("no loss %q; there are %s", args[0], strings.Join(lossNames(), ", "))
	}
	opt := l.Options()
	set = newFlags("loss "+l.Name, "A B [flags]", stdout, stderr)
	optionFlags(set, opt, withNeeds(l))
	traceFlag(set, opt, stderr)
	grad := set.String("grad", "", "write both gradients to `FILE.npz`, as gradx and grady")
	read := readingFlags(set)
	files, code := set.parse(args[1:], -1)
	zero := givenZero(set, opt, l.Defaults)
	switch {
	case code >= 0:
		return code
	case zero != "":
		return set.wrong("--%s 0 would mean its default: leave it out, or give another number", zero)
	case len(files) != 2:
		return set.wrong("%d files, want two", len(files))
	case *grad != "" && l.Metric:
		return set.wrong("--grad: %s is a metric and has no gradient", l.Name)
	case *grad != "" && boolField(opt, "NoGrad"):
		return set.wrong("--grad and --no-grad exclude each other")
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt)
	defer release()
	setContext(opt, ctx)
	line, err := lossOf(l, opt, files, *read, *grad)
	if line != nil {
		text, encodeErr := json.Marshal(line)
		if encodeErr != nil {
			err = errors.Join(err, encodeErr)
		} else if _, writeErr := fmt.Fprintf(stdout, "%s\n", text); writeErr != nil {
			err = errors.Join(err, writeErr)
		}
	}
	return lossExit(err, stderr)
}

// lossExit prints an error with its advice and chooses the exit code.
func lossExit(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	code := fail(stderr, "loss", err)
	switch {
	case errors.Is(err, apmlgpu.ErrCanceled):
		return exitInterrupted
	case errors.Is(err, apmlgpu.ErrOption), errors.Is(err, cloud.ErrOption):
		return exitUsage
	case errors.Is(err, apmlgpu.ErrBackend):
		return exitMissing
	}
	return code
}

// lossOf reads both files, calls the loss and writes the gradients. A line may
// come with an error: that of a loss that did not converge.
func lossOf(l apmlgpu.Loss, opt any, files []string, read cloud.Options, grad string) (*lossLine, error) {
	var clouds [2]cloud.Cloud
	notes := []string{}
	counted := collectEarly()
	for k, path := range files {
		read.Note = func(s string) { notes = append(notes, path+": "+s) }
		c, err := cloud.OpenWith(path, read)
		if err != nil {
			return nil, err
		}
		clouds[k] = c
	}
	counted(clouds)
	r, err := l.Run(clouds[0], clouds[1], opt)
	if err != nil && !errors.Is(err, apmlgpu.ErrNotConverged) {
		return nil, err
	}
	s := r.Stats
	line := &lossLine{
		Loss: l.Name, Value: r.Value, N: s.N, M: s.M, NNZ: s.NNZ, RowError: s.RowError, ColError: s.ColError,
		Threshold: s.Threshold, Method: s.Method, Backend: s.Backend, PeakBytes: s.PeakBytes, Seconds: s.Seconds,
		Notes: append(notes, s.Notes...), Directions: s.Directions, Direction: s.Direction,
		Metrics: metricWords(s.Metrics), APML: apmlWords(s), Sinkhorn: sinkhornWords(r),
	}
	if s.Directions > 0 {
		line.StdErr = &s.StdErr
	}
	if grad == "" {
		return line, err
	}
	return line, errors.Join(err, saveGradients(grad, clouds, r))
}

// saveGradients writes gradx and grady, in float64 where the call gave that.
func saveGradients(path string, clouds [2]cloud.Cloud, r apmlgpu.Result) error {
	arrays := make([]cloud.Array, 2)
	for k, c := range clouds {
		a := cloud.Array{Name: []string{"gradx", "grady"}[k], Shape: []int{c.N, c.D}}
		if r.GradX64 != nil {
			a.F64 = [][]float64{r.GradX64, r.GradY64}[k]
		} else {
			a.F32 = [][]float32{r.GradX, r.GradY}[k]
		}
		arrays[k] = a
	}
	return cloud.SaveArrays(path, arrays...)
}

// withNeeds are the words behind the flags: defaults, and what must be given.
func withNeeds(l apmlgpu.Loss) map[string]string {
	words := maps.Clone(l.Defaults)
	for name, v := range l.Needs {
		words[name] = fmt.Sprintf("the call is refused; %g is usual", v)
	}
	return words
}

func findLoss(name string) (apmlgpu.Loss, bool) {
	for _, l := range apmlgpu.Losses() {
		if l.Name == name {
			return l, true
		}
	}
	return apmlgpu.Loss{}, false
}

func lossNames() (names []string) {
	for _, l := range apmlgpu.Losses() {
		names = append(names, l.Name)
	}
	return names
}

func lossUsage(w io.Writer) {
	fmt.Fprintln(w, "usage: gondola loss NAME A B [options]    one loss between two cloud files, as one line of JSON")
	for _, l := range apmlgpu.Losses() {
		fmt.Fprintf(w, "  %-11s %s (%s)\n", l.Name, l.Summary, l.Unit)
	}
	fmt.Fprintln(w, "gondola loss NAME -h lists the options of a loss")
}

// setContext gives the options the context that an interrupt ends.
func setContext(opt any, ctx context.Context) {
	if f := reflect.ValueOf(opt).Elem().FieldByName("Context"); f.IsValid() {
		f.Set(reflect.ValueOf(ctx))
	}
}

func boolField(opt any, name string) bool {
	f := reflect.ValueOf(opt).Elem().FieldByName(name)
	return f.IsValid() && f.Bool()
}

package losstest

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// valueCase is one case of a file of right values. Each is decoded by itself, so
// that one that is not understood fails alone.
type valueCase struct {
	ID, Op, X, Y string
	Opt          map[string]json.RawMessage
	Want         map[string]any
	Exact        map[string]any
	RTol         *float64 `json:"rtol"`
	ExactRTol    *float64 `json:"exact_rtol"`
	RTol32       *float64 `json:"rtol32"` // of a device
	device       bool
}

// noThreshold stands for "none" where the zero threshold means another: what lies
// below it is zero in float64.
const noThreshold = math.SmallestNonzeroFloat64

// optKey is the name of an option without case, dashes and underscores, as
// min_prob, MinProb and p_min.
func optKey(name string) string {
	key := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	switch key {
	case "pmin", "p", "minprobability":
		return "minprob"
	case "iters", "iteration", "niter":
		return "iterations"
	case "tierule", "tie":
		return "ties"
	case "t":
		return "threshold"
	}
	return key
}

// apmlOptions reads the options of an APML case. pinned says that the threshold
// is a number; unknown names options that are of another loss, or of none.
func (c valueCase) apmlOptions() (opt apmlgpu.APMLOptions, pinned bool, unknown []string, err error) {
	words := map[string]*string{
		"variant": (*string)(&opt.Variant), "ties": (*string)(&opt.Ties), "merge": (*string)(&opt.Merge),
	}
	numbers := map[string]*float64{"minprob": &opt.MinProb, "tol": &opt.Tol, "margin": &opt.Margin}
	counts := map[string]*int{"iterations": &opt.Iterations, "maxiter": &opt.MaxIter}
	var threshold any
	for name, text := range c.Opt {
		if string(text) == "null" {
			continue
		}
		key := optKey(name)
		switch {
		case words[key] != nil:
			err = json.Unmarshal(text, words[key])
			*words[key] = strings.ToLower(*words[key])
		case numbers[key] != nil:
			err = json.Unmarshal(text, numbers[key])
		case counts[key] != nil:
			var n float64 // 20 may be written 20.0
			err = json.Unmarshal(text, &n)
			*counts[key] = int(n)
		case key == "perpoint":
			err = json.Unmarshal(text, &opt.PerPoint)
		case key == "threshold":
			err = json.Unmarshal(text, &threshold)
		case strings.HasPrefix(key, "weights"):
		default:
			unknown = append(unknown, name)
		}
		if err != nil {
			return opt, false, unknown, fmt.Errorf("option %s: %w", name, err)
		}
	}
	switch strings.ReplaceAll(string(opt.Ties), "_", "") {
	case "uniformrow", "row":
		opt.Ties = apmlgpu.UniformRow
	}
	opt.Threshold, pinned, err = thresholdOf(threshold)
	if err == nil && opt.Variant == apmlgpu.Reference && !pinned && threshold != nil {
		// Without a threshold every pair is in both supports.
		opt.Threshold, opt.Merge, pinned = noThreshold, apmlgpu.MergeHalf, true
	}
	return opt, pinned, unknown, err
}

// thresholdOf reads a threshold: a number, a number in words, or "none" and
// "automatic", which are zero and not pinned.
func thresholdOf(v any) (t float64, pinned bool, err error) {
	switch v := v.(type) {
	case nil:
		return 0, false, nil
	case float64:
		return v, v > 0, nil
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f, f > 0, nil
		}
		if s := strings.ToLower(v); strings.HasPrefix(s, "none") || strings.HasPrefix(s, "auto") ||
			strings.HasPrefix(s, "dense") {
			return 0, false, nil
		}
	}
	return 0, false, fmt.Errorf("threshold %v is neither a number nor none", v)
}

// weigh gives the clouds the weights of the case: "weights_x" and "weights_y",
// beside the other options or together under "weights".
func (c valueCase) weigh(x, y *cloud.Cloud) error {
	all := map[string]json.RawMessage{}
	for name, text := range c.Opt {
		if key := optKey(name); strings.HasPrefix(key, "weights") {
			all[key] = text
		}
	}
	if text := all["weights"]; len(text) > 0 && string(text) != "null" {
		inner := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &inner); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
		for name, text := range inner {
			all["weights"+strings.TrimPrefix(optKey(name), "weights")] = text
		}
	}
	for key, to := range map[string]*cloud.Cloud{"weightsx": x, "weightsy": y} {
		w, err := weights(all[key], to.N)
		if err != nil {
			return err
		}
		if w != nil {
			to.W = w
		}
	}
	return nil
}

// weights reads weights given as numbers, as "uniform", or as a formula in i,
// such as "1 + (i mod 3), normalised".
func weights(text json.RawMessage, n int) ([]float64, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var w []float64
	if json.Unmarshal(text, &w) == nil {
		return w, nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	formula, _, normalised := strings.Cut(s, ", normali")
	if strings.TrimSpace(formula) == "uniform" {
		return nil, nil
	}
	f, err := formulaOf(formula)
	if err != nil {
		return nil, fmt.Errorf("weights %q: %w", s, err)
	}
	sum := 0.0
	for i := range n {
		w = append(w, f(float64(i)))
		sum += w[i]
	}
	for i := range w {
		if normalised {
			w[i] /= sum
		}
	}
	return w, nil
}

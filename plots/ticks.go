package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// fitted is a ticker that can be asked for at most about n labels.
type fitted interface {
	plot.Ticker
	atMost(n int) fitted
}

// logTicks labels an axis that holds log10 of the data: labels at decades,
// small ticks at 2 to 9, and within 1.3 decades also labels at 2 and 5. The axis
// itself stays linear: the log scale of gonum/plot leaves a blank band beside
// the data and panics at zero.
type logTicks struct{ n int }

func (t logTicks) atMost(n int) fitted { return logTicks{n} }

func (t logTicks) Ticks(lo, hi float64) (out []plot.Tick) {
	if !(hi > lo) || hi-lo > 700 {
		return nil
	}
	n := t.n
	if n == 0 {
		n = 9
	}
	step := 1 + int((hi-lo)/float64(n)) // decades between labels
	for e := int(math.Floor(lo)); e <= int(math.Ceil(hi)); e++ {
		for k := 1; k < 10; k++ {
			v := float64(e) + math.Log10(float64(k))
			if v < lo-1e-9 || v > hi+1e-9 {
				continue
			}
			label := ""
			switch {
			case k == 1 && e%step == 0:
				label = "10" + superscript(e)
			case hi-lo < 1.3 && (k == 2 || k == 5) && step == 1:
				label = strconv.Itoa(k) + "·10" + superscript(e)
			}
			if label != "" || step == 1 || k == 1 {
				out = append(out, plot.Tick{Value: v, Label: label})
			}
		}
	}
	return out
}

// twoLabels widens a range of logarithms outwards, label by label, until the
// axis has two.
func twoLabels(lo, hi float64) (float64, float64) {
	for range 8 {
		n := 0
		for _, t := range (logTicks{}).Ticks(lo, hi) {
			if t.Label != "" {
				n++
			}
		}
		if n >= 2 {
			break
		}
		below, above := math.Inf(-1), math.Inf(1)
		for e := math.Floor(lo) - 1; e <= math.Ceil(hi)+1; e++ {
			for _, k := range []float64{1, 2, 5} {
				if v := e + math.Log10(k); v < lo-1e-9 {
					below = max(below, v)
				} else if v > hi+1e-9 {
					above = min(above, v)
				}
			}
		}
		if above-hi < lo-below {
			hi = above
		} else {
			lo = below
		}
	}
	return lo, hi
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func superscript(e int) string { return superscripts.Replace(strconv.Itoa(e)) }

// linearTicks puts 4 to 8 labels (n at most, when it is set) at 1, 2 or 5 times
// a power of ten, all with the same number of decimals and a true minus sign. Beyond 10⁶ and below 10⁻⁴
// all have the same power of ten behind them.
type linearTicks struct{ n int }

func (t linearTicks) atMost(n int) fitted { return linearTicks{n} }

func (t linearTicks) Ticks(lo, hi float64) (out []plot.Tick) {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	n := t.n
	if n == 0 {
		n = 8
	}
	mag := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	step := mag
	for _, m := range []float64{1, 2, 5, 10, 20} {
		if step = m * mag; math.Floor(hi/step+1e-9)-math.Ceil(lo/step-1e-9) < float64(n) {
			break
		}
	}
	place := int(math.Floor(math.Log10(step) + 1e-9)) // decimal place of the step
	power := 0
	if top := max(math.Abs(lo), math.Abs(hi)); top >= 1e6 || top < 1e-4 {
		power = int(math.Floor(math.Log10(top) + 1e-9))
	}
	for i := math.Ceil(lo/step - 1e-9); i <= math.Floor(hi/step+1e-9); i++ {
		v := i * step
		label := "0"
		if i != 0 {
			label = strconv.FormatFloat(v/math.Pow(10, float64(power)), 'f', max(0, power-place), 64)
			if power != 0 {
				label += "·10" + superscript(power)
			}
		}
		out = append(out, plot.Tick{Value: v, Label: strings.Replace(label, "-", "−", 1)})
	}
	return out
}

// wholeNumber writes a count with commas between thousands.
func wholeNumber(v float64) string {
	if v != math.Trunc(v) || math.Abs(v) >= 1e15 {
		return number(v)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 {
		s = "−" + s
	}
	return s
}

// number writes v with four digits and a true minus sign.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if m, e, ok := strings.Cut(s, "e"); ok {
		k, _ := strconv.Atoi(e)
		s = m + "·10" + superscript(k)
	}
	return strings.Replace(s, "-", "−", 1)
}

package losstest

import (
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Tolerances of a proof, as shares of the largest cost: of a reduced cost below
// zero, and of a gap beside its share of the value; and of a marginal.
const (
	proofRounding = 1e-14
	proofGap      = 1e-9
	proofMarginal = 1e-12
)

// unproven says what is wrong with the proof of an exact result, or "": it knows
// nothing of the solver. The plan must have the marginals and cost the value, no pair
// may lie below its potentials, and their sum must come up to the value.
func unproven(x, y cloud.Cloud, cost apmlgpu.Cost, r apmlgpu.Result) string {
	p, err := r.Plan()
	if err != nil {
		return err.Error()
	}
	f, err := r.Potentials()
	if err != nil {
		return err.Error()
	}
	a, b := shares(x, ""), shares(y, "")
	price := func(i, j int) float64 {
		s := 0.0
		for k := range x.D {
			d := float64(x.X[i*x.D+k]) - float64(y.X[j*x.D+k])
			s += d * d
		}
		switch cost {
		case apmlgpu.SqEuclidean:
			return s
		case apmlgpu.HalfSqEuclidean:
			return s / 2
		}
		return math.Sqrt(s)
	}
	largest, worst, at := 0.0, 0.0, [2]int{}
	for i := range x.N {
		for j := range y.N {
			if a[i] == 0 || b[j] == 0 {
				continue
			}
			c := price(i, j)
			largest = max(largest, c)
			if s := c - f.F[i] - f.G[j]; s < worst {
				worst, at = s, [2]int{i, j}
			}
		}
	}
	if !(worst >= -proofRounding*largest) {
		return fmt.Sprintf("pair %v is %g below its potentials, largest cost %g", at, worst, largest)
	}
	primal, gap := 0.0, 0.0
	rows, cols := make([]float64, x.N), make([]float64, y.N)
	p.Each(func(i, j int, m float64) {
		primal += m * price(i, j)
		gap += m * (price(i, j) - f.F[i] - f.G[j])
		rows[i] += m
		cols[j] += m
	})
	for k, sums := range [][]float64{rows, cols} {
		for i, s := range sums {
			if want := [][]float64{a, b}[k][i]; !(math.Abs(s-want) <= proofMarginal) {
				return fmt.Sprintf("point %d of cloud %d has mass %g, want %g", i, k, s, want)
			}
		}
	}
	if !within(r.Value, primal, exactSum, absValue*largest) {
		return fmt.Sprintf("the value is %.17g, the plan costs %.17g", r.Value, primal)
	}
	if !(math.Abs(gap) <= proofGap*primal+proofRounding*largest) {
		return fmt.Sprintf("the gap is %g of %g", gap, primal)
	}
	cert, err := r.Certificate()
	if err != nil || cert.Primal != r.Value || cert.Violations != 0 || !(cert.Gap <= proofGap*primal+proofRounding*largest) ||
		!within(cert.Dual, cert.Primal-cert.Gap, exactSum, absValue*largest) {
		return fmt.Sprintf("certificate %+v, error %v, value %g, gap %g", cert, err, r.Value, gap)
	}
	return ""
}

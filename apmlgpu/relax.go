package apmlgpu

import (
	"math"
	"sync/atomic"
)

// scaled is one side of a loop of entropic transport: what its potential was when
// the factors were made, and how it has been scaled since:
//
//	potential_i = base_i + ε log u_i
type scaled struct {
	mass  []float64 // of every point
	total float64
	rho   float64 // weight of its marginal; +Inf: met
	eps   float64
	base  []float64
	u     []float64
	w     []float64 // mass × u
	off   []float64 // mass that its row was off by, before it was scaled
	bad   atomic.Bool
}

func newScaled(share []float64, total, rho float64) *scaled {
	n := len(share)
	s := &scaled{total: total, rho: rho, mass: make([]float64, n), base: make([]float64, n), u: make([]float64, n),
		w: make([]float64, n), off: make([]float64, n)}
	for i, a := range share {
		s.mass[i] = total * a
	}
	return s
}

// sides bytes a point: the five vectors, and as many beside them at the end.
const scaledBytes = 10 * 8

// met says that the marginal must be met.
func (s *scaled) met() bool { return math.IsInf(s.rho, 1) }

// damping is ρ/(ρ+ε).
func (s *scaled) damping(eps float64) float64 {
	if s.met() {
		return 1
	}
	return s.rho / (s.rho + eps)
}

// begin sets u to 1: the factors are those of base.
func (s *scaled) begin(eps float64) {
	s.eps = eps
	for i := range s.u {
		s.u[i] = 1
	}
	copy(s.w, s.mass)
}

// absorb puts what u says into base.
func (s *scaled) absorb() {
	for i, u := range s.u {
		if u > 0 && !math.IsInf(u, 1) {
			s.base[i] += s.eps * math.Log(u)
		}
	}
	s.begin(s.eps)
}

// target is the sum of row i over its mass that the optimum has at potential f.
func (s *scaled) target(f float64) float64 {
	if s.met() {
		return 1
	}
	return math.Exp(min(-f/s.rho, 700))
}

// step takes r = Σ_j K_ij w_j and scales row i, omega times as far as its
// equation says.
func (s *scaled) step(i int, r, omega float64) float64 {
	if !(r > 0) || math.IsInf(r, 1) {
		s.bad.Store(true)
		return s.w[i]
	}
	u := s.u[i]
	sum := u * r
	if s.met() {
		s.off[i] = s.mass[i] * math.Abs(sum-1)
		if omega == 1 {
			u = 1 / r
		} else {
			u *= math.Pow(sum, -omega)
		}
	} else {
		s.off[i] = s.mass[i] * math.Abs(sum-s.target(s.base[i]+s.eps*math.Log(u)))
		to := s.damping(s.eps) * (s.base[i] - s.eps*math.Log(r))
		u = math.Exp((to - s.base[i]) / s.eps)
	}
	return s.set(i, u)
}

// half takes r and moves row i half as far as its equation says, in logarithms.
func (s *scaled) half(i int, r float64) float64 {
	was := s.u[i]
	s.step(i, r, 1)
	return s.set(i, math.Sqrt(was)*math.Sqrt(s.u[i]))
}

func (s *scaled) set(i int, u float64) float64 {
	if !(u > 0) || math.IsInf(u, 1) {
		s.bad.Store(true)
		return s.w[i]
	}
	s.u[i], s.w[i] = u, s.mass[i]*u
	return s.w[i]
}

// error is the L1 error of the marginal, as a share of the mass.
func (s *scaled) error() float64 {
	sum := 0.0
	for _, v := range s.off {
		sum += v
	}
	return sum / s.total
}

// reaches are the smallest and the largest scaling.
func (s *scaled) reaches() (low, high float64) {
	low, high = math.Inf(1), 0
	for _, u := range s.u {
		low, high = min(low, u), max(high, u)
	}
	return low, high
}

// logMass is log Σ mass e^(−potential/ρ).
func (s *scaled) logMass() float64 {
	if s.met() {
		return math.Log(s.total)
	}
	most, sum := math.Inf(-1), 0.0
	of := func(i int) float64 {
		return math.Log(s.mass[i]) - (s.base[i]+s.eps*math.Log(s.u[i]))/s.rho
	}
	for i := range s.u {
		most = max(most, of(i))
	}
	for i := range s.u {
		sum += math.Exp(of(i) - most)
	}
	return most + math.Log(sum)
}

// dual is what the potentials pot give to the dual value: Σ a f, or
// −ρ Σ a (e^(−f/ρ) − 1).
func (s *scaled) dual(pot []float64) float64 {
	sum := 0.0
	for i, f := range pot {
		if s.met() {
			sum += s.mass[i] * f
		} else {
			sum -= s.rho * s.mass[i] * math.Expm1(-f/s.rho)
		}
	}
	return sum
}

// relaxation chooses how far each step of a balanced loop goes.
type relaxation struct {
	omega float64
	errs  []float64 // of the rounds with this omega
}

// Over-relaxation: after so many plain rounds, from the rate of the last five, at
// most so far.
const (
	plainRounds = 20
	rateRounds  = 5
	mostOmega   = 1.95
	growRounds  = 10
)

// see takes the error of a round. An error that has grown over ten rounds puts
// omega back to 1.
func (r *relaxation) see(err float64) {
	r.errs = append(r.errs, err)
	n := len(r.errs) - 1
	switch {
	case r.omega == 1 && n+1 == plainRounds && err > 0:
		theta := math.Pow(err/r.errs[n-rateRounds], 1.0/rateRounds)
		if theta < 1 {
			r.omega = min(2/(1+math.Sqrt(1-theta)), mostOmega)
		}
		r.errs = r.errs[:0]
	case r.omega > 1 && n >= growRounds && !(err <= r.errs[n-growRounds]):
		r.omega, r.errs = 1, r.errs[:0]
	}
}

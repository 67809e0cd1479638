package cpu

import "math"

// expTable has 2^(k/128), rounded.
var expTable = func() (t [128]float64) {
	for k := range t {
		t[k] = math.Exp2(float64(k) / 128)
	}
	return t
}()

// Constants of exp: 1.5·2⁵² rounds a float64 to a whole number when it is added
// and taken away, and leaves it in the low bits.
const (
	expRound = 3 << 51
	expStep  = 128 / math.Ln2
	expHigh  = 0x1.62e42fefap-8 // ln 2/128 to 33 bits: times a whole number below 2¹⁸ it is exact
	expLow   = 0x1.cf79abc9e3b39p-47
)

// exp returns e^x for x ≤ 0, within 2 units in the last place, in two thirds of
// the time of math.Exp. A table of 2^(k/128) leaves |r| ≤ ln 2/256, where five
// terms of the series are enough. Products round by themselves, so every machine
// gives the same bits.
func exp(x float64) float64 {
	v := [1]float64{x}
	expAll(v[:])
	return v[0]
}

// expAll replaces every number of v, none above 0, by its exp.
func expAll(v []float64) {
	for i, x := range v {
		if !(x > -700) {
			v[i] = math.Exp(x)
			continue
		}
		t := float64(x*expStep) + expRound
		k := int64(math.Float64bits(t))
		n := t - expRound
		r := (x - float64(n*expHigh)) - float64(n*expLow)
		q := float64(r*r)*(0.5+float64(r*(1./6+float64(r*(1./24+float64(r*(1./120))))))) + r
		s := expTable[k&127]
		s += float64(s * q)
		v[i] = math.Float64frombits(math.Float64bits(s) + uint64(k>>7<<52))
	}
}

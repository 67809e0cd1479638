package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// distances writes distancesAVX2: four points at a time, every operation rounded by
// itself, so that the bits are those of the plain loop.
func distances() {
	TEXT("distancesAVX2", NOSPLIT, "func(q, x *float32, idx *int32, dst *float64, n int, unit float64)")
	Pragma("noescape")
	Doc("distancesAVX2 is distancesPlain by AVX2 for n points, a multiple of 4 above 0.")
	q := wide("q")
	x, idx, dst := Load(Param("x"), GP64()), Load(Param("idx"), GP64()), Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64())
	unit := YMM()
	u, _ := Param("unit").Resolve()
	VBROADCASTSD(u.Addr, unit)
	Label("distances4")
	r := points(x, func(k int, at reg.GPVirtual) { MOVLQSX(Mem{Base: idx, Disp: 4 * k}, at) })
	s := YMM()
	for k := range 3 {
		d := YMM()
		VCVTPS2PD(r[k], d)
		VSUBPD(d, q[k], d)
		VMULPD(d, d, d)
		if k == 0 {
			s = d
		} else {
			VADDPD(d, s, s)
		}
	}
	VSQRTPD(s, s)
	VMULPD(unit, s, s)
	VMOVUPD(s, Mem{Base: dst})
	ADDQ(Imm(16), idx)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(4), n)
	JNZ(LabelRef("distances4"))
	VZEROUPPER()
	RET()
}

// wide loads the three coordinates of a point into registers of four equal float64.
func wide(name string) (q [3]reg.VecVirtual) {
	p := Load(Param(name), GP64())
	for k := range q {
		one := XMM()
		VMOVSS(Mem{Base: p, Disp: 4 * k}, one)
		VCVTSS2SD(one, one, one)
		q[k] = YMM()
		VBROADCASTSD(one, q[k])
	}
	return q
}

// points loads four points of x, whose numbers index puts into a register one by
// one, and returns their coordinates: four x, four y, four z.
func points(x reg.Register, index func(k int, at reg.GPVirtual)) (c [3]reg.VecVirtual) {
	var r [4]reg.VecVirtual // a point: x y z and what lies behind
	for k := range r {
		at := GP64()
		index(k, at)
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
		r[k] = XMM()
		VMOVUPS(Mem{Base: x, Index: at, Scale: 4}, r[k])
	}
	low, high, low2, high2 := XMM(), XMM(), XMM(), XMM()
	VUNPCKLPS(r[1], r[0], low)   // x0 x1 y0 y1
	VUNPCKLPS(r[3], r[2], low2)  // x2 x3 y2 y3
	VUNPCKHPS(r[1], r[0], high)  // z0 z1
	VUNPCKHPS(r[3], r[2], high2) // z2 z3
	for k := range c {
		c[k] = XMM()
	}
	VMOVLHPS(low2, low, c[0])
	VMOVHLPS(low, low2, c[1])
	VMOVLHPS(high2, high, c[2])
	return c
}

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
	Doc("distancesAVX2 is distancesPlain by AVX2 for n points, a multiple of 4 above 0.")
	p := Load(Param("q"), GP64())
	var q [3]reg.VecVirtual
	for k := range q {
		one := XMM()
		VMOVSS(Mem{Base: p, Disp: 4 * k}, one)
		VCVTSS2SD(one, one, one)
		q[k] = YMM()
		VBROADCASTSD(one, q[k])
	}
	x, idx, dst := Load(Param("x"), GP64()), Load(Param("idx"), GP64()), Load(Param("dst"), GP64())
	n := Load(Param("n"), GP64())
	unit := YMM()
	u, _ := Param("unit").Resolve()
	VBROADCASTSD(u.Addr, unit)
	at := GP64()
	Label("distances4")
	var r [4]reg.VecVirtual // a point: x y z and what lies behind
	for k := range r {
		MOVLQSX(Mem{Base: idx, Disp: 4 * k}, at)
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
		r[k] = XMM()
		VMOVUPS(Mem{Base: x, Index: at, Scale: 4}, r[k])
	}
	low, high, low2, high2 := XMM(), XMM(), XMM(), XMM()
	VUNPCKLPS(r[1], r[0], low)   // x0 x1 y0 y1
	VUNPCKLPS(r[3], r[2], low2)  // x2 x3 y2 y3
	VUNPCKHPS(r[1], r[0], high)  // z0 z1
	VUNPCKHPS(r[3], r[2], high2) // z2 z3
	VMOVLHPS(low2, low, r[0])
	VMOVHLPS(low, low2, r[1])
	VMOVLHPS(high2, high, r[2])
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

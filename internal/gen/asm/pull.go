package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Places in a row and in a group of eight columns; vec.Row and vec.GroupLen
// hold the same.
const (
	rowX, rowY, rowZ, rowA, rowU    = 0, 8, 16, 24, 32
	rowCost, rowFX, rowFY, rowFZ    = 40, 48, 56, 64
	rowFloor, rowNear               = 72, 104 // four times each
	colX, colY, colZ, colV, colB    = 0, 64, 128, 192, 256
	colFX, colFY, colFZ, groupBytes = 320, 384, 448, 512
)

// rsqrtError is the largest relative error of RSQRTPS, and guess is how far
// 1 − s·r² is from zero for its r.
const (
	rsqrtError = 1.5 / 4096
	guess      = 2 * rsqrtError
)

// pullSecond is the second number of the series, which takes the fourth along.
const pullSecond = 3./8 + 35./128*2*(math.Sqrt2-1)*guess*guess

// pull writes pullAVX2, four columns at a time.
//
// 1/d is r (1 − e)^(−1/2) with r = RSQRTPS(s) and e = 1 − s r², |e| below 7.4e-4:
// three terms of the series, the second changed so that it takes the fourth along
// to 0.172 of it; what is left is below 1.4e-14. The distances that float32 cannot hold, and
// those below the floor, take the exact instructions.
//
// For four pairs: 17 multiplications or FMA, 11 additions, 3 conversions, 13
// loads, 3 stores.
func pull() {
	one := four("one", 1)
	c1, c3 := four("c1", 1./2), four("c3", 5./16)
	pull512(one, c1, c3)
	TEXT("pullAVX2", NOSPLIT, "func(row, cols *float64, groups int)")
	Pragma("noescape")
	Doc("pullAVX2 is pullPlain by AVX2 and FMA; groups is at least 1.")
	c2 := four("c2", pullSecond)

	row, cols, n := Load(Param("row"), GP64()), Load(Param("cols"), GP64()), Load(Param("groups"), GP64())
	at := func(disp int) Mem { return Mem{Base: row, Disp: disp} }
	var p [5]reg.VecVirtual // x y z a u
	for k := range p {
		p[k] = YMM()
		VBROADCASTSD(at(8*k), p[k])
	}
	cost := YMM()
	VXORPD(cost, cost, cost)
	var f [3]reg.VecVirtual
	for k := range f {
		f[k] = YMM()
		VXORPD(f[k], f[k], f[k])
	}
	Label("group")
	for half, name := range []string{"low", "high"} {
		col := func(disp int) Mem { return Mem{Base: cols, Disp: disp + 32*half} }
		var d [3]reg.VecVirtual
		for k := range d {
			d[k] = YMM()
			VSUBPD(col(colX+64*k), p[k], d[k])
		}
		s := YMM()
		VMULPD(d[2], d[2], s)
		VFMADD231PD(d[1], d[1], s)
		VFMADD231PD(d[0], d[0], s)
		t, r, c := YMM(), YMM(), YMM()
		less := GP32()
		VCMPPD(Imm(0x11), at(rowNear), s, t) // s < near
		VMOVMSKPD(t, less)
		TESTL(less, less)
		JNZ(LabelRef(name + "exact"))
		VCVTPD2PSY(s, t.AsX())
		VRSQRTPS(t.AsX(), t.AsX())
		VCVTPS2PD(t.AsX(), r)
		VMULPD(s, r, t)
		VFNMADD213PD(one, r, t) // e
		VMOVUPD(c3, c)
		VFMADD213PD(c2, t, c)
		VFMADD213PD(c1, t, c)
		VMULPD(t, r, t)
		VFMADD231PD(c, t, r)
		VMULPD(s, r, t) // d
		Label(name + "weigh")
		VMULPD(col(colB), p[4], c)
		VFMADD231PD(col(colV), p[3], c)
		VFMADD231PD(c, t, cost)
		VMULPD(c, r, c)
		for k := range d {
			VMULPD(d[k], c, d[k])
			VADDPD(d[k], f[k], f[k])
			VADDPD(col(colFX+64*k), d[k], d[k])
			VMOVUPD(d[k], col(colFX+64*k))
		}
		defer exact(name, at(rowFloor), one, s, t, r, c)
	}
	ADDQ(U32(groupBytes), cols)
	DECQ(n)
	JNZ(LabelRef("group"))
	for k, v := range append([]reg.VecVirtual{cost}, f[:]...) {
		h := XMM()
		VEXTRACTF128(Imm(1), v, h)
		VADDPD(h, v.AsX(), h)
		VHADDPD(h, h, h)
		VADDSD(at(rowCost+8*k), h, h)
		VMOVSD(h, at(rowCost+8*k))
	}
	VZEROUPPER()
	RET()
}

// exact is d and 1/max(d, floor) by the exact instructions, 0 where that is 1/0.
func exact(name string, floor, one Mem, s, t, r, c reg.VecVirtual) {
	Label(name + "exact")
	VSQRTPD(s, t)
	VMAXPD(floor, t, c)
	VXORPD(s, s, s)
	VCMPPD(Imm(0x1e), s, c, s) // c > 0
	VMOVUPD(one, r)
	VDIVPD(c, r, r)
	VANDPD(s, r, r)
	JMP(LabelRef(name + "weigh"))
}

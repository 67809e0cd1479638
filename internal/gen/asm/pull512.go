package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pull512 writes pullAVX512: eight columns at once, and a better first guess, so
// that the series needs no more than its own three terms: 1 − s r² is below 1.3e-4,
// and what is left below 1e-16.
func pull512(one, c1, c3 Mem) {
	TEXT("pullAVX512", NOSPLIT, "func(row, cols *float64, groups int)")
	Pragma("noescape")
	Doc("pullAVX512 is pullPlain by AVX-512 F; groups is at least 1.")
	row, cols, n := Load(Param("row"), GP64()), Load(Param("cols"), GP64()), Load(Param("groups"), GP64())
	at := func(disp int) Mem { return Mem{Base: row, Disp: disp} }
	same := func(m Mem) reg.VecVirtual {
		v := ZMM()
		VBROADCASTSD(m, v)
		return v
	}
	var p [5]reg.VecVirtual // x y z a u
	for k := range p {
		p[k] = same(at(8 * k))
	}
	ones, half, third := same(one), same(c1), same(c3)
	second := same(four("c2exact", 3./8))
	near, floor := same(at(rowNear)), same(at(rowFloor))
	var f [4]reg.VecVirtual // cost, force
	for k := range f {
		f[k] = ZMM()
		VPXORQ(f[k], f[k], f[k])
	}
	zero := ZMM()
	VPXORQ(zero, zero, zero)
	less := K()
	Label("group512")
	col := func(disp int) Mem { return Mem{Base: cols, Disp: disp} }
	var d [3]reg.VecVirtual
	for k := range d {
		d[k] = ZMM()
		VSUBPD(col(colX+64*k), p[k], d[k])
	}
	s, t, r, c := ZMM(), ZMM(), ZMM(), ZMM()
	VMULPD(d[2], d[2], s)
	VFMADD231PD(d[1], d[1], s)
	VFMADD231PD(d[0], d[0], s)
	VCMPPD(Imm(0x11), near, s, less) // s < near
	KORTESTW(less, less)
	JNZ(LabelRef("exact512"))
	VRSQRT14PD(s, r)
	VMULPD(s, r, t)
	VFNMADD213PD(ones, r, t) // e
	VMOVAPD(third, c)
	VFMADD213PD(second, t, c)
	VFMADD213PD(half, t, c)
	VMULPD(t, r, t)
	VFMADD231PD(c, t, r)
	VMULPD(s, r, t) // d
	Label("weigh512")
	VMULPD(col(colB), p[4], c)
	VFMADD231PD(col(colV), p[3], c)
	VFMADD231PD(c, t, f[0])
	VMULPD(c, r, c)
	for k := range d {
		VMULPD(d[k], c, d[k])
		VADDPD(d[k], f[k+1], f[k+1])
		VADDPD(col(colFX+64*k), d[k], d[k])
		VMOVUPD(d[k], col(colFX+64*k))
	}
	ADDQ(U32(groupBytes), cols)
	DECQ(n)
	JNZ(LabelRef("group512"))
	for k, v := range f {
		y, h := YMM(), XMM()
		VEXTRACTF64X4(Imm(1), v, y)
		VADDPD(y, v.AsY(), y)
		VEXTRACTF128(Imm(1), y, h)
		VADDPD(h, y.AsX(), h)
		VHADDPD(h, h, h)
		VADDSD(at(rowCost+8*k), h, h)
		VMOVSD(h, at(rowCost+8*k))
	}
	VZEROUPPER()
	RET()

	Label("exact512")
	VSQRTPD(s, t)
	VMAXPD(floor, t, c)
	VCMPPD(Imm(0x1e), zero, c, less) // c > 0
	VDIVPD_Z(c, ones, less, r)
	JMP(LabelRef("weigh512"))
}

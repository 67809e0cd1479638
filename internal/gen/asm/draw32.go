package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Places in a float32 row and in a group of sixteen columns; vec.Row32 and
// vec.GroupLen32 hold the same.
const (
	rowFX32                               = 16
	colX32, colV32, colFX32, groupBytes32 = 0, 192, 256, 448
)

// draw32 writes draw32AVX512, sixteen columns at a time. 1/d is r (1 + e/2) for
// r = RSQRT14(s) and e = 1 − s r², which leaves 1.4e-9: the 1/2 goes into the row's
// own factor, and 2 + e is made at once.
//
// For sixteen pairs: 11 multiplications or FMA, 9 additions, 7 loads, 3 stores.
func draw32() {
	TEXT("draw32AVX512", NOSPLIT, "func(row, cols *float32, groups int)")
	Pragma("noescape")
	Doc("draw32AVX512 is draw32Plain by AVX-512 F; groups is at least 1.")
	row, cols, n := Load(Param("row"), GP64()), Load(Param("cols"), GP64()), Load(Param("groups"), GP64())
	same := func(m Mem) reg.VecVirtual {
		v := ZMM()
		VBROADCASTSS(m, v)
		return v
	}
	var p [4]reg.VecVirtual // x y z a
	for k := range p {
		p[k] = same(Mem{Base: row, Disp: 4 * k})
	}
	constant := func(name string, v float32) reg.VecVirtual {
		m := GLOBL(name, RODATA|NOPTR)
		DATA(0, F32(v))
		return same(m)
	}
	half, three, least := constant("draw32half", 0.5), constant("draw32three", 3), constant("draw32least", 0x1p-126)
	VMULPS(half, p[3], p[3])
	var f [3]reg.VecVirtual
	for k := range f {
		f[k] = ZMM()
		VPXORQ(f[k], f[k], f[k])
	}
	Label("draw32group")
	col := func(disp int) Mem { return Mem{Base: cols, Disp: disp} }
	var d [3]reg.VecVirtual
	for k := range d {
		d[k] = ZMM()
		VSUBPS(col(colX32+64*k), p[k], d[k])
	}
	s, h, r, q := ZMM(), ZMM(), ZMM(), ZMM()
	VMULPS(d[0], d[0], s)
	VFMADD231PS(d[1], d[1], s)
	VFMADD231PS(d[2], d[2], s)
	VMAXPS(least, s, s)
	VRSQRT14PS(s, r)
	VMULPS(col(colV32), p[3], q)
	VMULPS(s, r, h)
	VMULPS(r, q, q)
	VFNMADD213PS(three, r, h)
	VMULPS(h, q, q)
	for k := range d {
		VMULPS(d[k], q, d[k])
		VADDPS(d[k], f[k], f[k])
		VADDPS(col(colFX32+64*k), d[k], d[k])
		VMOVUPS(d[k], col(colFX32+64*k))
	}
	ADDQ(U32(groupBytes32), cols)
	DECQ(n)
	JNZ(LabelRef("draw32group"))
	for k, v := range f {
		y, h := YMM(), XMM()
		VEXTRACTF64X4(Imm(1), v, y)
		VADDPS(y, v.AsY(), y)
		VEXTRACTF128(Imm(1), y, h)
		VADDPS(h, y.AsX(), h)
		VHADDPS(h, h, h)
		VHADDPS(h, h, h)
		VMOVSS(h, Mem{Base: row, Disp: rowFX32 + 4*k})
	}
	VZEROUPPER()
	RET()
}

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// guess14 is how far 1 − s r² is from zero for r = RSQRT14(s).
const guess14 = 2. / (1 << 14)

// draws writes the two forms of drawPlain, which is pullPlain with fewer
// multiplications: they are what bounds it.
func draws() {
	draw512()
	draw256()
}

// draw512 writes drawAVX512. 1/d is r (1 − e)^(−1/2) by the first two terms of the
// series, c1 e + c2 e²; c1 is changed so that it takes the third along to a quarter of
// it, which leaves 1.4e-13. With h = e + c1/2c2 they are c2 (h² + k): c2 goes into the
// row's own factor, and e itself is never made. Squares begin at 2^-700 instead of 0,
// far below the least that two float32 can give: 1/d stays finite and nothing needs
// to branch.
//
// For eight pairs: 12 multiplications or FMA, which bound it, 9 additions, 7 loads, 3
// stores.
func draw512() {
	const (
		c1 = 1./2 + 5./16*3/4*guess14*guess14
		c2 = 3. / 8
		by = c1 / (2 * c2)
	)
	TEXT("drawAVX512", NOSPLIT, "func(row, cols *float64, groups int)")
	Pragma("noescape")
	Doc("drawAVX512 is drawPlain by AVX-512 F; groups is at least 1.")
	row, cols, n := Load(Param("row"), GP64()), Load(Param("cols"), GP64()), Load(Param("groups"), GP64())
	same := func(m Mem) reg.VecVirtual {
		v := ZMM()
		VBROADCASTSD(m, v)
		return v
	}
	var p [4]reg.VecVirtual // x y z a
	for k := range p {
		p[k] = same(Mem{Base: row, Disp: 8 * k})
	}
	second := same(four("drawsecond", c2))
	VMULPD(second, p[3], p[3])
	top, k := same(four("drawtop", 1+by)), same(four("drawk", 1/c2-by*by))
	least := same(four("drawleast", 0x1p-700))
	var f [3]reg.VecVirtual
	for k := range f {
		f[k] = ZMM()
		VPXORQ(f[k], f[k], f[k])
	}
	Label("drawgroup512")
	col := func(disp int) Mem { return Mem{Base: cols, Disp: disp} }
	var d [3]reg.VecVirtual
	for k := range d {
		d[k] = ZMM()
		VSUBPD(col(colX+64*k), p[k], d[k])
	}
	s, h, r, q, m := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VMOVAPD(least, s)
	for k := range d {
		VFMADD231PD(d[k], d[k], s)
	}
	VRSQRT14PD(s, r)
	VMULPD(col(colV), p[3], q)
	VMULPD(s, r, h)
	VMULPD(r, q, q)
	VFNMADD213PD(top, r, h)
	VMOVAPD(k, m)
	VFMADD231PD(h, h, m)
	VMULPD(m, q, q)
	for k := range d {
		VMULPD(d[k], q, d[k])
		VADDPD(d[k], f[k], f[k])
		VADDPD(col(colFX+64*k), d[k], d[k])
		VMOVUPD(d[k], col(colFX+64*k))
	}
	ADDQ(U32(groupBytes), cols)
	DECQ(n)
	JNZ(LabelRef("drawgroup512"))
	for k, v := range f {
		y, h := YMM(), XMM()
		VEXTRACTF64X4(Imm(1), v, y)
		VADDPD(y, v.AsY(), y)
		VEXTRACTF128(Imm(1), y, h)
		VADDPD(h, y.AsX(), h)
		VHADDPD(h, h, h)
		VADDSD(Mem{Base: row, Disp: rowFX + 8*k}, h, h)
		VMOVSD(h, Mem{Base: row, Disp: rowFX + 8*k})
	}
	VZEROUPPER()
	RET()
}

// draw256 writes drawAVX2, four columns at a time, with the series of pull.
//
// For four pairs: 14 multiplications or FMA, 9 additions, 3 conversions, 11 loads,
// 3 stores.
func draw256() {
	TEXT("drawAVX2", NOSPLIT, "func(row, cols *float64, groups int)")
	Pragma("noescape")
	Doc("drawAVX2 is drawPlain by AVX2 and FMA; groups is at least 1.")
	one, zero, near := four("draw2one", 1), four("draw2floor", 0), four("draw2near", 0x1p-100)
	c1, c2, c3 := four("draw2c1", 1./2), four("draw2c2", pullSecond), four("draw2c3", 5./16)
	row, cols, n := Load(Param("row"), GP64()), Load(Param("cols"), GP64()), Load(Param("groups"), GP64())
	var p [4]reg.VecVirtual // x y z a
	for k := range p {
		p[k] = YMM()
		VBROADCASTSD(Mem{Base: row, Disp: 8 * k}, p[k])
	}
	var f [3]reg.VecVirtual
	for k := range f {
		f[k] = YMM()
		VXORPD(f[k], f[k], f[k])
	}
	Label("drawgroup")
	for half, name := range []string{"drawlow", "drawhigh"} {
		col := func(disp int) Mem { return Mem{Base: cols, Disp: disp + 32*half} }
		var d [3]reg.VecVirtual
		for k := range d {
			d[k] = YMM()
			VSUBPD(col(colX+64*k), p[k], d[k])
		}
		s, t, r, c := YMM(), YMM(), YMM(), YMM()
		VMULPD(d[2], d[2], s)
		VFMADD231PD(d[1], d[1], s)
		VFMADD231PD(d[0], d[0], s)
		less := GP32()
		VCMPPD(Imm(0x11), near, s, t) // s < near
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
		Label(name + "weigh")
		VMULPD(col(colV), p[3], c)
		VMULPD(c, r, c)
		for k := range d {
			VMULPD(d[k], c, d[k])
			VADDPD(d[k], f[k], f[k])
			VADDPD(col(colFX+64*k), d[k], d[k])
			VMOVUPD(d[k], col(colFX+64*k))
		}
		defer exact(name, zero, one, s, t, r, c)
	}
	ADDQ(U32(groupBytes), cols)
	DECQ(n)
	JNZ(LabelRef("drawgroup"))
	for k, v := range f {
		h := XMM()
		VEXTRACTF128(Imm(1), v, h)
		VADDPD(h, v.AsX(), h)
		VHADDPD(h, h, h)
		VADDSD(Mem{Base: row, Disp: rowFX + 8*k}, h, h)
		VMOVSD(h, Mem{Base: row, Disp: rowFX + 8*k})
	}
	VZEROUPPER()
	RET()
}

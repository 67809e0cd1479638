package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// similar writes similarAVX2: four pairs at a time, every operation rounded by itself.
// For four pairs: a division, which takes as long as half of the rest.
func similar() {
	lanes := GLOBL("firstBits", RODATA|NOPTR) // bits of the first n lanes, by n
	for n := range 5 {
		DATA(8*n, U64(1<<n-1))
	}
	none := GLOBL("vanished", RODATA|NOPTR)
	for k := range 4 {
		DATA(8*k, U64(math.Float64bits(math.Inf(-1))))
	}
	TEXT("similarAVX2", NOSPLIT, "func(p *float64, idx *int32, n int, d1, gap, a, b *float64) (rows, cols, none int)")
	Pragma("noescape")
	Doc("similarAVX2 is similarPlain by AVX2; n is at least 1, and what it reads and writes goes up to whole fours.")
	p, idx, left := Load(Param("p"), GP64()), Load(Param("idx"), GP64()), Load(Param("n"), GP64())
	d1, gap := Load(Param("d1"), GP64()), Load(Param("gap"), GP64())
	a, b := Load(Param("a"), GP64()), Load(Param("b"), GP64())
	const least, reach, sharp, kappa, logit = 0, 32, 64, 96, 128
	of := func(disp int) Mem { return Mem{Base: p, Disp: disp} }
	rows, cols, neither := GP64(), GP64(), GP64()
	for _, c := range []reg.GPVirtual{rows, cols, neither} {
		XORQ(c, c)
	}
	inf := YMM()
	VMOVUPD(none, inf)
	Label("similar4")
	var at [4]reg.GPVirtual
	for k := range at {
		at[k] = GP64()
		MOVLQSX(Mem{Base: idx, Disp: 4 * k}, at[k])
	}
	var both [2]reg.VecVirtual // d1 and gap of four points
	for c, from := range []reg.Register{d1, gap} {
		low, high := XMM(), XMM()
		both[c] = YMM()
		VMOVSD(Mem{Base: from, Index: at[0], Scale: 8}, low)
		VMOVHPD(Mem{Base: from, Index: at[1], Scale: 8}, low, low)
		VMOVSD(Mem{Base: from, Index: at[2], Scale: 8}, high)
		VMOVHPD(Mem{Base: from, Index: at[3], Scale: 8}, high, high)
		VINSERTF128(Imm(1), high, low.AsY(), both[c])
	}
	d, s, t, in, q := YMM(), YMM(), YMM(), YMM(), YMM()
	bits := [2]reg.GPVirtual{GP64(), GP64()}
	VMOVUPD(Mem{Base: b}, d)
	VSUBPD(of(least), d, t)
	VCMPPD(Imm(0x11), of(reach), t, in) // t < reach
	VMOVMSKPD(in, bits[0].As32())
	VMULPD(of(sharp), t, t)
	VBLENDVPD(in, t, inf, t)
	VMOVUPD(t, Mem{Base: a})
	VSUBPD(d, both[0], s)
	VMULPD(of(kappa), both[1], t)
	VCMPPD(Imm(0x11), s, t, in) // kappa gap < s, both signs turned
	VMOVMSKPD(in, bits[1].As32())
	VMOVUPD(of(logit), q)
	VDIVPD(both[1], q, q)
	VMULPD(q, s, s)
	VBLENDVPD(in, s, inf, s)
	VMOVUPD(s, Mem{Base: b})
	table, first, n4 := GP64(), GP64(), GP64()
	LEAQ(lanes, table)
	MOVQ(U32(4), n4)
	CMPQ(left, n4)
	CMOVQLT(left, n4)
	MOVQ(Mem{Base: table, Index: n4, Scale: 8}, first)
	for k, count := range []reg.GPVirtual{rows, cols} {
		one := GP64()
		ANDQ(first, bits[k])
		POPCNTQ(bits[k], one)
		ADDQ(one, count)
	}
	ORQ(bits[1], bits[0])
	XORQ(first, bits[0])
	POPCNTQ(bits[0], bits[0])
	ADDQ(bits[0], neither)
	ADDQ(Imm(16), idx)
	ADDQ(Imm(32), a)
	ADDQ(Imm(32), b)
	SUBQ(Imm(4), left)
	JG(LabelRef("similar4"))
	VZEROUPPER()
	Store(rows, Return("rows"))
	Store(cols, Return("cols"))
	Store(neither, Return("none"))
	RET()
}

package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// forces writes forcesAVX2 and forces32AVX2: what the entries of a sparse line give
// to its point, four at a time, every operation rounded by itself. For four entries:
// a root and a division of four numbers, which take as long as all the rest. With both
// it writes exchangeAVX2, which gives to the points of the entries too.
func forces(maskTable Mem, name, values string, size int, both bool) {
	if both {
		TEXT(name, NOSPLIT, "func(q, x *float32, idx *int32, val, w *float64, n int, u, floor float64, back, sums *float64)")
		Doc(name + " is exchangePlain by AVX2; n is at least 1.")
	} else {
		TEXT(name, NOSPLIT, "func(q, x *float32, idx *int32, val *"+values+", w *float64, n int, floor float64, sums *float64)")
		Doc(name + " is forcesPlain by AVX2; n is at least 1.")
	}
	Pragma("noescape")
	q := wide("q")
	x, idx, val := Load(Param("x"), GP64()), Load(Param("idx"), GP64()), Load(Param("val"), GP64())
	w, left := Load(Param("w"), GP64()), Load(Param("n"), GP64())
	floor := YMM()
	f, _ := Param("floor").Resolve()
	back := GP64()
	if both {
		back = Load(Param("back"), GP64()).(reg.GPVirtual)
	} else {
		VBROADCASTSD(f.Addr, floor)
	}
	var sums [5]reg.VecVirtual // mass, cost, force
	for k := range sums {
		sums[k] = YMM()
		VXORPD(sums[k], sums[k], sums[k])
	}
	// take adds four entries whose values are in v.
	take := func(index func(k int, at reg.GPVirtual), v reg.VecVirtual) {
		r := points(x, func(k int, at reg.GPVirtual) { index(k, at) })
		var pair [2]reg.VecVirtual
		for k := range pair {
			i, j := GP64(), GP64()
			index(2*k, i)
			index(2*k+1, j)
			pair[k] = XMM()
			VMOVSD(Mem{Base: w, Index: i, Scale: 8}, pair[k])
			VMOVHPD(Mem{Base: w, Index: j, Scale: 8}, pair[k], pair[k])
		}
		weights, s, d, t := YMM(), YMM(), YMM(), YMM()
		VINSERTF128(Imm(1), pair[1], pair[0].AsY(), weights)
		var c [3]reg.VecVirtual
		for k := range c {
			c[k] = YMM()
			VCVTPS2PD(r[k], c[k])
			VSUBPD(c[k], q[k], c[k])
			if k == 0 {
				VMULPD(c[k], c[k], s)
			} else {
				VMULPD(c[k], c[k], t)
				VADDPD(t, s, s)
			}
		}
		VSQRTPD(s, d)
		if both {
			give(index, c, v, weights, d, sums, f.Addr, back)
			return
		}
		VMULPD(weights, v, v)
		VADDPD(v, sums[0], sums[0])
		VMULPD(d, v, t)
		VADDPD(t, sums[1], sums[1])
		VMAXPD(floor, d, d)
		VDIVPD(d, v, v)
		positive(d, v)
		for k := range c {
			VMULPD(c[k], v, t)
			VADDPD(t, sums[2+k], sums[2+k])
		}
	}
	values4 := YMM()
	SUBQ(Imm(4), left)
	JLT(LabelRef("few"))
	Label("all")
	if size == 8 {
		VMOVUPD(Mem{Base: val}, values4)
	} else {
		VCVTPS2PD(Mem{Base: val}, values4)
	}
	take(func(k int, at reg.GPVirtual) { MOVLQSX(Mem{Base: idx, Disp: 4 * k}, at) }, values4)
	ADDQ(Imm(16), idx)
	ADDQ(Imm(uint64(4*size)), val)
	SUBQ(Imm(4), left)
	JGE(LabelRef("all"))
	Label("few")
	ADDQ(Imm(4), left)
	JZ(LabelRef("done"))
	// One to three entries: the others are 0 times w[0].
	masks, mask, entries := GP64(), XMM(), XMM()
	LEAQ(maskTable, masks)
	SHLQ(Imm(4), left)
	VMOVDQU(Mem{Base: masks, Index: left, Scale: 1}, mask)
	VPMASKMOVD(Mem{Base: idx}, mask, entries)
	if size == 8 {
		long := YMM()
		VPMOVSXDQ(mask, long)
		VMASKMOVPD(Mem{Base: val}, long, values4)
	} else {
		VMASKMOVPS(Mem{Base: val}, mask, values4.AsX())
		VCVTPS2PD(values4.AsX(), values4)
	}
	take(func(k int, at reg.GPVirtual) { VPEXTRD(Imm(uint64(k)), entries, at.As32()) }, values4)
	Label("done")
	to := Load(Param("sums"), GP64())
	for k := range sums {
		VMOVUPD(sums[k], Mem{Base: to, Disp: 32 * k})
	}
	VZEROUPPER()
	RET()
}

// positive makes v zero where d is not above zero: there is no direction. d is gone then.
func positive(d, v reg.VecVirtual) {
	zero := YMM()
	VXORPD(zero, zero, zero)
	VCMPPD(Imm(0x1e), zero, d, d)
	VANDPD(d, v, v)
}

// give adds four entries with differences c, values v and distances d to the sums of
// the line, and to the numbers of their points, one point after the other.
func give(
	index func(k int, at reg.GPVirtual), c [3]reg.VecVirtual, v, weights, d reg.VecVirtual, sums [5]reg.VecVirtual,
	floor Mem, back reg.Register,
) {
	t := YMM()
	VMULPD(weights, v, t)
	VADDPD(t, sums[0], sums[0])
	VMULPD(d, t, t)
	VADDPD(t, sums[1], sums[1])
	u, _ := Param("u").Resolve()
	mass := YMM()
	VBROADCASTSD(u.Addr, mass)
	VMULPD(mass, v, mass)
	VBROADCASTSD(floor, t)
	VMAXPD(t, d, d)
	VDIVPD(d, v, v)
	positive(d, v)
	VMULPD(v, weights, weights)
	for k := range c {
		product := YMM()
		VMULPD(c[k], weights, product)
		VADDPD(product, sums[2+k], sums[2+k])
	}
	minus := YMM()
	VBROADCASTSD(u.Addr, minus)
	sign := YMM()
	VXORPD(sign, sign, sign)
	VSUBPD(minus, sign, minus)
	VMULPD(minus, v, v)
	for k := range c {
		VMULPD(c[k], v, c[k])
	}
	// From x, y, z and mass of four points to the four numbers of each.
	var half [4]reg.VecVirtual
	for k := range half {
		half[k] = YMM()
	}
	VUNPCKLPD(c[1], c[0], half[0]) // x0 y0 x2 y2
	VUNPCKHPD(c[1], c[0], half[1]) // x1 y1 x3 y3
	VUNPCKLPD(mass, c[2], half[2]) // z0 m0 z2 m2
	VUNPCKHPD(mass, c[2], half[3]) // z1 m1 z3 m3
	for k := range 4 {
		point, at := YMM(), GP64()
		if k < 2 {
			VINSERTF128(Imm(1), half[k+2].AsX(), half[k], point)
		} else {
			VPERM2F128(Imm(0x31), half[k], half[k-2], point)
		}
		index(k, at)
		SHLQ(Imm(5), at)
		VADDPD(Mem{Base: back, Index: at, Scale: 1}, point, point)
		VMOVUPD(point, Mem{Base: back, Index: at, Scale: 1})
	}
}

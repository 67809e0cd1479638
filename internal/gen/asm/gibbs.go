package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spots writes squaresAVX2: four points at a time.
func spots() {
	TEXT("squaresAVX2", NOSPLIT, "func(dst, p, x, y, z *float64, n int)")
	Doc("squaresAVX2 is Squares by AVX2 and FMA for n points, a multiple of 4 above 0.")
	dst, p := Load(Param("dst"), GP64()), Load(Param("p"), GP64())
	var q [3]reg.VecVirtual
	for k := range q {
		q[k] = YMM()
		VBROADCASTSD(Mem{Base: p, Disp: 8 * k}, q[k])
	}
	col := [3]reg.Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())}
	n := Load(Param("n"), GP64())
	at := GP64()
	XORQ(at, at)
	Label("squares4")
	sum := YMM()
	for k := range 3 {
		d := YMM()
		VSUBPD(Mem{Base: col[k], Index: at, Scale: 8}, q[k], d)
		if k == 0 {
			VMULPD(d, d, sum)
		} else {
			VFMADD231PD(d, d, sum)
		}
	}
	VMOVUPD(sum, Mem{Base: dst, Index: at, Scale: 8})
	ADDQ(Imm(4), at)
	CMPQ(at, n)
	JLT(LabelRef("squares4"))
	VZEROUPPER()
	RET()
}

// across puts op over the four numbers of v into the first of x.
func across(v reg.VecVirtual, op func(ops ...Op)) reg.VecVirtual {
	h, l := XMM(), v.AsX()
	VEXTRACTF128(Imm(1), v, h)
	op(h, l, h)
	s := XMM()
	VPERMILPD(Imm(1), h, s)
	op(s, h, h)
	return h.(reg.VecVirtual)
}

// bias writes biasAVX2, or biasRootAVX2, which takes roots.
func bias(name string, root bool) {
	TEXT(name, NOSPLIT, "func(t, bias *float64, scale float64, n int) (most float64)")
	Doc(name + " is Bias by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	t, b := Load(Param("t"), GP64()), Load(Param("bias"), GP64())
	scale, most := YMM(), YMM()
	s, _ := Param("scale").Resolve()
	VBROADCASTSD(s.Addr, scale)
	n := Load(Param("n"), GP64())
	VMOVUPD(four("minusInf", -maxFloat), most)
	at := GP64()
	XORQ(at, at)
	Label(name + "4")
	v := YMM()
	if root {
		VSQRTPD(Mem{Base: t, Index: at, Scale: 8}, v)
	} else {
		VMOVUPD(Mem{Base: t, Index: at, Scale: 8}, v)
	}
	VFNMADD213PD(Mem{Base: b, Index: at, Scale: 8}, scale, v)
	VMAXPD(v, most, most)
	VMOVUPD(v, Mem{Base: t, Index: at, Scale: 8})
	ADDQ(Imm(4), at)
	CMPQ(at, n)
	JLT(LabelRef(name + "4"))
	h := across(most, func(o ...Op) { VMAXPD(o[0], o[1], o[2]) })
	Store(h, Return("most"))
	VZEROUPPER()
	RET()
}

// maxFloat stands for infinity: no number is larger.
const maxFloat = 0x1.fffffffffffffp+1023

// values loads four numbers of a row as float64.
func values(m Mem, size int, to reg.VecVirtual) {
	if size == 4 {
		VCVTPS2PD(m, to)
	} else {
		VMOVUPD(m, to)
	}
}

// dots writes dotsAVX2 or dots32AVX2: four rows times one vector.
func dots(name, typ string, size int) {
	TEXT(name, NOSPLIT, "func(dst *float64, rows *"+typ+", m int, w *float64, n int)")
	Doc(name + " is Dots by AVX2 and FMA: four rows, m numbers apart, of which it takes n, a multiple of 4 above 0.")
	rows, m := rowsOf(size)
	w, n := Load(Param("w"), GP64()), Load(Param("n"), GP64())
	_ = m
	var sum [4]reg.VecVirtual
	for k := range sum {
		sum[k] = YMM()
		VXORPD(sum[k], sum[k], sum[k])
	}
	at := GP64()
	XORQ(at, at)
	Label(name + "4")
	by := YMM()
	VMOVUPD(Mem{Base: w, Index: at, Scale: 8}, by)
	for k := range sum {
		v := YMM()
		values(Mem{Base: rows[k], Index: at, Scale: uint8(size)}, size, v)
		VFMADD231PD(v, by, sum[k])
	}
	ADDQ(Imm(4), at)
	CMPQ(at, n)
	JLT(LabelRef(name + "4"))
	dst := Load(Param("dst"), GP64())
	for k := range sum {
		h := across(sum[k], func(o ...Op) { VADDPD(o[0], o[1], o[2]) })
		VMOVSD(h, Mem{Base: dst, Disp: 8 * k})
	}
	VZEROUPPER()
	RET()
}

// rowsOf are the addresses of four rows.
func rowsOf(size int) (rows [4]reg.Register, m reg.Register) {
	rows[0], m = Load(Param("rows"), GP64()), Load(Param("m"), GP64())
	for k := 1; k < 4; k++ {
		r := GP64()
		LEAQ(Mem{Base: rows[k-1], Index: m, Scale: uint8(size)}, r)
		rows[k] = r
	}
	return rows, m
}

// adds writes addsAVX2 or adds32AVX2: four rows times a number each, added to one.
func adds(name, typ string, size int) {
	TEXT(name, NOSPLIT, "func(dst *float64, rows *"+typ+", m int, z *float64, n int)")
	Doc(name + " is Adds by AVX2 and FMA: four rows, m numbers apart, of which it takes n, a multiple of 4 above 0.")
	rows, _ := rowsOf(size)
	z, n := Load(Param("z"), GP64()), Load(Param("n"), GP64())
	var by [4]reg.VecVirtual
	for k := range by {
		by[k] = YMM()
		VBROADCASTSD(Mem{Base: z, Disp: 8 * k}, by[k])
	}
	dst, at := Load(Param("dst"), GP64()), GP64()
	XORQ(at, at)
	Label(name + "4")
	sum := YMM()
	VMOVUPD(Mem{Base: dst, Index: at, Scale: 8}, sum)
	for k := range by {
		v := YMM()
		values(Mem{Base: rows[k], Index: at, Scale: uint8(size)}, size, v)
		VFMADD231PD(v, by[k], sum)
	}
	VMOVUPD(sum, Mem{Base: dst, Index: at, Scale: 8})
	ADDQ(Imm(4), at)
	CMPQ(at, n)
	JLT(LabelRef(name + "4"))
	VZEROUPPER()
	RET()
}

// powers writes powers32AVX2, or powersRoot32AVX2, which takes roots: squared distances,
// exponents and powers in one pass, to the digits of float32; or powersAVX2, which keeps
// the squares and has float64. For four numbers: some 20 FMA, products and sums.
func powers(name string, root, wide bool) {
	of, series := "Powers32", "rough"
	if wide {
		of, series = "Powers", "good"
		TEXT(name, NOSPLIT, "func(dst, square, p, x, y, z, bias *float64, scale, f float64, n int) (most float64)")
	} else {
		TEXT(name, NOSPLIT, "func(dst *float32, p, x, y, z, bias *float64, scale, f float64, n int) (most float64)")
	}
	Pragma("noescape")
	Doc(name + " is " + of + " by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	var square reg.Register
	if wide {
		square = Load(Param("square"), GP64())
	}
	dst, p := Load(Param("dst"), GP64()), Load(Param("p"), GP64())
	var q [3]reg.VecVirtual
	for k := range q {
		q[k] = YMM()
		VBROADCASTSD(Mem{Base: p, Disp: 8 * k}, q[k])
	}
	col := [3]reg.Register{Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())}
	bias := Load(Param("bias"), GP64())
	scale, own, most := YMM(), YMM(), YMM()
	for k, to := range []reg.VecVirtual{scale, own} {
		a, _ := Param([]string{"scale", "f"}[k]).Resolve()
		VBROADCASTSD(a.Addr, to)
	}
	n := Load(Param("n"), GP64())
	VMOVUPD(four("minusInf", -maxFloat), most)
	at := GP64()
	XORQ(at, at)
	for _, turns := range []int{2, 1} {
		loop, end := fmt.Sprintf("%s%d", name, 4*turns), fmt.Sprintf("%s%dEnd", name, 4*turns)
		Label(loop)
		left := GP64()
		MOVQ(n, left)
		SUBQ(at, left)
		CMPQ(left, Imm(uint64(4*turns)))
		JLT(LabelRef(end))
		t := make([]reg.VecVirtual, turns)
		for i := range t {
			keep := Mem{}
			if wide {
				keep = Mem{Base: square, Index: at, Scale: 8, Disp: 32 * i}
			}
			t[i] = powerOf(q, col, at, 32*i, root, keep, bias, scale, own)
		}
		keep := make([]reg.VecVirtual, turns)
		for i := range t {
			keep[i] = YMM()
			VMAXPD(t[i], most, most)
			VMINPD(four("roughMost", 80), t[i], t[i])
			VCMPPD(Imm(13), four("roughLeast", -87), t[i], keep[i]) // at least
			VMAXPD(four("roughLeast", -87), t[i], t[i])
		}
		for i, p := range exps(t, series) {
			VANDPD(keep[i], p, p)
			if wide {
				VMOVUPD(p, Mem{Base: dst, Index: at, Scale: 8, Disp: 32 * i})
				continue
			}
			VCVTPD2PSY(p, p.AsX())
			VMOVUPS(p.AsX(), Mem{Base: dst, Index: at, Scale: 4, Disp: 16 * i})
		}
		ADDQ(Imm(uint64(4*turns)), at)
		JMP(LabelRef(loop))
		Label(end)
	}
	Store(across(most, func(o ...Op) { VMAXPD(o[0], o[1], o[2]) }), Return("most"))
	VZEROUPPER()
	RET()
}

// powerOf is four exponents: bias − scale C + own. Squared distances go to keep, where it
// is one.
func powerOf(q [3]reg.VecVirtual, col [3]reg.Register, at reg.Register, disp int, root bool, keep Mem, bias reg.Register,
	scale, own reg.VecVirtual) reg.VecVirtual {
	sum, d := YMM(), YMM()
	for k := range 3 {
		VSUBPD(Mem{Base: col[k], Index: at, Scale: 8, Disp: disp}, q[k], d)
		if k == 0 {
			VMULPD(d, d, sum)
		} else {
			VFMADD231PD(d, d, sum)
		}
	}
	if keep.Base != nil {
		VMOVUPD(sum, keep)
	}
	if root {
		VSQRTPD(sum, sum)
	}
	VADDPD(Mem{Base: bias, Index: at, Scale: 8, Disp: disp}, own, d)
	VFNMADD231PD(scale, sum, d)
	return d
}

// triple writes tripleAVX2: Σ a b c, two fours at a time.
func triple() {
	TEXT("tripleAVX2", NOSPLIT, "func(a, b, c *float64, n int) (sum float64)")
	Pragma("noescape")
	Doc("tripleAVX2 is Triple by AVX2 and FMA for n numbers, a multiple of 8 above 0.")
	v := [3]reg.Register{Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())}
	n := Load(Param("n"), GP64())
	sums := [2]reg.VecVirtual{YMM(), YMM()}
	for _, s := range sums {
		VXORPD(s, s, s)
	}
	at := GP64()
	XORQ(at, at)
	Label("triple8")
	for k, s := range sums {
		w := YMM()
		VMOVUPD(Mem{Base: v[0], Index: at, Scale: 8, Disp: 32 * k}, w)
		VMULPD(Mem{Base: v[1], Index: at, Scale: 8, Disp: 32 * k}, w, w)
		VFMADD231PD(Mem{Base: v[2], Index: at, Scale: 8, Disp: 32 * k}, w, s)
	}
	ADDQ(Imm(8), at)
	CMPQ(at, n)
	JLT(LabelRef("triple8"))
	VADDPD(sums[1], sums[0], sums[0])
	Store(across(sums[0], func(o ...Op) { VADDPD(o[0], o[1], o[2]) }), Return("sum"))
	VZEROUPPER()
	RET()
}

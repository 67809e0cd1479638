package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Polynomials for e^r, |r| ≤ ln 2/2, through the points of Chebyshev: off by 4e-18 of it,
// by 2e-14, and by 2.5e-9.
var (
	fineExp = []float64{1, 1, 0x1.0000000000011p-1, 0x1.555555555555ap-3, 0x1.555555554f0bap-5, 0x1.111111110f21ep-7,
		0x1.6c16c1880029fp-10, 0x1.a01a01b1461c5p-13, 0x1.a01991a10d9aep-16, 0x1.71ddf56d8deb5p-19, 0x1.28b4101c77212p-22,
		0x1.af632a0f7e2cep-26}
	goodExp = []float64{0x1.000000000003dp+0, 0x1.0000000000006p+0, 0x1.ffffffffe74a0p-2, 0x1.5555555550d79p-3,
		0x1.55555588c026cp-5, 0x1.11111123c1f47p-7, 0x1.6c162ba880942p-10, 0x1.a01994bd214e7p-13, 0x1.a17e031985654p-16,
		0x1.72e1150d0c9b6p-19}
	roughExp = []float64{1, 0x1.000000a21653fp+0, 0x1.000000287f871p-1, 0x1.5554041b96acbp-3, 0x1.5554accfdb593p-5,
		0x1.126fb8fa71fe6p-7, 0x1.6d7543e4127b8p-10}
)

// exps turns numbers x, none above 700 and none below −800, into powers of e: x = n ln 2
// + r with |r| at most ln 2/2, a polynomial for e^r, and 2^n. Registers take turns, step by
// step, for one alone would wait for itself most of the time. Good and rough ones are of
// numbers between −87 and 80.
func exps(x []reg.VecVirtual, name string) (p []reg.VecVirtual) {
	series := map[string][]float64{"fine": fineExp, "good": goodExp, "rough": roughExp}[name]
	quick := name != "fine"
	term := func(i int) Mem { return four(name+string(rune('a'+i)), series[i]) }
	each := func(f func(i int)) {
		for i := range x {
			f(i)
		}
	}
	k := make([]reg.VecVirtual, len(x))
	p = make([]reg.VecVirtual, len(x))
	each(func(i int) { k[i] = YMM(); VMULPD(four("expLog2e", math.Log2E), x[i], k[i]) })
	each(func(i int) { VROUNDPD(Imm(8), k[i], k[i]) })
	if quick {
		each(func(i int) { VFNMADD231PD(four("ln2", math.Ln2), k[i], x[i]) })
	} else {
		each(func(i int) { VFNMADD231PD(four("expHigh", 0x1.62e42fefap-1), k[i], x[i]) })
		each(func(i int) { VFNMADD231PD(four("expLow", 0x1.cf79abc9e3b39p-40), k[i], x[i]) })
	}
	each(func(i int) { p[i] = YMM(); VMOVUPD(term(len(series)-1), p[i]) })
	for t := len(series) - 2; t >= 0; t-- {
		each(func(i int) { VFMADD213PD(term(t), x[i], p[i]) })
	}
	each(func(i int) { VCVTPD2DQY(k[i], k[i].AsX()) })
	if quick {
		each(func(i int) { VPMOVSXDQ(k[i].AsX(), k[i]) })
		each(func(i int) { VPADDQ(exponentBias(), k[i], k[i]) })
		each(func(i int) { VPSLLQ(Imm(52), k[i], k[i]) })
		each(func(i int) { VMULPD(k[i], p[i], p[i]) })
		return p
	}
	each(func(i int) { // in two factors, so that it may end below the normal numbers
		half, power := x[i].AsX(), x[i]
		VPSRAD(Imm(1), k[i].AsX(), half)
		VPSUBD(half, k[i].AsX(), k[i].AsX())
		VPMOVSXDQ(half, power)
		VPADDQ(exponentBias(), power, power)
		VPSLLQ(Imm(52), power, power)
		VMULPD(power, p[i], p[i])
		VPMOVSXDQ(k[i].AsX(), k[i])
		VPADDQ(exponentBias(), k[i], k[i])
		VPSLLQ(Imm(52), k[i], k[i])
		VMULPD(k[i], p[i], p[i])
	})
	return p
}

// expTurns is how many registers take turns.
const expTurns = 3

// exp writes expAVX2, or expSumAVX2, which takes a number away before and sums up. For
// four numbers: 17 FMA or products.
func exp(name string, summed bool) {
	if summed {
		TEXT(name, NOSPLIT, "func(v *float64, most float64, n int) (sum float64)")
		Doc(name + " is ExpSum by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	} else {
		TEXT(name, NOSPLIT, "func(v *float64, n int)")
		Doc(name + " is expPlain by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	}
	Pragma("noescape")
	most, sum := YMM(), YMM()
	if summed {
		m, _ := Param("most").Resolve()
		VBROADCASTSD(m.Addr, most)
		VXORPD(sum, sum, sum)
	}
	v, n := Load(Param("v"), GP64()), Load(Param("n"), GP64())
	for _, turns := range []int{expTurns, 1} {
		loop, end := fmt.Sprintf("%s%d", name, 4*turns), fmt.Sprintf("%s%dEnd", name, 4*turns)
		Label(loop)
		CMPQ(n, Imm(uint64(4*turns)))
		JLT(LabelRef(end))
		x := make([]reg.VecVirtual, turns)
		for i := range x {
			x[i] = YMM()
			VMOVUPD(Mem{Base: v, Disp: 32 * i}, x[i])
			if summed {
				VSUBPD(most, x[i], x[i])
			}
			VMAXPD(four("expLeast", -800), x[i], x[i])
		}
		for i, p := range exps(x, "fine") {
			VMOVUPD(p, Mem{Base: v, Disp: 32 * i})
			if summed {
				VADDPD(p, sum, sum)
			}
		}
		ADDQ(Imm(uint64(32*turns)), v)
		SUBQ(Imm(uint64(4*turns)), n)
		JMP(LabelRef(loop))
		Label(end)
	}
	if summed {
		Store(across(sum, func(o ...Op) { VADDPD(o[0], o[1], o[2]) }), Return("sum"))
	}
	VZEROUPPER()
	RET()
}

var biasMem *Mem

// exponentBias is the bias of an exponent, four times.
func exponentBias() Mem {
	if biasMem == nil {
		m := GLOBL("expBias", RODATA|NOPTR)
		for k := range 4 {
			DATA(8*k, U64(1023))
		}
		biasMem = &m
	}
	return *biasMem
}

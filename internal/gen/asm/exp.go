package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp writes expAVX2, or expSumAVX2, which takes a number away before and sums up: x = n ln 2 + r with |r| at most ln 2/2, thirteen terms of the
// series for e^r, and 2^n in two factors, so that it may end below the normal
// numbers. For four numbers: 17 FMA or products.
func exp(name string, summed bool) {
	if summed {
		TEXT(name, NOSPLIT, "func(v *float64, most float64, n int) (sum float64)")
		Doc(name + " is ExpSum by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	} else {
		TEXT(name, NOSPLIT, "func(v *float64, n int)")
		Doc(name + " is expPlain by AVX2 and FMA for n numbers, a multiple of 4 above 0.")
	}
	Pragma("noescape")
	least, log2e := four("expLeast", -800), four("expLog2e", math.Log2E)
	high, low := four("expHigh", 0x1.62e42fefap-1), four("expLow", 0x1.cf79abc9e3b39p-40)
	var terms [14]Mem // 1/k!
	factorial := 1.0
	for k := range terms {
		if k > 0 {
			factorial *= float64(k)
		}
		terms[k] = four("exp"+string(rune('a'+k)), 1/factorial)
	}
	bias := exponentBias()
	most, sum := YMM(), YMM()
	if summed {
		m, _ := Param("most").Resolve()
		VBROADCASTSD(m.Addr, most)
		VXORPD(sum, sum, sum)
	}
	v, n := Load(Param("v"), GP64()), Load(Param("n"), GP64())
	Label(name + "4")
	x, k, p := YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: v}, x)
	if summed {
		VSUBPD(most, x, x)
	}
	VMAXPD(least, x, x)
	VMULPD(log2e, x, k)
	VROUNDPD(Imm(8), k, k)
	VFNMADD231PD(high, k, x)
	VFNMADD231PD(low, k, x)
	VMOVUPD(terms[13], p)
	for t := 12; t >= 0; t-- {
		VFMADD213PD(terms[t], x, p)
	}
	whole, half := XMM(), XMM()
	VCVTPD2DQY(k, whole)
	VPSRAD(Imm(1), whole, half)
	VPSUBD(half, whole, whole)
	for _, part := range []reg.VecVirtual{half, whole} {
		power := YMM()
		VPMOVSXDQ(part, power)
		VPADDQ(bias, power, power)
		VPSLLQ(Imm(52), power, power)
		VMULPD(power, p, p)
	}
	VMOVUPD(p, Mem{Base: v})
	if summed {
		VADDPD(p, sum, sum)
	}
	ADDQ(Imm(32), v)
	SUBQ(Imm(4), n)
	JNZ(LabelRef(name + "4"))
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

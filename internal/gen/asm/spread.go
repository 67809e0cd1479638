package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spread writes spreadAVX2: four entries of a sparse line at a time, whose places in
// dst are different, so that four may be read before one is written.
func spread() {
	TEXT("spreadAVX2", NOSPLIT, "func(dst *float64, ptr *int64, n int, idx *int32, val, w *float64)")
	Pragma("noescape")
	Doc("spreadAVX2 is spreadPlain by AVX2; n is at least 1.")
	dst, ptr, n := Load(Param("dst"), GP64()), Load(Param("ptr"), GP64()), Load(Param("n"), GP64())
	idx, val, w := Load(Param("idx"), GP64()), Load(Param("val"), GP64()), Load(Param("w"), GP64())
	left := GP64()
	var at [4]reg.GPVirtual
	for k := range at {
		at[k] = GP64()
	}
	Label("spread")
	MOVQ(Mem{Base: ptr, Disp: 8}, left)
	SUBQ(Mem{Base: ptr}, left)
	u := YMM()
	VBROADCASTSD(Mem{Base: w}, u)
	SUBQ(Imm(4), left)
	JLT(LabelRef("spreadRest"))
	Label("spread4")
	for k := range at {
		MOVL(Mem{Base: idx, Disp: 4 * k}, at[k].As32())
	}
	low, high, v, h := XMM(), XMM(), YMM(), XMM()
	VMULPD(Mem{Base: val}, u, v)
	VEXTRACTF128(Imm(1), v, h)
	for k, part := range []reg.VecVirtual{low, high} {
		VMOVSD(Mem{Base: dst, Index: at[2*k], Scale: 8}, part)
		VMOVHPD(Mem{Base: dst, Index: at[2*k+1], Scale: 8}, part, part)
		if k == 0 {
			VADDPD(v.AsX(), part, part)
		} else {
			VADDPD(h, part, part)
		}
	}
	for k, part := range []reg.VecVirtual{low, high} {
		VMOVLPD(part, Mem{Base: dst, Index: at[2*k], Scale: 8})
		VMOVHPD(part, Mem{Base: dst, Index: at[2*k+1], Scale: 8})
	}
	ADDQ(Imm(16), idx)
	ADDQ(Imm(32), val)
	SUBQ(Imm(4), left)
	JGE(LabelRef("spread4"))
	Label("spreadRest")
	ADDQ(Imm(4), left)
	JZ(LabelRef("spreadEnd"))
	Label("spread1")
	one := XMM()
	MOVL(Mem{Base: idx}, at[0].As32())
	VMULSD(Mem{Base: val}, u.AsX(), one)
	VADDSD(Mem{Base: dst, Index: at[0], Scale: 8}, one, one)
	VMOVSD(one, Mem{Base: dst, Index: at[0], Scale: 8})
	ADDQ(Imm(4), idx)
	ADDQ(Imm(8), val)
	DECQ(left)
	JNZ(LabelRef("spread1"))
	Label("spreadEnd")
	ADDQ(Imm(8), ptr)
	ADDQ(Imm(8), w)
	DECQ(n)
	JNZ(LabelRef("spread"))
	VZEROUPPER()
	RET()
}

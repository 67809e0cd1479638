package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lines writes linesAVX2 and lines32AVX2: sparse lines times a vector, four entries
// at a time. For four entries: 2 loads of indices, 4 of w, 1 of values, 1 FMA.
func lines(maskTable Mem, name, values string, size int) {
	TEXT(name, NOSPLIT, "func(dst *float64, ptr *int64, n int, idx *int32, val *"+values+", w *float64, factor float64)")
	Pragma("noescape")
	Doc(name + " is linesPlain by AVX2 and FMA; n is at least 1.")
	dst, ptr, n := Load(Param("dst"), GP64()), Load(Param("ptr"), GP64()), Load(Param("n"), GP64())
	idx, val, w := Load(Param("idx"), GP64()), Load(Param("val"), GP64()), Load(Param("w"), GP64())
	factor := Load(Param("factor"), XMM())
	left, i, j, masks := GP64(), GP64(), GP64(), GP64()
	LEAQ(maskTable, masks)
	Label("line")
	MOVQ(Mem{Base: ptr, Disp: 8}, left)
	SUBQ(Mem{Base: ptr}, left)
	sum := YMM()
	VXORPD(sum, sum, sum)
	SUBQ(Imm(4), left)
	JLT(LabelRef("rest"))
	// take adds four entries whose indices are in low and high, two each, and whose
	// values are in v.
	take := func(index func(k int) reg.GPVirtual, v Op) {
		var pair [2]reg.VecVirtual
		for k := range pair {
			i := index(k)
			MOVL(i.As32(), j.As32())
			SHRQ(Imm(32), i)
			pair[k] = XMM()
			VMOVSD(Mem{Base: w, Index: j, Scale: 8}, pair[k])
			VMOVHPD(Mem{Base: w, Index: i, Scale: 8}, pair[k], pair[k])
		}
		all := YMM()
		VINSERTF128(Imm(1), pair[1], pair[0].AsY(), all)
		VFMADD231PD(v, all, sum)
	}
	Label("four")
	var v Op = Mem{Base: val}
	if size == 4 {
		wide := YMM()
		VCVTPS2PD(v, wide)
		v = wide
	}
	take(func(k int) reg.GPVirtual {
		MOVQ(Mem{Base: idx, Disp: 8 * k}, i)
		return i
	}, v)
	ADDQ(Imm(16), idx)
	ADDQ(Imm(uint64(4*size)), val)
	SUBQ(Imm(4), left)
	JGE(LabelRef("four"))
	Label("rest")
	ADDQ(Imm(4), left)
	JZ(LabelRef("end"))
	// One to three entries: the others are 0 times w[0].
	mask, entries, values4 := XMM(), XMM(), YMM()
	MOVQ(left, i)
	SHLQ(Imm(4), i)
	VMOVDQU(Mem{Base: masks, Index: i, Scale: 1}, mask)
	VPMASKMOVD(Mem{Base: idx}, mask, entries)
	if size == 8 {
		wide := YMM()
		VPMOVSXDQ(mask, wide)
		VMASKMOVPD(Mem{Base: val}, wide, values4)
	} else {
		VMASKMOVPS(Mem{Base: val}, mask, values4.AsX())
		VCVTPS2PD(values4.AsX(), values4)
	}
	take(func(k int) reg.GPVirtual {
		if k == 0 {
			VMOVQ(entries, i)
		} else {
			VPEXTRQ(Imm(1), entries, i)
		}
		return i
	}, values4)
	LEAQ(Mem{Base: idx, Index: left, Scale: 4}, idx)
	LEAQ(Mem{Base: val, Index: left, Scale: uint8(size)}, val)
	Label("end")
	h := XMM()
	VEXTRACTF128(Imm(1), sum, h)
	VADDPD(h, sum.AsX(), h)
	VHADDPD(h, h, h)
	VMULSD(factor, h, h)
	VMOVSD(h, Mem{Base: dst})
	ADDQ(Imm(8), dst)
	ADDQ(Imm(8), ptr)
	DECQ(n)
	JNZ(LabelRef("line"))
	VZEROUPPER()
	RET()
}

// firsts is masks of the first n of four, from place 4 n on.
func firsts() Mem {
	m := GLOBL("firsts", RODATA|NOPTR)
	for n := range 4 {
		for k := range 4 {
			v := uint32(0)
			if k < n {
				v = math.MaxUint32
			}
			DATA(16*n+4*k, U32(v))
		}
	}
	return m
}

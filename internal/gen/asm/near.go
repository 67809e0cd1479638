package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corner loads the three coordinates of a point into registers of eight equal
// numbers.
func corner(name string) (q [3]reg.VecVirtual) {
	p := Load(Param(name), GP64())
	for k := range q {
		q[k] = YMM()
		VBROADCASTSS(Mem{Base: p, Disp: 4 * k}, q[k])
	}
	return q
}

// squares returns the squared distances of q from the eight points, rows of
// three coordinates, that lie disp bytes behind p.
func squares(q [3]reg.VecVirtual, p reg.Register, disp int) reg.VecVirtual {
	var m [3]reg.VecVirtual // m[k] has points 0 to 3 below, 4 to 7 above
	for k := range m {
		m[k] = YMM()
		VMOVUPS(Mem{Base: p, Disp: disp + 16*k}, m[k].AsX())
		VINSERTF128(Imm(1), Mem{Base: p, Disp: disp + 48 + 16*k}, m[k], m[k])
	}
	xy, yz := YMM(), YMM()
	VSHUFPS(Imm(0x9e), m[2], m[1], xy) // x2 y2 x3 y3
	VSHUFPS(Imm(0x49), m[1], m[0], yz) // y0 z0 y1 z1
	x, y, z := YMM(), YMM(), YMM()
	VSHUFPS(Imm(0x8c), xy, m[0], x)
	VSHUFPS(Imm(0xd8), xy, yz, y)
	VSHUFPS(Imm(0xcd), m[2], yz, z)
	for k, v := range []reg.VecVirtual{x, y, z} {
		VSUBPS(q[k], v, v)
	}
	s := YMM()
	VMULPS(x, x, s)
	VFMADD231PS(y, y, s)
	VFMADD231PS(z, z, s)
	return s
}

// leaves is the loop over the bits of a mask of leaves; body gets the address of
// the leaf's points, the number of its first point and of its points.
func leaves(name string, body func(p, lo, n reg.GPVirtual)) {
	x := Load(Param("x"), GP64())
	spans := Load(Param("spans"), GP64())
	mask := Load(Param("mask"), GP64())
	l, lo, n, p := GP64(), GP64(), GP64(), GP64()
	JMP(LabelRef(name + "next"))
	Label(name)
	TZCNTQ(mask, l)
	BLSRQ(mask, mask)
	MOVLQSX(Mem{Base: spans, Index: l, Scale: 8}, lo)
	MOVLQSX(Mem{Base: spans, Index: l, Scale: 8, Disp: 4}, n)
	SUBQ(lo, n)
	LEAQ(Mem{Base: lo, Index: lo, Scale: 2}, p)
	LEAQ(Mem{Base: x, Index: p, Scale: 4}, p)
	body(p, lo, n)
	Label(name + "next")
	TESTQ(mask, mask)
	JNZ(LabelRef(name))
}

// placesTable turns eight bits into the places of those that are set.
func placesTable() Mem {
	places := GLOBL("places", RODATA|NOPTR)
	for m := range 256 {
		row := uint64(0)
		for k, at := 0, 0; k < 8; k++ {
			if m>>k&1 == 1 {
				row |= uint64(k) << at
				at += 8
			}
		}
		DATA(8*m, U64(row))
	}
	return places
}

// within writes withinAVX2, or eitherAVX2, in which every point has a bound of its
// own too: 16 points at once. A table turns bits into places, so that nothing branches
// on a distance.
func within(places Mem, name string, either bool) {
	if either {
		TEXT(name, NOSPLIT, "func(q, x, own *float32, spans *[2]int32, mask uint64, bound float32, out *int32) int")
		Doc(name + " writes to out the places, and behind them garbage, of points within the bound or their own.")
	} else {
		TEXT(name, NOSPLIT, "func(q, x *float32, spans *[2]int32, mask uint64, bound float32, out *int32) int")
		Doc(name + " writes to out the places, and behind them garbage, of points within the bound.")
	}
	Pragma("noescape")
	q := corner("q")
	b, _ := Param("bound").Resolve()
	bound := YMM()
	VBROADCASTSS(b.Addr, bound)
	out := Load(Param("out"), GP64())
	start, table := GP64(), GP64()
	MOVQ(out, start)
	LEAQ(places, table)
	own := GP64()
	if either {
		own = Load(Param("own"), GP64()).(reg.GPVirtual)
	}
	leaves(name+"16", func(p, lo, n reg.GPVirtual) {
		m, part, base := GP64(), GP64(), YMM()
		VMOVD(lo.As32(), base.AsX())
		VPBROADCASTD(base.AsX(), base)
		var bits [2]reg.GPVirtual
		for k := range bits {
			s, most := squares(q, p, 96*k), bound
			if either {
				most = YMM()
				VMAXPS(Mem{Base: own, Index: lo, Scale: 4, Disp: 32 * k}, bound, most)
			}
			VCMPPS(Imm(0x12), most, s, s) // s <= most
			bits[k] = GP64()
			VMOVMSKPS(s, bits[k].As32())
		}
		SHLQ(Imm(8), bits[1])
		ORQ(bits[1], bits[0])
		BZHIQ(n, bits[0], m)
		for k := range 2 {
			MOVBQZX(m.As8(), part)
			at := YMM()
			VPMOVZXBD(Mem{Base: table, Index: part, Scale: 8}, at)
			VPADDD(base, at, at)
			VMOVDQU(at, Mem{Base: out})
			POPCNTQ(part, part)
			LEAQ(Mem{Base: out, Index: part, Scale: 4}, out)
			if k == 0 {
				eight := YMM()
				VPCMPEQD(eight, eight, eight) // −1
				VPSRLD(Imm(31), eight, eight)
				VPSLLD(Imm(3), eight, eight)
				VPADDD(eight, base, base)
				SHRQ(Imm(8), m)
			}
		}
	})
	VZEROUPPER()
	SUBQ(start, out)
	SHRQ(Imm(2), out)
	Store(out, ReturnIndex(0))
	RET()
}

// least writes leastAVX2: the two least of 16 squared distances a leaf; those of
// lanes behind the leaf's points are raised to +Inf first.
func least() {
	inf := math.Float32bits(float32(math.Inf(1)))
	lanes := GLOBL("lanes", RODATA|NOPTR) // 16 of 0, then 16 of +Inf
	for k := range 32 {
		v := uint32(0)
		if k >= 16 {
			v = inf
		}
		DATA(4*k, U32(v))
	}
	TEXT("leastAVX2", NOSPLIT, "func(q, x *float32, spans *[2]int32, mask uint64) (first, second float32)")
	Pragma("noescape")
	Doc("leastAVX2 returns the two least squared distances of q from points.")
	q := corner("q")
	lo, hi, a, b := YMM(), YMM(), YMM(), YMM()
	table, at := GP64(), GP64()
	LEAQ(lanes, table)
	VMOVUPS(Mem{Base: table, Disp: 64}, lo)
	VMOVUPS(Mem{Base: table, Disp: 64}, hi)
	leaves("least16", func(p, _, n reg.GPVirtual) {
		MOVQ(U32(16), at)
		SUBQ(n, at)
		for k := range 2 {
			s := squares(q, p, 96*k)
			// behind the last point may lie anything, even a NaN: MAX gives its second
			VMAXPS(Mem{Base: table, Index: at, Scale: 4, Disp: 32 * k}, s, s)
			VMAXPS(s, lo, a)
			VMINPS(a, hi, hi)
			VMINPS(s, lo, lo)
		}
	})
	for step := range 3 {
		for k, v := range []reg.VecVirtual{lo, hi} {
			to := []reg.VecVirtual{a, b}[k]
			switch step {
			case 0:
				VPERM2F128(Imm(1), v, v, to)
			case 1:
				VPERMILPS(Imm(0x4e), v, to)
			case 2:
				VPERMILPS(Imm(0xb1), v, to)
			}
		}
		VMINPS(b, hi, hi)
		VMAXPS(a, lo, b)
		VMINPS(b, hi, hi)
		VMINPS(a, lo, lo)
	}
	VZEROUPPER() // leaves the low lanes, which are stored
	Store(lo.AsX(), Return("first"))
	Store(hi.AsX(), Return("second"))
	RET()
}

// boxes writes boxesAVX2: eight boxes at once.
func boxes() {
	TEXT("boxesAVX2", NOSPLIT, "func(box, boxes, own *float32, groups int, bound float32) uint64")
	Pragma("noescape")
	Doc("boxesAVX2 tells by bits which of eight times groups boxes, at most 64, are within the bound or their own.")
	from := Load(Param("box"), GP64())
	var corners [6]reg.VecVirtual
	for k := range corners {
		corners[k] = YMM()
		VBROADCASTSS(Mem{Base: from, Disp: 4 * k}, corners[k])
	}
	p, own := Load(Param("boxes"), GP64()), Load(Param("own"), GP64())
	n := Load(Param("groups"), GP64())
	bound := YMM()
	b, _ := Param("bound").Resolve()
	VBROADCASTSS(b.Addr, bound)
	mask, bits, shift := GP64(), GP64(), reg.RCX
	XORQ(mask, mask)
	XORQ(shift, shift)
	zero := YMM()
	VXORPS(zero, zero, zero)
	Label("boxes8")
	s, most := YMM(), YMM()
	VMAXPS(Mem{Base: own}, bound, most)
	for k := range 3 {
		low, high := YMM(), YMM()
		VMOVUPS(Mem{Base: p, Disp: 32 * k}, low)
		VSUBPS(corners[k+3], low, low) // low − the other's high
		VSUBPS(Mem{Base: p, Disp: 32 * (k + 3)}, corners[k], high)
		VMAXPS(high, low, low)
		VMAXPS(zero, low, low)
		if k == 0 {
			VMULPS(low, low, s)
		} else {
			VFMADD231PS(low, low, s)
		}
	}
	VCMPPS(Imm(0x12), most, s, s)
	VMOVMSKPS(s, bits.As32())
	SHLQ(reg.CL, bits)
	ORQ(bits, mask)
	ADDQ(Imm(8), shift)
	ADDQ(Imm(192), p)
	ADDQ(Imm(32), own)
	DECQ(n)
	JNZ(LabelRef("boxes8"))
	Store(mask, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

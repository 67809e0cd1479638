//go:build !noasm

package vec

// fast is set once, before main.
var fast = avx2()

// avx2 says that the processor has AVX2 and FMA and that the system saves their
// registers.
func avx2() bool {
	const fma, osxsave, avx, avx2, registers = 1 << 12, 1 << 27, 1 << 28, 1 << 5, 6
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	if c&fma == 0 || c&osxsave == 0 || c&avx == 0 || xgetbv()&registers != registers {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

func pull(r *Row, cols []float64) {
	if fast {
		pullAVX2(&r.X, &cols[0], len(cols)/GroupLen)
		return
	}
	pullPlain(r, cols)
}

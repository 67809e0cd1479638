//go:build amd64 && !noasm

package vec

// A machine that has AVX-512 tests the form by AVX2 too.
func init() {
	if fast {
		pulls["AVX2"] = func(r *Row, cols []float64) { pullAVX2(&r.X, &cols[0], len(cols)/GroupLen) }
		draws["AVX2"] = func(r *Row, cols []float64) { drawAVX2(&r.X, &cols[0], len(cols)/GroupLen) }
	}
}

//go:build !amd64 || noasm

package vec

const fast = false

func pull(r *Row, cols []float64) { pullPlain(r, cols) }

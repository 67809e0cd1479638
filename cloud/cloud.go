// Package cloud holds weighted point clouds, reads and writes them, and makes
// exact ones by formula.
package cloud

// Cloud is N points in D dimensions with optional weights.
//
// X is row-major: coordinate k of point i is X[i*D+k], in the caller's unit of
// length. W holds N weights, each at least zero, or is nil for the uniform
// weight 1/N. Attr holds other columns of a file by name (colour, normals,
// intensity), N values each.
type Cloud struct {
	N, D int
	X    []float32
	W    []float64
	Attr map[string][]float32
}

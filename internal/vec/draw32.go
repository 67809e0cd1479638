package vec

import "math"

// Group32 is how many columns of float32 lie side by side in memory, and GroupLen32 the
// numbers of a group: x, y, z, v, fx, fy, fz, each Group32 times.
const (
	Group32    = 16
	GroupLen32 = 7 * Group32
)

// Row32 is a point that meets columns in [Row32.Draw], and the sums that it gets.
// The assembly knows the order of the fields.
type Row32 struct {
	X, Y, Z, A float32
	FX, FY, FZ float32
}

// Fast32 says that Draw of a Row32 takes less time than that of a Row.
func Fast32() bool { return fast512 }

// Draw is [Row.Draw] in float32, but sets the row's force instead of adding to it.
// Coordinates are below 2^60, and differences of them zero or above 2^-60.
//
// Cost: 0.3 ns a pair by AVX-512, 5 in Go; each term has an error of 3e-7 of it.
func (r *Row32) Draw(cols []float32) {
	r.FX, r.FY, r.FZ = 0, 0, 0
	if n := len(cols) / GroupLen32; n > 0 {
		draw32(r, cols[:n*GroupLen32])
	}
}

// draw32Plain is Draw in plain Go.
func draw32Plain(r *Row32, cols []float32) {
	var fx, fy, fz float32
	for ; len(cols) >= GroupLen32; cols = cols[GroupLen32:] {
		g := (*[GroupLen32]float32)(cols)
		for k := range Group32 {
			x, y, z := r.X-g[k], r.Y-g[Group32+k], r.Z-g[2*Group32+k]
			s := float32(x*x) + float32(y*y) + float32(z*z)
			if s == 0 {
				continue
			}
			c := float32(r.A*g[3*Group32+k]) / float32(math.Sqrt(float64(s)))
			x, y, z = c*x, c*y, c*z
			fx, fy, fz = fx+x, fy+y, fz+z
			g[4*Group32+k] += x
			g[5*Group32+k] += y
			g[6*Group32+k] += z
		}
	}
	r.FX, r.FY, r.FZ = fx, fy, fz
}

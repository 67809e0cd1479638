package cuda

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// BruteMost is the number of pairs of points up to which brute force is faster
// than Morton tiles, by counts of instructions; not measured yet.
const BruteMost = 1 << 24

// Nearest are nearest neighbours both ways: index within the other cloud, and
// squared distance.
type Nearest struct {
	X, Y             []int32
	SquareX, SquareY []float64
}

// check looks at the lengths: C trusts them.
func (j Job) check() error {
	n, m := int64(len(j.X)/3), int64(len(j.Y)/3)
	bad := func(format string, args ...any) error {
		return &Error{Op: "APML", Err: ErrInvalid, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(j.Pairs) == 0 || len(j.X)%3 != 0 || len(j.Y)%3 != 0:
		return bad("%d pairs, %d and %d coordinates", len(j.Pairs), len(j.X), len(j.Y))
	case n > math.MaxInt32-1 || m > math.MaxInt32-1:
		return bad("%d and %d points, at most 2^31-2 are indexed", n, m)
	case (j.WX == nil) != (j.WY == nil) || j.WX != nil && (int64(len(j.WX)) != n || int64(len(j.WY)) != m):
		return bad("%d and %d weights", len(j.WX), len(j.WY))
	case (j.MX == nil) != (j.MY == nil) || j.MX != nil && (int64(len(j.MX)) != n || int64(len(j.MY)) != m):
		return bad("%d and %d multiplicities", len(j.MX), len(j.MY))
	}
	x, y := int64(0), int64(0)
	for k, p := range j.Pairs {
		if p.X0 != x || p.Y0 != y || p.N < 1 || p.M < 1 || p.TotalN < p.N || p.TotalM < p.M || !(p.Unit > 0) {
			return bad("pair %d is %+v, and begins at %d, %d", k, p, x, y)
		}
		x, y = x+int64(p.N), y+int64(p.M)
	}
	if x != n || y != m {
		return bad("pairs have %d and %d points, the clouds %d and %d", x, y, n, m)
	}
	return nil
}

// Soft is a pass of entropic transport, rows X against columns Y. c is the squared
// distance in units of the coordinates, or the distance if Plain is set.
type Soft struct {
	X, Y  []float32 // [n,3], [m,3]
	H, F  []float64 // [m], [n] exponents of columns and rows, to the base 2; F of Pull alone
	Scale float64   // exponent of one unit of the cost
	Plain bool
	Wide  bool  // powers of Softmin to 1e-15 instead of 1.2e-7; Pull has them always
	Limit int64 // bytes of device memory
}

// check looks at the lengths: C trusts them.
func (s Soft) check(op string, rows bool) error {
	n, m := len(s.X)/3, len(s.Y)/3
	if n == 0 || m == 0 || len(s.X)%3 != 0 || len(s.Y)%3 != 0 || int64(max(n, m)) > math.MaxInt32-1 ||
		len(s.H) != m || rows && len(s.F) != n {
		return &Error{Op: op, Err: ErrInvalid, Reason: fmt.Sprintf("%d and %d coordinates, %d and %d exponents",
			len(s.X), len(s.Y), len(s.F), len(s.H))}
	}
	return nil
}

// Bytes is the device memory that a pass takes, but for rounding.
func (s Soft) Bytes() int64 {
	n, m := int64(len(s.X)/3), int64(len(s.Y)/3)
	return 36*n + 20*m + 40*n*min((264+(n+127)/128-1)/((n+127)/128), (m+1023)/1024)
}

// Limit reads GONDOLA_GPU_MEM: bytes, or percent of the device's; "" is no limit.
func Limit(text string, total uint64) (int64, error) {
	bad := fmt.Errorf("GONDOLA_GPU_MEM is %q, want bytes or percent, as in 8000000000 or 50%%", text)
	if text == "" {
		return math.MaxInt64, nil
	}
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(p > 0 && p <= 100) {
			return 0, bad
		}
		return int64(p / 100 * float64(total)), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, bad
	}
	return n, nil
}

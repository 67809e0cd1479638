package cloud

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
)

// errSyntax and errRange are what a word of text can be instead of a number.
var (
	errSyntax = errors.New("not a number")
	errRange  = errors.New("too large a number")
)

var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parse32 reads a decimal number, nan or inf, rounded once to float32. What has
// at most 53 bits of digits and a small exponent is one exact float64 operation;
// only where that result lies half-way between two float32 could the second
// rounding go wrong, and there, as for all other words, strconv decides.
func parse32(b []byte) (float32, error) {
	m, exp, ok := decimal(b)
	if ok {
		f := float64(m)
		if exp < 0 {
			f /= powers[-exp]
		} else {
			f *= powers[exp]
		}
		if math.Float64bits(f)&(1<<29-1) != 1<<28 && f < 1e38 {
			if b[0] == '-' {
				f = -f
			}
			return float32(f), nil
		}
	}
	f, err := parse(b, 32)
	return float32(f), err
}

// shifted32 reads a number in float64, subtracts origin and rounds to float32.
func shifted32(b []byte, origin float64) (float32, error) {
	f, err := parse(b, 64)
	if err != nil {
		return 0, err
	}
	v := float32(f - origin)
	if v-v != 0 && f-f == 0 {
		return 0, errRange
	}
	return v, nil
}

// decimal takes b apart if it is short enough: the digits as one number and the
// power of ten.
func decimal(b []byte) (m uint64, exp int, ok bool) {
	i, digits, dot := 0, 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i = 1
	}
	for ; i < len(b); i++ {
		if d := b[i] - '0'; d <= 9 {
			m = m*10 + uint64(d)
			digits++
			if dot {
				exp--
			}
		} else if b[i] == '.' && !dot {
			dot = true
		} else {
			break
		}
	}
	if digits == 0 || digits > 18 || m >= 1<<53 {
		return 0, 0, false
	}
	if i < len(b) {
		e, good := exponent(b[i:])
		if !good {
			return 0, 0, false
		}
		exp += e
	}
	return m, exp, exp >= -22 && exp <= 22
}

// exponent reads e−07 and the like.
func exponent(b []byte) (e int, ok bool) {
	if len(b) < 2 || len(b) > 5 || b[0]|0x20 != 'e' {
		return 0, false
	}
	i := 1
	if b[1] == '-' || b[1] == '+' {
		i = 2
	}
	if i == len(b) {
		return 0, false
	}
	for _, c := range b[i:] {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		e = e*10 + int(d)
	}
	if b[1] == '-' {
		e = -e
	}
	return e, true
}

// parse reads a decimal number, nan or inf. Unlike strconv it takes no
// hexadecimal digits and no underscores.
func parse(b []byte, size int) (float64, error) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c|0x20 != 'e' {
			return word(b)
		}
	}
	f, err := strconv.ParseFloat(string(b), size)
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, errRange
	}
	return 0, errSyntax
}

func word(b []byte) (float64, error) {
	sign := 1
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		b = b[1:]
	}
	switch {
	case bytes.EqualFold(b, []byte("nan")):
		return math.NaN(), nil
	case bytes.EqualFold(b, []byte("inf")), bytes.EqualFold(b, []byte("infinity")):
		return math.Inf(sign), nil
	}
	return 0, errSyntax
}

// kind is the type of a column of a binary file; its number of bytes is the
// lower four bits.
type kind uint8

const (
	int8s    kind = 0x11
	uint8s   kind = 0x21
	int16s   kind = 0x12
	uint16s  kind = 0x22
	int32s   kind = 0x14
	uint32s  kind = 0x24
	int64s   kind = 0x18
	uint64s  kind = 0x28
	float32s kind = 0x34
	float64s kind = 0x38
)

func (k kind) bytes() int    { return int(k & 15) }
func (k kind) integer() bool { return k>>4 != 3 }

// number decodes one little-endian value.
func (k kind) number(b []byte) float64 {
	switch k {
	case int8s:
		return float64(int8(b[0]))
	case uint8s:
		return float64(b[0])
	case int16s:
		return float64(int16(le16(b)))
	case uint16s:
		return float64(le16(b))
	case int32s:
		return float64(int32(le32(b)))
	case uint32s:
		return float64(le32(b))
	case int64s:
		return float64(int64(le64(b)))
	case uint64s:
		return float64(le64(b))
	case float32s:
		return float64(math.Float32frombits(le32(b)))
	case float64s:
		return math.Float64frombits(le64(b))
	}
	panic("cloud: a column of no kind")
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

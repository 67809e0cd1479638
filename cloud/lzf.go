package cloud

import "errors"

var errLZF = errors.New("the compressed data is damaged")

// unpackLZF undoes LZF compression; size is the length that must come out. The
// result grows as it is made, so a wrong size costs no memory.
//
// The stream is a row of items: a byte c < 32 and c+1 bytes to copy, or a byte
// whose upper three bits are a length (7: add the next byte) and whose lower
// five, with the byte after, a distance back: length+2 bytes from there.
func unpackLZF(in []byte, size int) ([]byte, error) {
	out := make([]byte, 0, min(size, ahead))
	for len(in) > 0 {
		c := int(in[0])
		in = in[1:]
		if c < 32 {
			if c++; c > len(in) || c > size-len(out) {
				return nil, errLZF
			}
			out, in = append(out, in[:c]...), in[c:]
			continue
		}
		n := c >> 5
		if n == 7 {
			if len(in) == 0 {
				return nil, errLZF
			}
			n += int(in[0])
			in = in[1:]
		}
		n += 2
		if len(in) == 0 {
			return nil, errLZF
		}
		from := len(out) - (c&31)<<8 - int(in[0]) - 1
		in = in[1:]
		if from < 0 || n > size-len(out) {
			return nil, errLZF
		}
		for i := range n { // byte by byte: the source may run into what is written
			out = append(out, out[from+i])
		}
	}
	if len(out) != size {
		return nil, errLZF
	}
	return out, nil
}

package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// pngHead is what every PNG begins with.
const pngHead = "\x89PNG\r\n\x1a\n"

// animate makes one PNG that moves of PNGs of one size and one kind of colour. What
// cannot show it, or must not move, shows the last picture: its data come first and are
// no frame. delay is that of a frame, in milliseconds; plays 0 is without end.
//
// Source: the APNG specification 1.0 (chunks acTL, fcTL, fdAT).
func animate(frames [][]byte, delay, plays int) ([]byte, error) {
	var head []byte
	data := make([][]byte, len(frames))
	for k, f := range frames {
		h, d, err := partsOf(f)
		if err != nil {
			return nil, err
		}
		if head == nil {
			head = h
		}
		if !bytes.Equal(h, head) {
			return nil, errors.New("frames of two sizes or kinds of colour")
		}
		data[k] = d
	}
	out := []byte(pngHead)
	out = chunk(out, "IHDR", head)
	out = chunk(out, "acTL", numbers32(uint32(len(frames)), uint32(plays)))
	out = chunk(out, "IDAT", data[len(data)-1])
	sequence := uint32(0)
	for _, d := range data {
		control := append(numbers32(sequence), head[:8]...) // width and height
		control = append(control, numbers32(0, 0)...)       // at the upper left
		control = binary.BigEndian.AppendUint16(control, uint16(delay))
		control = binary.BigEndian.AppendUint16(control, 1000)
		out = chunk(out, "fcTL", append(control, 0, 0)) // it stays, and covers what was there
		out = chunk(out, "fdAT", append(numbers32(sequence+1), d...))
		sequence += 2
	}
	return chunk(out, "IEND", nil), nil
}

// partsOf are the header of a PNG and its compressed pixels.
func partsOf(file []byte) (head, data []byte, err error) {
	if !bytes.HasPrefix(file, []byte(pngHead)) {
		return nil, nil, errors.New("not a PNG")
	}
	for rest := file[len(pngHead):]; len(rest) >= 12; {
		n := int(binary.BigEndian.Uint32(rest))
		if n > len(rest)-12 {
			break
		}
		switch body := rest[8 : 8+n]; string(rest[4:8]) {
		case "IHDR":
			head = body
		case "IDAT":
			data = append(data, body...)
		case "IEND":
			if len(head) == 13 {
				return head, data, nil
			}
		}
		rest = rest[12+n:]
	}
	return nil, nil, errors.New("a PNG that is cut off")
}

// chunk appends a chunk with its length and sum.
func chunk(out []byte, kind string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	at := len(out)
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
}

func numbers32(v ...uint32) (out []byte) {
	for _, n := range v {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

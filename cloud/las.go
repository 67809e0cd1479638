package cloud

import (
	"bytes"
	"math"
)

func isLAS(head []byte) bool { return bytes.HasPrefix(head, []byte("LASF")) }

// lasHeader is what of the public header of LAS 1.2 to 1.4 says where the points
// are and what they mean.
type lasHeader struct {
	minor         byte
	layout        byte  // point data record format, 0 to 10
	record        int   // bytes of a point
	points        int64 //
	start         int64 // offset of the first point
	scale, offset [3]float64
	more          bool // records of other kinds follow the points
}

// lasPlaces are the offsets of what a record of each format holds beyond its
// first 14 bytes; zero: it holds none.
type lasPlaces struct{ class, angle, user, source, time, colour, nir, bytes int }

// lasPlacesOf returns the places of formats 0 to 10 and whether the format is one
// of the long ones, 6 to 10.
func lasPlacesOf(layout byte) (p lasPlaces, long bool) {
	if long = layout >= 6; long {
		p = lasPlaces{class: 16, user: 17, angle: 18, source: 20, time: 22, bytes: 30}
	} else {
		p = lasPlaces{class: 15, angle: 16, user: 17, source: 18, bytes: 20}
	}
	switch layout {
	case 1, 3, 4, 5:
		p.time, p.bytes = 20, 28
	}
	switch layout {
	case 2, 3, 5, 7, 8, 10:
		p.colour, p.bytes = p.bytes, p.bytes+6
	}
	if layout == 8 || layout == 10 {
		p.nir, p.bytes = p.bytes, p.bytes+2
	}
	switch layout {
	case 4, 5, 9, 10:
		p.bytes += 29 // where its wave form lies
	}
	return p, long
}

// readLAS reads the points of an uncompressed LAS file, in the file's unit:
// intensity, returns, class, scan angle in degrees, user data, source and colours
// become attributes. The time of a point has no place in float32 and is left out.
func readLAS(in *input) (Cloud, error) {
	h, err := in.lasHead()
	if err != nil {
		return Cloud{}, err
	}
	p, long := lasPlacesOf(h.layout)
	names := append(axes(3), "intensity", "return_number", "number_of_returns", "classification", "scan_angle",
		"user_data", "point_source_id")
	if p.colour > 0 {
		names = append(names, colours...)
	}
	if p.nir > 0 {
		names = append(names, "nir")
	}
	sure := 0
	if in.size > 0 { // lasHead has seen that the bytes are there
		sure = int(h.points)
	}
	t, err := in.newTable(names, sure)
	if err != nil {
		return Cloud{}, err
	}
	step := 0.0 // the largest distance between neighbours in float32
	block := make([]byte, h.record*max(1, int(min(h.points, int64(blockBytes/h.record)))))
	for left := h.points; left > 0; {
		b := block[:int(min(left, int64(len(block)/h.record)))*h.record]
		if err := in.full(b); err != nil {
			return Cloud{}, err
		}
		left -= int64(len(b) / h.record)
		for end := in.off; len(b) > 0; b = b[h.record:] {
			in.off = end - int64(len(b)) // errors name the record's first byte
			if err := t.lasPoint(&h, p, long, b, &step); err != nil {
				return Cloud{}, err
			}
		}
		in.off += int64(h.record)
	}
	c, err := t.cloud()
	if err != nil {
		return Cloud{}, err
	}
	if p.time > 0 {
		in.note("the times of the points are left out: float32 cannot hold them")
	}
	if least := min(math.Abs(h.scale[0]), math.Abs(h.scale[1]), math.Abs(h.scale[2])); step > least {
		in.note("coordinates are rounded to float32, in steps of up to %.2g where the file has %.2g: set Origin to a point near them", step, least)
	}
	if !h.more {
		in.tail()
	}
	return c, nil
}

// lasPoint takes one record.
func (t *table) lasPoint(h *lasHeader, p lasPlaces, long bool, b []byte, step *float64) error {
	for k := range 3 {
		v := float64(float64(int32(le32(b[4*k:])))*h.scale[k]) + h.offset[k]
		if t.origin != nil {
			v -= t.origin[k]
		}
		f := float32(v)
		if f-f != 0 && v-v == 0 {
			return t.in.fail(ErrNotFinite, "scale the data down", "point %d: float32 cannot hold %g", t.n, v)
		}
		t.row[k] = f
		if a := math.Abs(v); a > *step*(1<<23) {
			*step = float64(math.Nextafter32(float32(a), math.MaxFloat32)) - float64(float32(a))
		}
	}
	row := t.row[3:]
	row[0] = float32(le16(b[12:]))
	if long {
		row[1], row[2], row[3] = float32(b[14]&15), float32(b[14]>>4), float32(b[p.class])
		row[4] = float32(float64(int16(le16(b[p.angle:]))) * 0.006)
	} else { // the upper bits of the class are flags
		row[1], row[2], row[3] = float32(b[14]&7), float32(b[14]>>3&7), float32(b[p.class]&31)
		row[4] = float32(int8(b[p.angle]))
	}
	row[5], row[6] = float32(b[p.user]), float32(le16(b[p.source:]))
	row = row[7:]
	for k := 0; p.colour > 0 && k < 3; k++ {
		row[k] = float32(le16(b[p.colour+2*k:]))
	}
	if p.nir > 0 {
		row[3] = float32(le16(b[p.nir:]))
	}
	return t.commit()
}

// lasHead reads the public header and passes over all that stands before the
// points.
func (in *input) lasHead() (h lasHeader, err error) {
	b := make([]byte, 375) // of version 1.4; the parts that an older one has not stay zero
	if err := in.full(b[:96]); err != nil {
		return h, err
	}
	if !isLAS(b) {
		return h, in.bad("the content is no LAS file")
	}
	h.minor = b[25]
	if b[24] != 1 || h.minor < 2 || h.minor > 4 {
		return h, in.fail(ErrFormat, "convert it: pdal translate in.las out.ply", "version %d.%d is not 1.2 to 1.4",
			b[24], h.minor)
	}
	size, least := int(le16(b[94:])), []int{227, 235, 375}[h.minor-2]
	if size < least {
		return h, in.bad("a header of %d bytes where version 1.%d has %d", size, h.minor, least)
	}
	if err := in.full(b[96:least]); err != nil {
		return h, err
	}
	h.layout, h.record, h.start = b[104], int(le16(b[105:])), int64(le32(b[96:]))
	h.points = int64(le32(b[107:]))
	if n := le64(b[247:]); n > 0 {
		h.points = int64(min(n, math.MaxInt64))
	}
	h.more = le64(b[227:]) > 0 || le32(b[243:]) > 0
	for k := range 3 {
		h.scale[k], h.offset[k] = math.Float64frombits(le64(b[131+8*k:])), math.Float64frombits(le64(b[155+8*k:]))
	}
	if err := h.check(in, size); err != nil {
		return h, err
	}
	return h, in.skip(h.start - in.off)
}

// check looks at what the header says together.
func (h *lasHeader) check(in *input, size int) error {
	if h.layout&0xc0 != 0 {
		return in.fail(ErrFormat, "unpack it: laszip -i in.laz -o out.las, or pdal translate in.laz out.ply",
			"LAZ, which is compressed, is not read")
	}
	if h.layout > 10 {
		return in.bad("point format %d is not 0 to 10", h.layout)
	}
	if p, _ := lasPlacesOf(h.layout); h.record < p.bytes {
		return in.bad("points of %d bytes where format %d has %d", h.record, h.layout, p.bytes)
	}
	if h.start < int64(size) {
		return in.bad("the points begin at byte %d, inside the header of %d bytes", h.start, size)
	}
	for k := range 3 {
		if s, o := h.scale[k], h.offset[k]; !(s != 0) || s-s != 0 || o-o != 0 {
			return in.bad("scale %g and offset %g of coordinate %d", s, o, k)
		}
	}
	if err := in.holds(h.start-in.off, 1, "bytes before the points"); err != nil {
		return err
	}
	if in.size > 0 && h.start > in.size {
		return in.short("the points begin at byte %d of %d", h.start, in.size)
	}
	at := in.off
	in.off = h.start // from here on the points are counted
	err := in.points(h.points, int64(h.record))
	in.off = at
	return err
}

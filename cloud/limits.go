package cloud

// Limits bounds what a reader accepts. The zero value is the recommended
// setting. Memory is never taken on the word of a file: a reader allocates at
// most 1 MiB ahead of the bytes it has read, or exactly what bytes that are
// there can fill.
type Limits struct {
	MaxPoints int   // points of one file. Zero means 100 million.
	MaxBytes  int64 // bytes of one file, unpacked. Zero means 4 GiB.
	MaxLine   int   // bytes of one line of text. Zero means 1 MiB.
	MaxHeader int   // bytes of a header. Zero means 64 KiB.
	MaxProps  int   // columns of a file, arrays of an archive. Zero means 256.
}

const (
	ahead    = 1 << 20 // bytes that may be allocated ahead of the bytes read
	maxRatio = 200     // an archive that unpacks to more than this times its size is a bomb
)

// resolve fills every zero with its default and refuses negative numbers.
func (l Limits) resolve(op string) (Limits, error) {
	switch {
	case l.MaxPoints < 0:
		return l, optionError(op, "Limits.MaxPoints", l.MaxPoints, "zero or more")
	case l.MaxBytes < 0:
		return l, optionError(op, "Limits.MaxBytes", l.MaxBytes, "zero or more")
	case l.MaxLine < 0:
		return l, optionError(op, "Limits.MaxLine", l.MaxLine, "zero or more")
	case l.MaxHeader < 0:
		return l, optionError(op, "Limits.MaxHeader", l.MaxHeader, "zero or more")
	case l.MaxProps < 0:
		return l, optionError(op, "Limits.MaxProps", l.MaxProps, "zero or more")
	}
	l.MaxPoints = or(l.MaxPoints, 100_000_000)
	l.MaxBytes = or(l.MaxBytes, 4<<30)
	l.MaxLine = or(l.MaxLine, 1<<20)
	l.MaxHeader = or(l.MaxHeader, 64<<10)
	l.MaxProps = or(l.MaxProps, 256)
	return l, nil
}

func or[T comparable](v, standard T) T {
	var zero T
	if v == zero {
		return standard
	}
	return v
}

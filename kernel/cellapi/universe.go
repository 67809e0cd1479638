package cellapi

// Other names of the predeclared types, for native cells that declare something
// else under the name of one.
type (
	Bool       = bool
	String     = string
	Int        = int
	Int8       = int8
	Int16      = int16
	Int32      = int32
	Int64      = int64
	Uint       = uint
	Uint8      = uint8
	Uint16     = uint16
	Uint32     = uint32
	Uint64     = uint64
	Uintptr    = uintptr
	Float32    = float32
	Float64    = float64
	Complex64  = complex64
	Complex128 = complex128
	Any        = any
	Error      = error
	Comparable interface{ comparable }
)

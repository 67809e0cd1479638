package cuda

import (
	"errors"
	"fmt"
)

// Causes of an [Error].
var (
	ErrUnavailable = errors.New("no GPU can be used")
	ErrMemory      = errors.New("out of GPU memory")
	ErrLost        = errors.New("the GPU is lost")
	ErrFailed      = errors.New("the GPU driver refused")
	ErrInvalid     = errors.New("invalid lengths")
	errCanceled    = errors.New("canceled")
)

// Error is a failure of an operation. Reason is a whole sentence; the driver's
// name, number and text of its error are part of it.
type Error struct {
	Op     string
	Err    error  // one of the causes
	Reason string // what failed
	Advice string // what to do about it, or ""
	Code   int    // the driver's number, 0 if it is none of the driver's

	Need, Free, Total uint64 // bytes, with ErrMemory
}

// Error names the operation and the reason.
func (e *Error) Error() string { return fmt.Sprintf("cuda.%s: %s", e.Op, e.Reason) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *Error) Hint() string { return e.Advice }

// Info describes an open device. Driver is the CUDA version that the driver
// supports, 13000 for 13.0; Capability 90 stands for 9.0; Ratio is how many
// float operations there are for one in double.
type Info struct {
	Name, PCI, UUID    string
	Index              int
	Capability, Driver int
	Multiprocessors    int
	Ratio              int
	Total, Free, Held  uint64 // bytes
}

// Pair is one pair of clouds of a batch, as abi.h's ap_pair.
type Pair struct {
	X0, Y0            int64   // first point in the packed arrays
	Rho, RhoC         float64 // support factor ln(1/t)/ℓ of rows and of columns
	LogTerm, LogTermC float64 // ℓ log₂e; 0 where K = 1
	Unit              float64 // the caller's length of one unit of the coordinates, a power of two
	N, M              int32   // different points
	TotalN, TotalM    int32   // points with their multiplicity
	Low               [3]float32
	Scale             float32 // Morton cells for each unit: 2²¹ / extent
}

// Job is a call of APML: packed clouds and what decides about their plans.
type Job struct {
	Pairs                     []Pair
	X, Y                      []float32 // [·,3]
	WX, WY                    []float64 // weights with mean 1: both or none
	MX, MY                    []int32   // multiplicities: both or none
	Tree                      bool      // Morton tiles instead of brute force
	Reference, Uniform, Count bool
	Margin, Floor, Share      float64
	Limit                     int64 // bytes of device memory
}

// Sums are what was added up over the rows, and over the columns, of a pair; the
// last number is a maximum.
type Sums struct{ Rows, Cols [4]float64 }

// Support is what a plan before balancing consists of.
type Support struct {
	Ties    []Sums // tied points, points with a gap below the margin
	Pairs   []Sums // of rows alone: pairs kept by either side, by the row, by the column
	Entries int64  // stored in one order
	Refused bool   // there are more entries than allowed: nothing was made
	Tied    bool   // there are uniform rows or columns
}

// Matrix is a balanced plan: entry e of row i is U[i] K[e] V[Idx[e]], for e from
// Offsets[i] on. PermX tells the caller's place of each row; nil: its own.
type Matrix struct {
	PermX, PermY []int32
	Offsets, Idx []int32
	K            []float64
	U, V         []float64
	Alpha, Beta  []float64 // shares of uniform rows and columns; 0: none
}

// advice is what to do about each reason, by abi.
func advice(r reason, code int) string {
	switch r {
	case reasonLibrary:
		return "install the NVIDIA driver; start a container with --gpus all"
	case reasonOldDriver:
		return "install driver 495 or newer"
	case reasonNoDevice:
		return "look at CUDA_VISIBLE_DEVICES and at nvidia-smi"
	case reasonUnusable:
		switch code {
		case 802:
			return "the fabric manager is not running"
		case 803:
			return "library and kernel module of the driver differ: restart the machine, or the container with its driver"
		}
		return "look at nvidia-smi and at the kernel's log"
	case reasonNoSuch:
		return "set GONDOLA_DEVICE to an index, a UUID or a PCI id that gondola doctor lists"
	case reasonOldDevice:
		return "a device of the Turing generation or newer is needed"
	case reasonMode, reasonTaken:
		return "look at the compute mode and the processes that nvidia-smi shows"
	case reasonLoad:
		if code == 221 {
			return "the container lacks libnvidia-ptxjitcompiler: NVIDIA_DRIVER_CAPABILITIES=compute,utility"
		}
		return "install a newer driver"
	case reasonABI:
		return "build the program anew"
	}
	return ""
}

// reason is abi's ap_reason.
type reason int

const (
	reasonNone reason = iota
	reasonLibrary
	reasonOldDriver
	reasonNoDevice
	reasonUnusable
	reasonNoSuch
	reasonOldDevice
	reasonMode
	reasonTaken
	reasonLoad
	reasonABI
	reasonFirst
	reasonOther
)

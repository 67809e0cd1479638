//go:build !cgo || !linux

package cuda

import "context"

// Built says that this build can open a device.
const Built = false

// Device is never open in this build.
type Device struct{}

// APML is never open in this build.
type APML struct{}

var errBuild = &Error{Op: "Open", Err: ErrUnavailable,
	Reason: "this build has no GPU backend: it was made without cgo, or not for Linux",
	Advice: "build it on Linux with a C compiler (CGO_ENABLED=1)"}

// Open says why there is no GPU.
func Open() (*Device, error) { return nil, errBuild }

// Info says why there is no GPU.
func (d *Device) Info() (Info, error) { return Info{}, errBuild }

// Trim says why there is no GPU.
func (d *Device) Trim() error { return errBuild }

// Slice does nothing in this build.
func (d *Device) Slice(int64) {}

// APML says why there is no GPU.
func (d *Device) APML(context.Context, Job) (*APML, []Sums, error) { return nil, nil, errBuild }

// Nearest says why there is no GPU.
func (d *Device) Nearest(context.Context, []float32, []float32, int64) (Nearest, error) {
	return Nearest{}, errBuild
}

// Softmin says why there is no GPU.
func (d *Device) Softmin(context.Context, Soft) ([]float64, error) { return nil, errBuild }

// Pull says why there is no GPU.
func (d *Device) Pull(context.Context, Soft) ([]float64, error) { return nil, errBuild }

// Close does nothing in this build.
func (a *APML) Close() {}

// Support says why there is no GPU.
func (a *APML) Support([]Pair, bool, int64) (Support, error) { return Support{}, errBuild }

// Rounds says why there is no GPU.
func (a *APML) Rounds(int, bool) ([]Sums, error) { return nil, errBuild }

// Bound says why there is no GPU.
func (a *APML) Bound() ([]Sums, [][2]int32, error) { return nil, nil, errBuild }

// Finish says why there is no GPU.
func (a *APML) Finish(bool) ([]Sums, []float64, []float64, error) { return nil, nil, nil, errBuild }

// Plan says why there is no GPU.
func (a *APML) Plan() (*Matrix, error) { return nil, errBuild }

// Held is nothing in this build.
func (a *APML) Held() int64 { return 0 }

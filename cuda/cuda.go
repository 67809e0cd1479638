//go:build cgo && linux

package cuda

/*
#cgo CFLAGS: -O2 -Wall -Wextra -std=gnu11
#cgo LDFLAGS: -ldl -lpthread
#include "shim.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync"
	"unsafe"
)

// Built says that this build can open a device.
const Built = true

// Device is an open device. One operation runs on it at a time.
type Device struct {
	c    *C.ap_ctx
	gate chan struct{} // full while an operation runs
}

// causes is the only place where a status becomes an error.
var causes = map[C.ap_status]error{
	C.AP_UNAVAILABLE: ErrUnavailable,
	C.AP_MEMORY:      ErrMemory,
	C.AP_LOST:        ErrLost,
	C.AP_FAILED:      ErrFailed,
	C.AP_CANCELED:    errCanceled,
}

// Open makes the device of GONDOLA_DEVICE ready, or the best there is. It loads
// the driver and the kernels the first time; every later call has the same
// answer, and so has every other that is under way.
func Open() (*Device, error) { return opened() }

var opened = sync.OnceValues(func() (*Device, error) {
	d := &Device{c: C.ap_new(), gate: make(chan struct{}, 1)}
	if d.c == nil {
		return nil, &Error{Op: "Open", Err: ErrUnavailable, Reason: "no memory of the host"}
	}
	text, name := C.CString(ptx), C.CString(os.Getenv("GONDOLA_DEVICE"))
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(name))
	if err := d.check("Open", C.ap_open(d.c, text, name)); err != nil {
		return nil, err
	}
	return d, nil
})

// check turns a status into an error with the context's message.
func (d *Device) check(op string, st C.ap_status) error {
	if st == C.AP_OK {
		return nil
	}
	e := &Error{Op: op, Err: causes[st], Reason: C.GoString(C.ap_message(d.c)), Code: int(C.ap_code(d.c))}
	switch st {
	case C.AP_UNAVAILABLE:
		e.Advice = advice(reason(C.ap_why(d.c)), e.Code)
	case C.AP_LOST:
		e.Advice = "restart the notebook kernel, or the program: the CPU goes on meanwhile"
	case C.AP_MEMORY:
		var need, free, total C.uint64_t
		C.ap_need(d.c, &need, &free, &total)
		e.Need, e.Free, e.Total = uint64(need), uint64(free), uint64(total)
		e.Advice = "thin the clouds, raise GONDOLA_GPU_MEM, or end what else uses the device"
	}
	return e
}

// enter admits an operation; the wait for another obeys ctx. The function that it
// returns ends it.
func (d *Device) enter(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case d.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	C.ap_begin(d.c)
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { C.ap_cancel(d.c); close(done) })
	return func() {
		if !stop() { // no late cancel may end the next operation
			<-done
		}
		<-d.gate
	}, nil
}

// Info describes the device.
func (d *Device) Info() (Info, error) {
	var i C.ap_info
	if err := d.check("Info", C.ap_describe(d.c, &i)); err != nil {
		return Info{}, err
	}
	return Info{
		Name: C.GoString(&i.name[0]), PCI: C.GoString(&i.pci[0]), UUID: C.GoString(&i.uuid[0]), Index: int(i.index),
		Capability: int(i.capability), Driver: int(i.driver), Multiprocessors: int(i.multiprocessors), Ratio: int(i.ratio),
		Total: uint64(i.total), Free: uint64(i.free), Held: uint64(i.held),
	}, nil
}

// Trim gives the kept device memory back.
func (d *Device) Trim() error { return d.check("Trim", C.ap_trim(d.c)) }

// Slice cuts launches that look at more pairs; 0 goes by the device's size. No
// result depends on it.
func (d *Device) Slice(pairs int64) { C.ap_slice(d.c, C.int64_t(pairs)) }

// first is the address of the first element, or nil.
func first[T any](s []T) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Pointer(&s[0])
}

func truth(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// APML is a job whose arrays are on the device, until Close.
type APML struct {
	d     *Device
	ctx   context.Context
	leave func()
	job   Job
	n, m  int // points
	wide  bool
	held  int64 // entries
}

// layout makes the arrays of abi.h of the pairs.
func layout(pairs []Pair) (all []C.ap_pair, grids []C.ap_grid, x, y []C.ap_tile) {
	bit := int64(0)
	tiles := func(n int32, pair int) (t []C.ap_tile) {
		for row := int32(0); row < n; row += C.AP_TILE {
			t = append(t, C.ap_tile{pair: C.int32_t(pair), row: C.int32_t(row)})
		}
		return t
	}
	for k, p := range pairs {
		c := C.ap_pair{
			x0: C.int64_t(p.X0), y0: C.int64_t(p.Y0), bit0: C.int64_t(bit), rho: C.double(p.Rho), rhoc: C.double(p.RhoC),
			logterm: C.double(p.LogTerm), logtermc: C.double(p.LogTermC), unit: C.double(p.Unit),
			n: C.int32_t(p.N), m: C.int32_t(p.M), totaln: C.int32_t(p.TotalN), totalm: C.int32_t(p.TotalM),
		}
		all = append(all, c)
		bit += (int64(p.N) + 31) / 32 * ((int64(p.M) + 31) / 32) * 32
		g := C.ap_grid{scale: C.float(p.Scale)}
		for i, v := range p.Low {
			g.lo[i] = C.float(v)
		}
		grids = append(grids, g)
		x, y = append(x, tiles(p.N, k)...), append(y, tiles(p.M, k)...)
	}
	return all, grids, x, y
}

// sums takes what C has written, [pairs,2,4].
func sums(flat []float64) []Sums {
	s := make([]Sums, len(flat)/8)
	for k := range s {
		copy(s[k].Rows[:], flat[8*k:])
		copy(s[k].Cols[:], flat[8*k+4:])
	}
	return s
}

// APML takes the clouds of job over and finds the two nearest of every point. It
// returns for each pair Σ ½ ln(second / first square) and the number of points in
// it. The job must be closed; it blocks other operations until then.
func (d *Device) APML(ctx context.Context, job Job) (*APML, []Sums, error) {
	const op = "APML"
	if err := job.check(); err != nil {
		return nil, nil, err
	}
	leave, err := d.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	a := &APML{d: d, ctx: ctx, leave: leave, job: job, n: len(job.X) / 3, m: len(job.Y) / 3}
	all, grids, tx, ty := layout(job.Pairs)
	j := C.ap_job{
		pairs: C.int32_t(len(all)), tilesx: C.int32_t(len(tx)), tilesy: C.int32_t(len(ty)), totalx: C.int32_t(a.n),
		totaly: C.int32_t(a.m), tree: truth(job.Tree), reference: truth(job.Reference), uniform: truth(job.Uniform),
		count: truth(job.Count), margin: C.double(job.Margin), floor: C.double(job.Floor), share: C.double(job.Share),
		limit: C.int64_t(job.Limit),
	}
	spread := make([]float64, 8*len(all))
	st := C.ap_apml_open(d.c, &j, &all[0], &grids[0], &tx[0], &ty[0], (*C.float)(first(job.X)), (*C.float)(first(job.Y)),
		(*C.double)(first(job.WX)), (*C.double)(first(job.WY)), (*C.int32_t)(first(job.MX)), (*C.int32_t)(first(job.MY)),
		(*C.double)(first(spread)))
	if err := a.check(op, st); err != nil {
		a.Close()
		return nil, nil, err
	}
	return a, sums(spread), nil
}

func (a *APML) check(op string, st C.ap_status) error {
	if st == C.AP_CANCELED && a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	return a.d.check(op, st)
}

// Close ends the job.
func (a *APML) Close() { a.leave() }

// Support makes the plan before balancing, for the support factors in pairs, with
// values in double if wide is set, unless it has more than most entries.
func (a *APML) Support(pairs []Pair, wide bool, most int64) (s Support, err error) {
	if len(pairs) != len(a.job.Pairs) {
		return s, &Error{Op: "Support", Err: ErrInvalid,
			Reason: fmt.Sprintf("%d pairs, opened were %d", len(pairs), len(a.job.Pairs))}
	}
	all, _, _, _ := layout(pairs)
	ties, kept := make([]float64, 8*len(all)), make([]float64, 8*len(all))
	var entries C.int64_t
	var refuse, tied C.int
	st := C.ap_apml_support(a.d.c, &all[0], C.int(truth(wide)), C.int64_t(most), (*C.double)(first(ties)),
		(*C.double)(first(kept)), &entries, &refuse, &tied)
	if err := a.check("Support", st); err != nil {
		return s, err
	}
	a.wide, a.held = wide, int64(entries)
	return Support{
		Ties: sums(ties), Pairs: sums(kept), Entries: int64(entries), Refused: refuse != 0, Tied: tied != 0,
	}, nil
}

// Rounds balances so many rounds. If errors is set it returns of rows the mass,
// Σ |mass − target| and the largest |mass − target| / target.
func (a *APML) Rounds(rounds int, errors bool) ([]Sums, error) {
	var flat []float64
	if errors {
		flat = make([]float64, 8*len(a.job.Pairs))
	}
	st := C.ap_apml_rounds(a.d.c, C.int(rounds), (*C.double)(first(flat)))
	return sums(flat), a.check("Rounds", st)
}

// Bound returns Σ u, Σ u q and Σ u q (d₁ + R), for rows and columns, and the
// powers of two that they are short of.
func (a *APML) Bound() ([]Sums, [][2]int32, error) {
	flat, base := make([]float64, 8*len(a.job.Pairs)), make([][2]int32, len(a.job.Pairs))
	st := C.ap_apml_bound(a.d.c, (*C.double)(first(flat)), (*C.int32_t)(first(base)))
	return sums(flat), base, a.check("Bound", st)
}

// Finish returns value, mass, Σ |mass − target| and the largest relative one, and
// both gradients, by the packed order of the job, if they are wanted.
func (a *APML) Finish(gradients bool) (s []Sums, gx, gy []float64, err error) {
	flat := make([]float64, 8*len(a.job.Pairs))
	if gradients {
		gx, gy = make([]float64, 3*a.n), make([]float64, 3*a.m)
	}
	st := C.ap_apml_finish(a.d.c, (*C.double)(first(flat)), (*C.double)(first(gx)), (*C.double)(first(gy)))
	return sums(flat), gx, gy, a.check("Finish", st)
}

// Plan copies the plan out.
func (a *APML) Plan() (*Matrix, error) {
	p := &Matrix{
		Offsets: make([]int32, a.n+1), Idx: make([]int32, a.held), K: make([]float64, a.held), U: make([]float64, a.n),
		V: make([]float64, a.m), Alpha: make([]float64, a.n), Beta: make([]float64, a.m),
	}
	if a.job.Tree {
		p.PermX, p.PermY = make([]int32, a.n), make([]int32, a.m)
	}
	narrow := make([]float32, a.held)
	values := first(narrow)
	if a.wide {
		values = first(p.K)
	}
	x, y := make([]float64, 4*a.n), make([]float64, 4*a.m)
	st := C.ap_apml_plan(a.d.c, (*C.int32_t)(first(p.PermX)), (*C.int32_t)(first(p.PermY)), (*C.int32_t)(first(p.Offsets)),
		(*C.int32_t)(first(p.Idx)), values, (*C.double)(first(p.U)), (*C.double)(first(p.V)), (*C.double)(first(x)),
		(*C.double)(first(y)))
	if err := a.check("Plan", st); err != nil {
		return nil, err
	}
	if !a.wide {
		for e, v := range narrow {
			p.K[e] = math.Ldexp(float64(v), -C.AP_LIFT)
		}
	}
	shares(p.Alpha, x)
	shares(p.Beta, y)
	return p, nil
}

// shares takes the shares of uniform rows out of what ap_exact has found.
func shares(dst, dir []float64) {
	for i := range dst {
		if math.IsInf(dir[4*i+1], -1) {
			dst[i] = dir[4*i+3]
		}
	}
}

// Held is the device memory of the job, in bytes.
func (a *APML) Held() int64 { return int64(C.ap_apml_held(a.d.c)) }

// Nearest finds for every point of x, rows of 3, its nearest of y, and the other
// way round, with their squared distances; the lowest index wins a tie.
func (d *Device) Nearest(ctx context.Context, x, y []float32, limit int64) (n Nearest, err error) {
	if len(x) == 0 || len(y) == 0 || len(x)%3 != 0 || len(y)%3 != 0 {
		return n, &Error{Op: "Nearest", Err: ErrInvalid, Reason: fmt.Sprintf("lengths %d and %d", len(x), len(y))}
	}
	leave, err := d.enter(ctx)
	if err != nil {
		return n, err
	}
	defer leave()
	n = Nearest{
		X: make([]int32, len(x)/3), Y: make([]int32, len(y)/3),
		SquareX: make([]float64, len(x)/3), SquareY: make([]float64, len(y)/3),
	}
	st := C.ap_nearest(d.c, C.int32_t(len(x)/3), C.int32_t(len(y)/3), (*C.float)(first(x)), (*C.float)(first(y)),
		C.int64_t(limit), (*C.int32_t)(first(n.X)), (*C.int32_t)(first(n.Y)), (*C.double)(first(n.SquareX)),
		(*C.double)(first(n.SquareY)))
	if st == C.AP_CANCELED && ctx.Err() != nil {
		return Nearest{}, ctx.Err()
	}
	return n, d.check("Nearest", st)
}

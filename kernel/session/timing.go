package session

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// timed runs code and tells its wall time, its CPU time and where it went.
func (r *run) timed(code string, show bool) *engine.CellError {
	r.counts, r.used = true, memory{}
	defer func() { r.counts = false }()
	before, begun, cpu := r.times, time.Now(), cpuTime()
	if err := r.piece(code, show); err != nil {
		return err
	}
	wall, cpu := time.Since(begun), cpuTime()-cpu
	t := r.times
	r.say("wall %s, CPU %s, %s, %s allocations of %s bytes; check %s, lower %s, build %s, run %s", span(wall), span(cpu), r.engineText(),
		grouped(int(r.used.allocs)), grouped(int(r.used.bytes)),
		span(t.check-before.check), span(t.lower-before.lower), span(t.build-before.build), span(t.run-before.run))
	return nil
}

// engineText is what the cell ran on, with its plugins.
func (r *run) engineText() string {
	switch {
	case r.plugins == 0:
		return r.ranOn
	case r.cached:
		return r.ranOn + " (from the cache)"
	}
	return r.ranOn
}

// cpuTime is the CPU time of the process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// span is a duration with three digits that count.
func span(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.size {
			return fmt.Sprintf("%.3g %s", float64(d)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

// timeitOptions are the flags of %timeit.
type timeitOptions struct {
	loops, runs int
	code        string
	skipped     int // columns before code
}

const (
	timeitFor  = 200 * time.Millisecond // of one run, when -n does not say
	timeitRuns = 7
)

// parseTimeit reads "-n N -r R code".
func parseTimeit(args string) (timeitOptions, error) {
	o := timeitOptions{runs: timeitRuns, code: args}
	for {
		trimmed := strings.TrimLeft(o.code, " \t")
		o.skipped += len(o.code) - len(trimmed)
		o.code = trimmed
		if !strings.HasPrefix(trimmed, "-n") && !strings.HasPrefix(trimmed, "-r") {
			return o, nil
		}
		word := strings.TrimLeft(trimmed[2:], " ")
		digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 {
			return o, fmt.Errorf("%%timeit %s: it needs a number from 1", trimmed[:2])
		}
		if trimmed[1] == 'n' {
			o.loops = n
		} else {
			o.runs = n
		}
		rest := word[len(digits):]
		o.skipped += len(trimmed) - len(rest)
		o.code = rest
	}
}

// timeit runs code many times and tells the time of one. It is compiled once,
// as the body of a function; what it prints by way of os.Stdout and
// what it displays is thrown away.
func (r *run) timeit(code string, o timeitOptions) *engine.CellError {
	if _, err := r.plan(code); err != nil { // its own errors, at its own places
		return err
	}
	body, err := r.function(code)
	if err != nil {
		return err
	}
	quiet, oerr := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if oerr != nil {
		return plainError("Error", "%timeit: "+oerr.Error())
	}
	defer quiet.Close()
	out := os.Stdout
	os.Stdout = quiet // the descriptor itself stays: goroutines of other cells mark their outputs in it
	r.s.outputs.muted(r.id)
	defer func() {
		os.Stdout = out
		r.s.outputs.muted(0)
	}()
	loops := o.loops
	for n := 1; loops == 0; n *= 4 {
		d, _, err := r.loop(body, n)
		if err != nil {
			return err
		}
		if d >= timeitFor/10 {
			loops = max(1, int(float64(n)*float64(timeitFor)/float64(d)))
		}
	}
	var each []float64
	var mem memory
	for range o.runs {
		d, m, err := r.loop(body, loops)
		if err != nil {
			return err
		}
		each = append(each, float64(d)/float64(loops))
		mem = m
	}
	os.Stdout = out
	mean, sd, best := spread3(each)
	r.say("%s ± %s, best %s (%d runs of %s loops, %s), %d B/op, %d allocs/op",
		span(time.Duration(mean)), span(time.Duration(sd)), span(time.Duration(best)), o.runs, grouped(loops), r.ranOn,
		mem.bytes/uint64(loops), mem.allocs/uint64(loops))
	return nil
}

type memory struct{ bytes, allocs uint64 }

// counted runs do and notes what it allocates, where that is wanted.
func (r *run) counted(do func()) {
	if !r.counts {
		do()
		return
	}
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	do()
	runtime.ReadMemStats(&b)
	r.used.bytes += b.TotalAlloc - a.TotalAlloc
	r.used.allocs += b.Mallocs - a.Mallocs
}

// loop calls body n times in a goroutine of the cell.
func (r *run) loop(body func(), n int) (time.Duration, memory, *engine.CellError) {
	var d time.Duration
	var a, b runtime.MemStats
	err := r.guarded(func() {
		runtime.ReadMemStats(&a)
		t := time.Now()
		for range n {
			body()
		}
		d = time.Since(t)
		runtime.ReadMemStats(&b)
	})
	return d, memory{b.TotalAlloc - a.TotalAlloc, b.Mallocs - a.Mallocs}, err
}

// spread3 is the mean, the standard deviation and the smallest of some numbers.
func spread3(x []float64) (mean, sd, best float64) {
	best = math.Inf(1)
	for _, v := range x {
		mean += v / float64(len(x))
		best = min(best, v)
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	if len(x) > 1 {
		sd = math.Sqrt(sd / float64(len(x)-1))
	}
	return mean, sd, best
}

// function compiles code as the body of a function.
func (r *run) function(code string) (func(), *engine.CellError) {
	p, err := r.plan(wrapped(code, ""))
	if err != nil { // an expression that is no call: its value is thrown away
		p, err = r.plan(wrapped(code, "_ = "))
	}
	if err != nil {
		return nil, err
	}
	c, err := r.choose(p)
	if err != nil {
		return nil, err
	}
	b, err := r.build(p, c)
	if err != nil {
		return nil, err
	}
	end := r.run(b)
	if err := r.failure(end); err != nil {
		return nil, err
	}
	body, ok := end.values[0].(func())
	if !ok {
		return nil, r.internal("%timeit has no function", nil)
	}
	return body, nil
}

// wrapped makes a function literal of code, which has room before it: that of
// the magic's own name.
func wrapped(code, before string) string {
	const head = "func() {"
	start := len(code) - len(strings.TrimLeft(code, " \n"))
	line := strings.LastIndexByte(code[:start], '\n') + 1
	if start-line < len(head) { // the first line of the cell is the magic's
		return head + strings.TrimPrefix(code, strings.Repeat(" ", len(head))) + "\n}"
	}
	return code[:start-len(head)] + head + before + code[start:] + "\n}"
}

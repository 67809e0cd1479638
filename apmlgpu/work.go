package apmlgpu

import "time"

// work counts the memory that a loss takes for itself, beside what its pair
// holds, and the time of its stages.
type work struct {
	op     string
	limit  int64
	alive  int64
	peak   int64
	stages []Stage
}

// stage runs f as a named stage that takes bytes of memory, of which kept stay
// alive behind it. Without that memory f is not run: ErrMemory.
func (w *work) stage(name string, bytes, kept int64, f func() error) error {
	if bytes > w.limit-w.alive {
		return memoryError(w.op, "the stage "+name, w.alive+bytes, w.limit)
	}
	start := time.Now()
	err := f()
	w.stages = append(w.stages, Stage{name, w.alive + bytes, time.Since(start).Seconds()})
	w.peak = max(w.peak, w.alive+bytes)
	w.alive += kept
	return failed(w.op, err)
}

// take counts memory that stays alive, before it is allocated, or refuses it.
func (w *work) take(what string, bytes int64) error {
	if bytes > w.limit-w.alive {
		return memoryError(w.op, what, w.alive+bytes, w.limit)
	}
	w.alive += bytes
	return nil
}

// spend adds what was counted to s.
func (w *work) spend(s *Stats) {
	s.Stages = append(s.Stages, w.stages...)
	s.PeakBytes = max(s.PeakBytes, w.peak)
}

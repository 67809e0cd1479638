package worker

import "time"

// Limits bound what a cell may take. The zero value is the recommendation.
type Limits struct {
	Engine       string        // auto, interpret or native, for the engine that main makes. Empty means auto.
	Memory       int64         // bytes of the worker. Zero means 80 % of the smaller of RAM and the control group's limit; negative: none.
	Text         int64         // bytes of text a cell may show. Zero means 1 MiB; negative: all of it.
	Displays     int           // pictures a cell may show. Zero means 2,000.
	DisplayBytes int64         // bytes of all pictures of a cell. Zero means 64 MB.
	BundleBytes  int64         // bytes of one picture. Zero means 8 MB.
	Patience     time.Duration // from the first interrupt to the kill. Zero means 10 s; negative: only a second interrupt kills.
}

const (
	warnAfter  = time.Second            // an asked cell that still runs gets the line that names the loss
	startWait  = time.Minute            // for a worker to say ready
	replayWait = 30 * time.Second       // for declarations to come back
	drainWait  = time.Second            // for the text pipes to end after the worker did; a stray child may hold them
	endWait    = time.Second            // for a worker that closed its files to end
	crashHold  = 200 * time.Millisecond // crash text is kept back, to see if the worker ends
	watchEvery = 100 * time.Millisecond // look at the worker's memory
	sizesEvery = 400 * time.Millisecond // ask a large worker what holds its memory
	sizesWait  = 2 * time.Second        // for that answer
	paceEvery  = 50 * time.Millisecond  // between two updates of one display: 20 a second
	rushPause  = 500 * time.Microsecond // between two reads of a rush of lines

	pipeSize   = 1 << 20  // of a text pipe
	rushReads  = 16       // short reads in a row make a rush
	rushBytes  = 32 << 10 // a read below is short
	queueBytes = 16 << 20 // undelivered text of a program without a cap, before its writer must wait
	crashBytes = 64 << 10 // kept of a crash report
	holdBytes  = 1 << 20  // kept back of a text that looks like a crash
	keptSinks  = 4096     // cells whose late outputs still find their sink
	rapidDeath = 3        // ends within rapidTime: wait for the next cell before starting again
	rapidTime  = 10 * time.Second
	keptIDs    = 10_000  // display ids that outlive a worker
	keptCells  = 20_000  // texts of cells for %history and %replay
	keptText   = 1 << 20 // bytes of a text; a longer one does not compile
	listNames  = 20      // names in a list of what was lost
)

// resolve returns l with every zero replaced by its documented default.
func (l Limits) resolve() Limits {
	l.Engine = or(l.Engine, "auto")
	l.Memory = or(l.Memory, defaultMemory())
	l.Text = or(l.Text, 1<<20)
	l.Displays = or(l.Displays, 2000)
	l.DisplayBytes = or(l.DisplayBytes, 64e6)
	l.BundleBytes = or(l.BundleBytes, 8e6)
	l.Patience = or(l.Patience, 10*time.Second)
	return l
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

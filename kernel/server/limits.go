package server

import "time"

const (
	// maxQueued and maxQueuedBytes bound the requests that wait for their turn.
	// One that finds no room gets an error reply.
	maxQueued      = 10_000
	maxQueuedBytes = 256 << 20
	// besideAfter is how long a request that is answered beside a cell waits
	// for that cell first.
	besideAfter = 100 * time.Millisecond
	// pace is how long text waits for more to go out with it, and how far apart
	// two updates of one picture are: 20 messages a second.
	pace = 50 * time.Millisecond
	// joined is how much text goes out without waiting.
	joined = 64 << 10
	// askPatience bounds complete and inspect.
	askPatience = 3 * time.Second
	// historyCells is how many cells are kept, historyIn how long a cell may be,
	// historyOut how much of a result is kept.
	historyCells = 20_000
	historyIn    = 1 << 20
	historyOut   = 4 << 10
	// maxComms bounds the open comms, maxCommBytes and maxCommsBytes what the
	// mirror keeps of one and of all.
	maxComms      = 5000
	maxCommBytes  = 16 << 20
	maxCommsBytes = 256 << 20
	// smallComm bounds a question for a state.
	smallComm = 64 << 10
	// logEvery is how often bad signatures are logged.
	logEvery = time.Minute
)

package transport

import "time"

const (
	// maxFrame is libzmq's bound for one frame. It does not bound their number.
	maxFrame = 1 << 30
	// sendMark is libzmq's high-water mark. With its default of 1,000 a burst of
	// 10,000 messages lost half.
	sendMark = 65_536
	// handshake is how long a peer may take to say what it is.
	handshake = 10 * time.Second
	// linger is how long a closed socket keeps what was not sent.
	linger = time.Second
	// maxWaiting bounds the bytes that wait for the owner of iopub. Above it
	// messages are dropped and counted.
	maxWaiting = 256 << 20
	// reserve is what messages of at most smallMessage may use beyond it: a
	// status that is lost leaves a front end busy for ever.
	reserve      = 32 << 20
	smallMessage = 4 << 10
	// rebindAbove is how many bytes libzmq may hold before the sockets are bound
	// anew, watchEvery how often that is looked at. Behind a rebind as much more
	// than what is left: memory that was freed need not leave the process.
	rebindAbove = 1 << 30
	watchEvery  = time.Second
	// unbound is how long a closed socket may keep its address.
	unbound = 2 * time.Second
)

package engine

import "github.com/gondola-lab/gondola/kernel/comm"

// CommMessage is one message of a comm, a line in both directions between a
// session and a front end. One of the front end is given to the session as a
// Cell, in the turn of the cells: its handler ends, fails and is stopped as they
// do.
type CommMessage = comm.Message

// CommSink is a Sink behind which there are comms. An error says that the
// message was not let out, with its reason.
type CommSink interface{ Comm(m CommMessage) error }

// NoComm is the name of the error of a message for which the session has no
// handler: nobody knows the target, or the comm.
const NoComm = "NoComm"

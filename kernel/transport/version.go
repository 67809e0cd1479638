//go:build cgo

package transport

import (
	"fmt"

	"github.com/pebbe/zmq4"
)

// LibraryVersion returns the version of libzmq that is loaded, as in "4.3.4";
// without cgo there is none and it is empty.
func LibraryVersion() string {
	major, minor, patch := zmq4.Version()
	return fmt.Sprintf("%d.%d.%d", major, minor, patch)
}

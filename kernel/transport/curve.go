//go:build cgo

package transport

import (
	"errors"

	zmq "github.com/pebbe/zmq4"
)

// curve makes soc a CURVE server with our pair of keys. There is no list of
// clients: they use our pair as their own, but the heartbeat of a front end
// makes a fresh one.
func curve(soc *zmq.Socket, public, secret string) error {
	return errors.Join(soc.SetCurveServer(1), soc.SetCurvePublickey(public), soc.SetCurveSecretkey(secret))
}

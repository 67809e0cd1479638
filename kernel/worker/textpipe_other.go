//go:build !linux

package worker

import (
	"os"
	"time"
)

// textPipe is the near end of a pipe of text.
type textPipe struct{ *os.File }

func newTextPipe() (near *textPipe, far *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	return &textPipe{r}, w, nil
}

// stop ends a Read that waits, and all that follow.
func (t *textPipe) stop() { t.SetReadDeadline(time.Now()) }

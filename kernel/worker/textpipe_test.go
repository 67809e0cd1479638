package worker

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// A reader of text is given what there is, then the end; one that is told to
// stop ends, whoever still holds the pipe and writes.
func TestTextPipe(t *testing.T) {
	near, far, err := newTextPipe()
	if err != nil {
		t.Fatal(err)
	}
	far.WriteString("text")
	far.Close()
	if b, err := io.ReadAll(near); string(b) != "text" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	near.Close()

	for _, written := range []string{"", "more"} { // nothing to read; always something to read
		near, far, err := newTextPipe()
		if err != nil {
			t.Fatal(err)
		}
		far.WriteString(written)
		got := make(chan error)
		go func() {
			for {
				if _, err := near.Read(make([]byte, 1)); err != nil {
					got <- err
					return
				}
			}
		}()
		near.stop()
		if err := <-got; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%q: %v", written, err)
		}
		near.Close()
		near.Close()
		near.stop() // of a process that has ended meanwhile
		far.Close()
	}
}

// Many short reads in a row are a rush; a mark or much text ends it.
func TestRush(t *testing.T) {
	var r rush
	var got strings.Builder
	read := func(times, n int, mark uint32) {
		on := 0
		for range times {
			if r.on(n, mark) {
				on++
			}
		}
		got.WriteByte("0123456789"[on])
	}
	read(rushReads, 10, 1)   // the first ends what was before the first mark
	read(3, 10, 1)           // a rush
	read(1, rushBytes, 1)    // much text
	read(rushReads-1, 10, 1) // not yet
	read(2, 10, 1)           // again
	read(1, 10, 2)           // a mark
	read(rushReads-1, 10, 2) // not yet
	read(1, rushBytes-1, 2)  // a rush
	if got.String() != "03002001" {
		t.Error(got.String())
	}
}

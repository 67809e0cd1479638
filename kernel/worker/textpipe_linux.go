package worker

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// textPipe is the near end of a pipe of text. It is not among the files that the
// runtime watches: a writer wakes the watcher for every line, also while nobody
// wants to read, which costs it as much as the line.
type textPipe struct {
	*os.File
	watch int // an epoll of the pipe and of quit
	quit  int // an eventfd: it is readable when Read is to end

	mu     sync.Mutex
	closed bool
}

// newTextPipe makes a pipe that blocks at both ends.
func newTextPipe() (near *textPipe, far *os.File, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	t := &textPipe{File: os.NewFile(uintptr(fds[0]), "text"), watch: -1, quit: -1}
	far = os.NewFile(uintptr(fds[1]), "text")
	if err := t.open(); err != nil {
		t.Close()
		far.Close()
		return nil, nil, err
	}
	growPipe(t.File)
	return t, far, nil
}

// open makes what a Read waits by.
func (t *textPipe) open() (err error) {
	quit, _, no := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC, 0)
	if no != 0 {
		return os.NewSyscallError("eventfd2", no)
	}
	t.quit = int(quit)
	if t.watch, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		t.watch = -1
		return os.NewSyscallError("epoll_create1", err)
	}
	for _, fd := range []int{int(t.File.Fd()), t.quit} {
		e := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
		if err := syscall.EpollCtl(t.watch, syscall.EPOLL_CTL_ADD, fd, &e); err != nil {
			return os.NewSyscallError("epoll_ctl", err)
		}
	}
	return nil
}

// Read implements io.Reader; after stop it fails.
func (t *textPipe) Read(b []byte) (int, error) {
	var ready [2]syscall.EpollEvent
	for {
		n, err := syscall.EpollWait(t.watch, ready[:], -1)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, os.NewSyscallError("epoll_wait", err)
		}
		for _, e := range ready[:n] {
			if int(e.Fd) == t.quit {
				return 0, os.ErrDeadlineExceeded
			}
		}
		if n > 0 { // text, or the end
			return t.File.Read(b)
		}
	}
}

// stop ends a Read that waits, and all that follow.
func (t *textPipe) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		syscall.Write(t.quit, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // a counter in any order of bytes
	}
}

// Close closes the pipe; no Read may be waiting.
func (t *textPipe) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	errs := []error{t.File.Close()}
	for _, fd := range []int{t.watch, t.quit} {
		if fd >= 0 {
			errs = append(errs, syscall.Close(fd))
		}
	}
	return errors.Join(errs...)
}

package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/server"
	"github.com/gondola-lab/gondola/kernel/transport"
	"github.com/gondola-lab/gondola/kernel/wire"
	"github.com/gondola-lab/gondola/kernel/worker"
)

const (
	flushTime = 80 * time.Millisecond // for the last messages to leave
	killTime  = 15 * time.Millisecond // for the worker's group to be killed
	askParent = time.Second           // between two looks at the parent process

	fewestFiles = 64 // five sockets, the library's own, a worker's pipes, some clients; with 48 no worker starts
)

// runKernel is gondola kernel: it answers a front end over the sockets of a
// connection file until it is told to shut down.
func runKernel(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	fs := newFlags("kernel", "-f FILE [flags]", stdout, stderr)
	path := fs.String("f", "", "connection `FILE` that the front end wrote")
	memory := fs.String("mem-limit", "", "`SIZE` that the cells may use, as 4G or 512M (default 80 % of what there is)")
	serial := fs.Bool("serial", false, "answer every request in order, none beside a running cell")
	if _, code := fs.parse(args, 0); code >= 0 {
		return code
	}
	limit, err := memorySize(*memory)
	if err != nil {
		return fs.wrong("%w", err)
	}
	if *path == "" {
		return fs.wrong("-f FILE is missing")
	}
	if transport.LibraryVersion() == "" { // whatever the file says, nothing could be opened
		fail(stderr, "kernel", transport.ErrNoZeroMQ)
		return exitMissing
	}
	if n := openFiles(); n < fewestFiles {
		fail(stderr, "kernel", fmt.Errorf("a process may open %d files here, a kernel needs %d (ulimit -n)", n, fewestFiles))
		return exitMissing
	}
	file, err := transport.ReadConnectionFile(*path)
	if err != nil {
		fail(stderr, "kernel", err)
		return exitUsage
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	err = serveKernel(kernelConfig{
		file: file, path: *path, serial: *serial, signals: signals, log: kernelLog(stderr),
		newEngine: func() engine.Engine { return worker.NewParent(worker.Config{Limits: worker.Limits{Memory: limit}}) },
	})
	if err != nil {
		fail(stderr, "kernel", err)
		return exitMissing
	}
	return exitOK
}

// openFiles is how many files this process may open.
func openFiles() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return math.MaxUint64
	}
	return uint64(l.Cur)
}

// kernelConfig is what a kernel is made of.
type kernelConfig struct {
	file      *transport.ConnectionFile
	path      string // of file; chosen ports are written there
	serial    bool
	signals   <-chan os.Signal
	newEngine func() engine.Engine
	log       *slog.Logger
}

// serveKernel runs a kernel to its shutdown. The sockets come first, so that a
// front end has its answer while the worker starts, and so that no worker is
// started for a port that is taken. An error means that they could not be
// opened.
func serveKernel(c kernelConfig) error {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	now := func() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000000Z") }
	session := &wire.Session{ID: hex.EncodeToString(id), Key: c.file.Key, Now: now}

	var srv *server.Server
	ready := make(chan struct{}) // srv is set
	sockets, err := transport.Listen(c.file, transport.Config{
		Receive: func(ch wire.Channel, frames [][]byte) { <-ready; srv.Receive(ch, frames) },
		Welcome: func(topic []byte) [][]byte { <-ready; return srv.Welcome(topic) },
		Path:    c.path, Log: c.log,
	})
	if err != nil {
		return err
	}
	cells := c.newEngine()
	history := kernelHistory(session, c.log)
	srv = server.New(server.Config{Engine: cells, Session: session, Version: version, History: history,
		Serial: c.serial, Log: c.log})
	close(ready) // first: whoever has subscribed is greeted before anything is published
	srv.Start(sockets)
	go history.Load()
	watchKernel(c, srv)

	sockets.Close(flushTime)
	closed := make(chan struct{})
	go func() {
		if err := cells.Close(); err != nil {
			c.log.Warn("engine does not close", "err", err)
		}
		srv.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(killTime): // the worker is killed first of all; the end of this process does the rest
	}
	return nil
}

// watchKernel waits for the shutdown: by a request, by a signal, or because the
// process that started the kernel is gone. Without the last a front end that
// died would leave kernels behind.
func watchKernel(c kernelConfig, srv *server.Server) {
	parent := os.Getppid()
	tick := time.NewTicker(askParent)
	defer tick.Stop()
	for {
		select {
		case <-srv.Done():
			return
		case s := <-c.signals:
			if s == os.Interrupt {
				srv.Interrupt()
				continue
			}
			c.log.Info("shutdown", "signal", s)
			return
		case <-tick.C:
			if os.Getenv("JPY_PARENT_PID") != "" && os.Getppid() != parent {
				c.log.Info("shutdown: the parent process is gone")
				return
			}
		}
	}
}

// kernelHistory is the history of cells, kept in a file unless
// GONDOLA_HISTORY is off.
func kernelHistory(s *wire.Session, log *slog.Logger) *server.History {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err == nil {
			dir = filepath.Join(home, ".local", "state")
		}
	}
	if dir == "" || os.Getenv("GONDOLA_HISTORY") == "off" {
		return server.NewHistory(s.ID, s.Now)
	}
	return server.OpenHistory(filepath.Join(dir, "gondola", "history.jsonl"), s.ID, s.Now, log)
}

// kernelLog writes to w what GONDOLA_LOG lets through: debug, info, warn (the
// default) or error.
func kernelLog(w io.Writer) *slog.Logger {
	level, wrong := slog.LevelWarn, error(nil)
	if v := os.Getenv("GONDOLA_LOG"); v != "" {
		wrong = level.UnmarshalText([]byte(v)) // leaves the level as it is
	}
	log := slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
	if wrong != nil {
		log.Warn("GONDOLA_LOG is not one of debug, info, warn, error", "err", wrong)
	}
	return log
}

// memorySize reads 4G, 512M, 100K or a number of bytes; empty is zero.
func memorySize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	shift := 0
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	if i := strings.IndexAny("KMGT", digits[max(len(digits)-1, 0):]); i >= 0 {
		shift = 10 * (i + 1)
		digits = digits[:len(digits)-1]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("size %q: a number above zero, with K, M, G or T behind it", s)
	}
	return n << shift, nil
}

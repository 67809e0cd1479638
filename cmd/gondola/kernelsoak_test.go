//go:build cgo

package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

var soakFor = flag.Duration("soak", 0, "run cells, interrupts, crashes and connects for so long, and compare the server before and after")

// asCounted names a file into which the test binary, when it is a kernel, writes
// how many goroutines it has whenever it gets SIGUSR1.
const asCounted = "GONDOLA_TEST_COUNT"

// countGoroutines is called when the test binary becomes a kernel.
func countGoroutines() {
	path := os.Getenv(asCounted)
	if path == "" {
		return
	}
	ask := make(chan os.Signal, 1)
	signal.Notify(ask, syscall.SIGUSR1)
	go func() {
		for range ask {
			os.WriteFile(path+".new", strconv.AppendInt(nil, int64(runtime.NumGoroutine()), 10), 0o666)
			os.Rename(path+".new", path) // a reader that finds nothing waits on
		}
	}()
}

// One round of the soak. A hundred rounds, spread over its time, are 10 000
// cells, 200 interrupts, 100 crashes and 300 connects.
const (
	rounds        = 100
	roundCells    = 100
	roundStops    = 2
	roundConnects = 3
)

// standing is what a server may not gather.
type standing struct {
	goroutines, descriptors, zombies int
	bytes                            int64 // resident
}

func (s standing) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d zombies, %.1f MB", s.goroutines, s.descriptors, s.zombies,
		float64(s.bytes)/1e6)
}

// soak is a kernel under load for long.
type soak struct {
	t     *testing.T
	p     *kerneltest.Peer
	c     *kerneltest.Client
	count string // the file of asCounted

	rounds int
	cells  int   // measured for grown
	grown  int64 // bytes of the worker over these cells
}

// A server that has run for long has no more goroutines, descriptors and
// zombies than after its first hundred cells, and at most 20 MB more.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("takes half an hour: run by make soak, DURATION=3m for a short one")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no /proc here: ", err)
	}
	s := &soak{t: t, count: filepath.Join(t.TempDir(), "goroutines")}
	t.Setenv(asCounted, s.count)
	s.p = startKernel(t)
	s.c = connect(t, s.p.Conn)
	begun := time.Now()
	s.round()
	before := s.stand()
	t.Logf("after %d cells: %v", roundCells, before)
	for s.rounds < rounds {
		time.Sleep(time.Until(begun.Add(*soakFor * time.Duration(s.rounds) / rounds)))
		s.round()
	}
	time.Sleep(time.Until(begun.Add(*soakFor)))
	after := s.stand()
	for i := 0; i < 100 && !after.within(before); i++ { // what the last connects left behind is on its way out
		time.Sleep(100 * time.Millisecond)
		after = s.stand()
	}
	t.Logf("after %d rounds, %d cells, %d interrupts, %d crashes, %d connects: %v", s.rounds, s.rounds*roundCells,
		s.rounds*roundStops, s.rounds, s.rounds*roundConnects, after)
	t.Logf("the worker grows by %.1f KB a cell", float64(s.grown)/1e3/float64(max(s.cells, 1)))
	if !after.within(before) {
		t.Errorf("the server has gathered: %v, was %v", after, before)
	}
}

// within says whether a server is as it was, 20 MB aside.
func (s standing) within(before standing) bool {
	return s.goroutines <= before.goroutines && s.descriptors <= before.descriptors && s.zombies <= before.zombies &&
		s.bytes <= before.bytes+20e6
}

// round runs cells, interrupts and connects, and at last a crash.
func (s *soak) round() {
	t := s.t
	begun := int64(0)
	for i := range roundCells {
		n := s.rounds*roundCells + i
		shows(t, s.c, fmt.Sprintf("v%d := %d\nfmt.Println(\"a\")\ndisplay.Show(v%d)\nv%d + 1", n%7, n, n%7, n%7),
			fmt.Sprintf("a\n[%d]=[%d]", n, n+1))
		if i == roundCells/2 { // the worker is warm by now
			begun = s.worker()
		}
	}
	s.grown += s.worker() - begun
	s.cells += roundCells - roundCells/2 - 1
	for range roundStops {
		id := send(t, s.c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: "display.Show(\"in\")\nfor {}"})
		shown(t, s.c, id)
		send(t, s.c, kerneltest.Control, "interrupt_request", struct{}{})
		if a := finish(t, s.c, kerneltest.Shell, id); a.Reply.Get("ename") != "Interrupted" {
			t.Fatalf("interrupt: %s", a.Reply.Content)
		}
	}
	for range roundConnects {
		c, err := kerneltest.Connect(s.p.Conn)
		if err == nil {
			err = c.Welcome(limit)
		}
		if err == nil {
			_, err = c.Run("1", limit)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	for _, x := range kerneltest.Crashes() {
		if x.Name == []string{"killed from outside", "fatal error of the runtime", "panic in the cell", "SIGABRT"}[s.rounds%4] {
			if _, err := x.Try(s.c); err != nil {
				t.Fatal(x.Name, ": ", err)
			}
		}
	}
	s.rounds++
	for _, ch := range []kerneltest.Channel{kerneltest.IOPub, kerneltest.Shell, kerneltest.Control} { // what others caused
		for len(s.c.Waiting(ch)) > 0 {
			if _, err := s.c.Take(ch, limit, func(*kerneltest.Message) bool { return true }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// worker is the resident memory of the worker.
func (s *soak) worker() int64 {
	n := int64(0)
	for _, pid := range s.p.Descendants() {
		n += resident(s.t, pid)
	}
	return n
}

// resident is the memory of a process; 0 of one that is gone.
func resident(t *testing.T, pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	f := strings.Fields(string(b))
	if err != nil || len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// stand looks at the server from outside, and asks it for its goroutines.
func (s *soak) stand() (st standing) {
	t := s.t
	os.Remove(s.count) // not there the first time
	if err := s.p.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(s.count)
		if err == nil {
			if st.goroutines, err = strconv.Atoi(string(b)); err != nil {
				t.Fatal(err)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatal("the kernel does not say how many goroutines it has")
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	st.descriptors = len(fds)
	for _, pid := range s.p.Descendants() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if i := strings.LastIndex(string(stat), ") "); err == nil && i >= 0 && stat[i+2] == 'Z' {
			st.zombies++
		}
	}
	st.bytes = resident(t, s.p.PID())
	return st
}

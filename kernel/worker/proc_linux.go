package worker

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// executable is this very program, also if its file has been replaced.
func executable() (string, error) { return "/proc/self/exe", nil }

// growPipe makes room for pipeSize bytes. A refusal only costs speed.
func growPipe(f *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ, absent from syscall
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, pipeSize) })
	}
}

// resident is the memory that a process holds, in bytes; 0: not known.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	f := strings.Fields(string(b))
	if err != nil || len(f) < 2 {
		return 0
	}
	n, _ := strconv.ParseInt(f[1], 10, 64)
	return n * int64(os.Getpagesize())
}

// peak is the most memory that an ended process held, in bytes.
func peak(s *os.ProcessState) int64 {
	use, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return use.Maxrss << 10
}

// writable is the size of this process's private writable memory, which
// RLIMIT_DATA counts, in bytes; 0: not known.
func writable() int64 { return field("/proc/self/status", "VmData:") }

// defaultMemory is 80 % of the smaller of RAM and the control group's limit.
func defaultMemory() int64 {
	least := field("/proc/meminfo", "MemTotal:")
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 && n < least {
			least = n
		}
	}
	if least == 0 {
		return -1
	}
	return least / 10 * 8
}

// field reads "KEY  N kB" from a file of /proc, in bytes.
func field(file, key string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == key {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// offerFirst asks the system's out-of-memory killer to take this process before
// the front end. Raising the score needs no rights.
func offerFirst() { os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0o644) }

// limitData bounds private writable memory; zero or less takes the bound off. It
// is left off where more than half is taken already: a race detector or a GPU
// driver maps far more than it uses. The hard limit stays as it is, so that the
// bound can be raised again.
func limitData(bytes int64) {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &now) != nil {
		return
	}
	if used := writable(); bytes <= 0 || used == 0 || used > bytes/2 {
		now.Cur = now.Max
	} else {
		now.Cur = min(uint64(bytes), now.Max)
	}
	syscall.Setrlimit(syscall.RLIMIT_DATA, &now)
}

// ends says whether a child of ours, which let go of its files, is at its end;
// it waits for that a moment.
func ends(pid int) bool {
	for until := time.Now().Add(endWait); ; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		// behind the name, which may hold anything: the state
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if err != nil || len(f) == 0 || f[0] == "Z" || f[0] == "X" {
			return true
		}
		if time.Now().After(until) {
			return false
		}
	}
}

// sweep kills every process of a session.
func sweep(session int) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		// behind the name, which may hold anything: state, parent, group, session
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(f) > 3 && f[3] == strconv.Itoa(session) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

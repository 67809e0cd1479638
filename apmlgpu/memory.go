package apmlgpu

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// unknownMemory stands for a machine that does not tell its memory.
const unknownMemory = 4 << 30

// defaultMaxBytes is what a loss may use that was told no bound.
var defaultMaxBytes = sync.OnceValue(quarter)

// quarter is a quarter of the smallest of the machine's memory, the limit of
// the control group, and the limit that the Go runtime was given, by GOMEMLIMIT
// or by a kernel for its cells.
func quarter() int64 {
	most := debug.SetMemoryLimit(-1)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		most = min(most, memTotal(string(text)))
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			most = min(most, groupLimit(string(text)))
		}
	}
	if most == math.MaxInt64 {
		most = unknownMemory
	}
	return most / 4
}

// memTotal reads MemTotal of /proc/meminfo, in bytes.
func memTotal(text string) int64 {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(f[1], 10, 64); err == nil && kib > 0 && kib < math.MaxInt64>>10 {
				return kib << 10
			}
		}
	}
	return math.MaxInt64
}

// groupLimit reads the limit of a control group: a number, or "max".
func groupLimit(text string) int64 {
	if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 0 {
		return n
	}
	return math.MaxInt64
}

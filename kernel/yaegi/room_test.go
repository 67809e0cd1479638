package yaegi

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

// A large make that passes the limit of the process panics before it is tried;
// one that fits, a small one, and any without a limit pass.
func TestRoom(t *testing.T) {
	before := debug.SetMemoryLimit(1 << 30)
	defer debug.SetMemoryLimit(before)
	fails := func(n, size int) (e *OutOfMemory) {
		defer func() { e, _ = recover().(*OutOfMemory) }()
		room(n, size)
		return nil
	}
	for _, tt := range []struct {
		n, size int
		says    string
	}{
		{1 << 20, 8, ""}, {300 << 20, 1, ""}, {64 << 27, 8, "make of 68719.5 MB, 1073.7 MB are allowed"},
		{1<<30 - 1, 1, "make of 1073.7 MB, 1073.7 MB are allowed and "}, {math.MaxInt / 16, 16, "make of "},
	} {
		e := fails(tt.n, tt.size)
		if (e != nil) != (tt.says != "") || e != nil && (!strings.Contains(e.Error(), tt.says) || e.Hint() == "") {
			t.Errorf("%d of %d bytes: %v, want %q", tt.n, tt.size, e, tt.says)
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if e := fails(64<<27, 8); e != nil {
		t.Errorf("without a limit: %v", e)
	}
}

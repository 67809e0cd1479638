package cellapi

import (
	"strings"
	"testing"
)

func TestInMain(t *testing.T) {
	const trace = "goroutine 7 [running]:\ngithub.com/gondola-lab/gondola/kernel/cellapi.Stack({0x1, 0x2, 0x3}, 0x0)\n\t/n.go:1 +0x1\n" +
		"gondola.session/c1._g1mp1_P_M(0xc0001)\n\tcell[1]:3 +0x2\ngondola.session/c2.(*P).XG_m(...)\n\tcell[2]:3\n" +
		"gondola.session/c1.main.func2()\n\tcell[1]:9 +0x2\nruntime.goexit({})\n\t/r.s:1\n" +
		"created by gondola.session/c1.main in goroutine 1\n\tcell[1]:8 +0x7\n\n" +
		"goroutine 1 [chan receive]:\ngondola.session/c1._g1f_main()\n\tcell[1]:4 +0x2\nreflect.Value.call({0x1})\n\t/v.go:1\n" +
		"created by github.com/gondola-lab/gondola/kernel/session.await in goroutine 5\n\t/s.go:7 +0x1\n\n" +
		"goroutine 9 [select]:\nother.wait()\n\t/o.go:1 +0x1\ncreated by other.init in goroutine 1\n\t/o.go:3 +0x1\n"
	const want = "goroutine 7 [running]:\nmain.(*P).M(0xc0001)\n\tcell[1]:3 +0x2\nmain.(*P).m(...)\n\tcell[2]:3\n" +
		"main.main.func2()\n\tcell[1]:9 +0x2\n" +
		"created by main.main in goroutine 1\n\tcell[1]:8 +0x7\n\n" +
		"goroutine 1 [chan receive]:\nmain.main()\n\tcell[1]:4 +0x2\n\n" +
		"goroutine 9 [select]:\nother.wait()\n\t/o.go:1 +0x1\ncreated by other.init in goroutine 1\n\t/o.go:3 +0x1\n"
	if got := inMain(trace); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	buf := make([]byte, 64)
	if n := Stack(buf, false); n != 64 || !strings.HasPrefix(string(buf), "goroutine ") || strings.Contains(string(buf), "cellapi.Stack") {
		t.Errorf("%d bytes: %s", n, buf)
	}
}

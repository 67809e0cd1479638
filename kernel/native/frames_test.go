package native

import "testing"

func TestStackFrames(t *testing.T) {
	const stack = `goroutine 7 [running]:
panic({0x7f00?, 0xc000?})
	/usr/lib/go/src/runtime/panic.go:783 +0x132
gondola.session/c3._g1mp5_po_nt_norm(...)
	cell[3]:4 +0x18
gondola.session/c3.(*po_nt).XG_norm(0xc0001)
	gondola:9 +0x25
gondola.session/c3.(*po_nt).XG_small(0xc0001)
	/tmp/x/cell[3]:5 +0x25
gondola.session/c3.XG_mapp[...](...)
	cell[3]:6
gondola.session/c3n2._g1f_Far.func1.2()
	cell[4]:7 +0x1
gondola.session/c3._g1cell.func1()
	cell[3]:8 +0x1
gondola.session/c3._g1init2()
	cell[3]:9 +0x1
gondola.session/c3._g1cell(0xc0000b2e70)
	cell[3]:10 +0x1
github.com/gondola-lab/gondola/kernel/session.(*run).x()
	/src/run.go:8 +0x1
created by gondola.session/c3.f in goroutine 1
	cell[3]:11 +0x1
`
	want := []Frame{
		{"(*po_nt).norm", "cell[3]", 4}, {"(*po_nt).small", "cell[3]", 5}, {"mapp", "cell[3]", 6},
		{"Far.func", "cell[4]", 7}, {"func", "cell[3]", 8}, {"init", "cell[3]", 9}, {"", "cell[3]", 10},
	}
	got := StackFrames(stack)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("frame %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"main.T is not main.N: missing method XG_norm": "main.T is not main.N: missing method norm",
		"gondola.session/c3n2.point":                   "point",
		"undefined: XG_c1.XG_point":                    "undefined: point",
		"cannot use (*_g1p1_x) as int":                 "cannot use x as int",
		"XML_x and MAX_X stay":                         "XML_x and MAX_X stay",
	} {
		if got := Words(in); got != want {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
}

package session

import (
	"testing"
)

const someStacks = `goroutine 1 [chan receive, 2 minutes]:
testing.(*T).Run(0xc000003a40, {0x5e9a4b?, 0x0?}, 0x60f2a8)
	/go/src/testing/testing.go:2005 +0x485

goroutine 19 [sleep]:
time.Sleep(0x34630b8a000)
	/go/src/runtime/time.go:361 +0x165
reflect.Value.call({0x5b4a20?, 0x60f5f8?}, {0x5e6a1f, 0x4})
	/go/src/reflect/value.go:581 +0xcc6
github.com/traefik/yaegi/interp.call.func9(0xc0001)
	/mod/yaegi/interp/run.go:1480 +0x10

goroutine 119 [sync.Mutex.Lock]:
internal/sync.runtime_SemacquireMutex(0x0?, 0x0?, 0x0?)
	/go/src/runtime/sema.go:95 +0x25
sync.(*Mutex).Lock(...)
	/go/src/sync/mutex.go:46
reflect.Value.call({0x5b4a20?, 0x60f5f8?}, {0x5e6a1f, 0x4})
	/go/src/reflect/value.go:581 +0xcc6

goroutine 21 [chan receive]:
reflect.chanrecv(0x0)
	/go/src/runtime/chan.go:1
github.com/traefik/yaegi/interp.recv.func1(0xc0001)
	/mod/yaegi/interp/run.go:3480 +0x10

goroutine 22 [runnable]:
github.com/gondola-lab/gondola/apmlgpu.Chamfer({0x1, 0x2})
	/src/apmlgpu/chamfer.go:12 +0x1
reflect.Value.call({0x5b4a20?, 0x60f5f8?}, {0x5e6a1f, 0x4})
	/go/src/reflect/value.go:581 +0xcc6
`

func TestParseStacksNamesTheCall(t *testing.T) {
	for _, tt := range []struct {
		id   int64
		want string
	}{
		{19, "a call of time.Sleep still runs in the background"},
		{119, "a call of sync.(*Mutex).Lock still runs in the background"},
		{21, "a channel operation still waits in the background"},
		{22, "a call of apmlgpu.Chamfer still runs in the background"},
	} {
		g, ok := parseStacks(someStacks, tt.id)
		if !ok || g.leftBehind() != tt.want {
			t.Errorf("goroutine %d: %v %q, want %q", tt.id, ok, g.leftBehind(), tt.want)
		}
	}
	if _, ok := parseStacks(someStacks, 9); ok {
		t.Error("goroutine 9 was found inside the number of another")
	}
}

func TestLookFindsThisGoroutine(t *testing.T) {
	ready, end := make(chan int64), make(chan bool)
	go func() {
		ready <- goid()
		<-end
	}()
	id := <-ready
	g, ok := look(id)
	close(end)
	if !ok || g.state != "chan receive" && g.state != "runnable" && g.state != "running" {
		t.Errorf("look(%d) = %+v, %v", id, g, ok)
	}
}

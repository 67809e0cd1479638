package worker

import (
	"fmt"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// watch kills a child that holds more memory than it may. The nets below it
// act inside the child (see settle); this one sees C and other libraries too.
// Of a child that holds half of it, it asks from time to time what holds the
// most, so that the end can name it.
func (p *process) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var asked time.Time
	for {
		select {
		case <-p.dead:
			return
		case <-tick.C:
		}
		limit := p.out.dial.get().Memory
		if limit <= 0 {
			continue
		}
		used := resident(p.cmd.Process.Pid)
		if used > limit {
			p.kill(fmt.Sprintf(outOfMemory+"the worker used %s, %s are allowed", size(used), size(limit)))
			return
		}
		if used > limit/2 && time.Since(asked) > sizesEvery && p.isReady() {
			asked = time.Now()
			p.people.Go(p.weigh)
		}
	}
}

// weigh asks the child what holds its memory.
func (p *process) weigh() {
	late := make(chan struct{})
	timer := time.AfterFunc(sizesWait, func() { close(late) })
	defer timer.Stop()
	var list []engine.Size
	if p.ask(late, downSizes, nil, &list) != nil || len(list) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.largest = list
}

// holders is "largest: all [][]byte 1.9 GB, xs []float64 80.0 MB", or "" for an
// end that was not for want of memory.
func (e ending) holders() string {
	if len(e.largest) == 0 || !strings.HasPrefix(e.cause(), outOfMemory) {
		return ""
	}
	var list []string
	for _, s := range e.largest {
		list = append(list, s.Name+" "+s.Type+" "+size(s.Bytes))
	}
	return "largest: " + strings.Join(list, ", ")
}

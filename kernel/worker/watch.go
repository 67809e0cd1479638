package worker

import (
	"fmt"
	"time"
)

// watch kills a child that holds more memory than it may. The nets below it
// act inside the child (see settle); this one sees C and other libraries too.
func (p *process) watch(limit int64) {
	if limit <= 0 {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.dead:
			return
		case <-tick.C:
			if used := resident(p.cmd.Process.Pid); used > limit {
				p.kill(fmt.Sprintf(outOfMemory+"the worker used %s, %s are allowed", size(used), size(limit)))
				return
			}
		}
	}
}

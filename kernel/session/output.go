package session

import (
	"sync"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// outputs gives what cells show to the sink of the cell that shows it: of the
// goroutine's own cell when that is known, which may have ended long ago, else
// of the running or the last one. It is the display.Output of the session.
type outputs struct {
	mu   sync.Mutex
	byID map[int]target
	last target
	mute int // a run whose outputs are thrown away

	cancelled func() // stops the caller's cell if that was asked for; nil: nobody does
}

// target is where a run shows; number is what the person calls the cell.
type target struct {
	sink   engine.Sink
	number int
}

// targetsKept is how many of the last runs are known for sure: a goroutine may
// be starting, or telling of its end.
const targetsKept = 64

// open makes a run the running one and forgets those whose goroutines have all
// ended.
func (o *outputs) open(id int, t target) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for old := range o.byID {
		if old < id-targetsKept && cellapi.Members(old) == 0 {
			delete(o.byID, old)
		}
	}
	if o.byID == nil {
		o.byID = map[int]target{}
	}
	o.byID[id], o.last = t, t
}

// of returns where run id shows, and where output without a known run goes.
func (o *outputs) of(id int) (own, running target) {
	o.mu.Lock()
	defer o.mu.Unlock()
	own, ok := o.byID[id]
	if !ok {
		own = o.last
	}
	return own, o.last
}

func (o *outputs) caller() target {
	id, _ := cellapi.CellOf()
	own, _ := o.of(id)
	o.mu.Lock()
	defer o.mu.Unlock()
	if id != 0 && id == o.mute {
		return target{}
	}
	return own
}

// Display shows a bundle among the outputs of the caller's cell.
func (o *outputs) Display(b display.Bundle, id string, update bool) {
	if t := o.caller(); t.sink != nil {
		t.sink.Display(engine.Display{Bundle: b, ID: id, Update: update})
	}
}

// Clear takes away the outputs of the caller's cell.
func (o *outputs) Clear(wait bool) {
	if t := o.caller(); t.sink != nil {
		t.sink.Clear(wait)
	}
}

// muted throws the outputs of a run away; 0 of none.
func (o *outputs) muted(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mute = id
}

// goroutines counts those that cells have left.
func (o *outputs) goroutines() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for id := range o.byID {
		n += cellapi.Members(id)
	}
	return n
}

package worker

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// dial is what outlives a worker: the limits in force, which a cell may change,
// and the display ids that were shown.
type dial struct {
	mu  sync.Mutex
	lim Limits
	ids map[string]bool
}

// saw notes a display id.
func (d *dial) saw(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	if len(d.ids) < keptIDs {
		d.ids[id] = true
	}
}

// shown lists the display ids.
func (d *dial) shown() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.ids))
}

func (d *dial) get() Limits {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lim
}

// set makes a change as in "output=4M" and returns what is in force then.
func (d *dial) set(change string) (Limits, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, value, _ := strings.Cut(change, "=")
	var err error
	switch key {
	case "output":
		err = setSize(&d.lim.Text, value, 1<<10)
	case "memory":
		err = setSize(&d.lim.Memory, value, 64<<20)
	case "patience":
		var t time.Duration
		t, err = time.ParseDuration(value)
		switch {
		case err != nil || t < 0:
			err = errors.New("it is a time, as 10s; 0: only a second interrupt ends the worker")
		case t == 0:
			d.lim.Patience = -1
		default:
			d.lim.Patience = t
		}
	default:
		err = errors.New("the keys are output, patience, memory and build")
	}
	return d.lim, err
}

// setSize reads 4G, 512M, 100K, a number of bytes of at least least, or off.
func setSize(to *int64, text string, least int64) error {
	if text == "off" {
		*to = -1
		return nil
	}
	digits, shift := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I"), 0
	if i := strings.IndexAny("KMGT", digits[max(len(digits)-1, 0):]); i >= 0 && digits != "" {
		digits, shift = digits[:len(digits)-1], 10*(i+1)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift || n<<shift < least {
		return fmt.Errorf("it is a size of at least %s, with K, M or G behind it, or off", size(least))
	}
	*to = n << shift
	return nil
}

// text is the limits as %limit shows them.
func (l Limits) text() string {
	or := func(n int64) string {
		if n < 0 {
			return "off"
		}
		return strings.ReplaceAll(size(n), " ", "")
	}
	patience := "0"
	if l.Patience > 0 {
		patience = l.Patience.String()
	}
	return fmt.Sprintf("output=%s patience=%s memory=%s", or(l.Text), patience, or(l.Memory))
}

// Limit implements engine.Limiter. The near end hears of a change behind a mark,
// so that it counts for the text that is written from here on.
func (s *sink) Limit(change string) (string, error) {
	if change == "" {
		return s.up.dial.get().text(), nil
	}
	before := s.up.dial.get()
	lim, err := s.up.dial.set(change)
	if err != nil {
		return "", err
	}
	if lim.Memory != before.Memory {
		allow(lim.Memory)
	}
	return lim.text(), s.up.put(upLimit, s.id, change)
}

// allow sets the memory of this process, the child; negative is no limit.
func allow(memory int64) {
	soft := int64(math.MaxInt64)
	if memory > 0 {
		soft = memory / 100 * 85
	}
	debug.SetMemoryLimit(soft)
	limitData(memory)
}

// change is a change of a limit by the cell r, in its place among the output.
func (o *output) change(r *running, change string) {
	lim, err := o.dial.set(change)
	if err == nil && r == o.current {
		r.cap.limit = lim.Text
	}
}

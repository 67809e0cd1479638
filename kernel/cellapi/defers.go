package cellapi

// Defers holds the deferred calls of one call of an interpreted function.
type Defers struct{ list []func() }

// NewDefers returns an empty list; an interpreted function with a defer
// statement makes one at its entry.
func NewDefers() *Defers { return new(Defers) }

// Push adds a call. It panics at the end of the function if f is nil, as a
// deferred nil function does.
func (d *Defers) Push(f func()) { d.list = append(d.list, f) }

// RunDefers runs the body of an interpreted function and then what it has
// pushed, last first, also after a panic of the body or of a deferred call.
func RunDefers(d *Defers, body func()) {
	defer d.unwind()
	body()
}

func (d *Defers) unwind() {
	if len(d.list) == 0 {
		return
	}
	defer d.unwind()
	last := len(d.list) - 1
	f := d.list[last]
	d.list = d.list[:last]
	f()
}

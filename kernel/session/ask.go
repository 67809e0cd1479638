package session

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// Ask asks the person by the sink of the caller's cell: it is what
// display.Input calls. The stop of that cell ends the wait.
func (o *outputs) Ask(prompt string, secret bool) (string, error) {
	a, ok := o.caller().sink.(engine.Asker)
	if !ok {
		return "", engine.ErrNoInput
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if stop := cellapi.Done(); stop != nil {
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	text, err := a.Ask(ctx, prompt, secret)
	if err != nil {
		if o.cancelled != nil {
			o.cancelled()
		}
		cellapi.End() // a stop ended the wait: the cell goes no further, its last statement neither
	}
	return text, err
}

// cancelled stops the caller's cell if that was asked for: the answer to its
// question may come before the stop does.
func (s *Session) cancelled() {
	id, _ := cellapi.CellOf()
	if r := s.current.Load(); r != nil && r.id == id && r.ctx.Err() != nil {
		r.stop(reasonInterrupt)
	}
}

// line is what a read of os.Stdin gets.
func (o *outputs) line() (string, error) { return o.Ask("", false) }

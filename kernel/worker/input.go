package worker

import (
	"context"
	"errors"
	"sync"

	"github.com/gondola-lab/gondola/kernel/engine"
)

var errNotWaited = errors.New("the cell that asks is over or was stopped")

// asks are the questions of the child that wait for their answer.
type asks struct {
	mu   sync.Mutex
	last uint64
	wait map[uint64]chan answerBody
}

// open gives the next question a number and the channel of its answer.
func (a *asks) open() (uint64, chan answerBody) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wait == nil {
		a.wait = map[uint64]chan answerBody{}
	}
	a.last++
	c := make(chan answerBody, 1)
	a.wait[a.last] = c
	return a.last, c
}

// take gives up a question; nil if it has been answered.
func (a *asks) take(n uint64) chan answerBody {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.wait[n]
	delete(a.wait, n)
	return c
}

// answered takes an answer off the line. One that nobody waits for any more is
// dropped.
func (o *outlet) answered(f frame) error {
	var b answerBody
	if err := f.unmarshal(&b); err != nil {
		return err
	}
	if c := o.asks.take(b.Question); c != nil {
		c <- b
	}
	return nil
}

// Ask implements engine.Asker: the question goes behind a mark, so that the text
// before it is seen before it.
func (s *sink) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	n, c := s.up.asks.open()
	defer s.up.asks.take(n)
	if err := s.up.put(upInput, s.id, inputBody{n, prompt, secret}); err != nil {
		return "", err
	}
	select {
	case b := <-c:
		switch {
		case b.Refused:
			return "", engine.ErrNoInput
		case b.Err != "":
			return "", errors.New(b.Err)
		}
		return b.Text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// askPerson asks beside the delivery of what else the cell shows, until there is
// an answer or the cell is over or stopped.
func (p *process) askPerson(r *running, in inputBody) {
	p.people.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		done := make(chan struct{})
		defer close(done)
		go func() {
			select {
			case <-r.over:
				cancel()
			case <-p.gone:
				cancel()
			case <-done:
			}
		}()
		b := answerBody{Question: in.Question, Refused: true}
		if a, ok := r.sink.(engine.Asker); ok {
			text, err := a.Ask(ctx, in.Prompt, in.Secret)
			if err != nil && ctx.Err() != nil {
				err = errNotWaited
			}
			b = answerBody{in.Question, text, errors.Is(err, engine.ErrNoInput), words(err)}
		}
		p.down.send(downAnswer, r.ID, b) // a worker that is gone needs none
	})
}

// finish says that a cell is not to be waited for.
func (r *running) finish() { r.ended.Do(func() { close(r.over) }) }

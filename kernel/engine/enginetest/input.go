package enginetest

import (
	"context"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// ask is what the fake does for display.Input; an error is an empty answer.
func ask(ctx context.Context, s engine.Sink, prompt string, secret bool) string {
	a, ok := s.(engine.Asker)
	if !ok {
		return ""
	}
	text, err := a.Ask(ctx, prompt, secret)
	if err != nil {
		return ""
	}
	return text
}

// input asks twice; what was shown before is seen before.
func input(k *bench) {
	r := &Recorder{Answers: []string{"Ann", "open sesame"}}
	out := k.e.Execute(context.Background(),
		k.cell("display.Show(\"hello\")\nname, _ := display.Input(\"name? \")\nword, _ := display.Password(\"word? \")"), r)
	if out.Err != nil {
		k.Fatal(out.Err)
	}
	if got, want := r.String(), "display hello\nask name? \nsecret word? \n"; got != want {
		k.Errorf("events:\n%swant:\n%s", got, want)
	}
	k.value("name", "Ann")
	k.value("word", "open sesame")
}

// inputStopped interrupts a question; the next one is answered.
func inputStopped(k *bench) {
	r := &Recorder{}
	done := make(chan engine.Outcome, 1)
	go func() { done <- k.e.Execute(context.Background(), k.cell("a, _ := display.Input(\"a? \")"), r) }()
	if !r.Await("ask", patience) {
		k.Fatal("nobody is asked")
	}
	k.e.Interrupt()
	select {
	case out := <-done:
		if out.Err == nil || out.Err.Name != "Interrupted" {
			k.Errorf("an interrupted question ends its cell with %v", out.Err)
		}
	case <-time.After(patience):
		k.Fatal("a question does not stop")
	}
	r = &Recorder{Answers: []string{"yes"}}
	if out := k.e.Execute(context.Background(), k.cell("b, _ := display.Input(\"b? \")"), r); out.Err != nil {
		k.Fatal(out.Err)
	}
	k.value("b", "yes")
}

// noInput asks where nobody can be asked: the cell goes on at once.
func noInput(k *bench) {
	deaf := struct{ engine.Sink }{&Recorder{}}
	out := k.e.Execute(context.Background(), k.cell("a, _ := display.Input(\"a? \")"), deaf)
	if out.Err != nil {
		k.Fatal(out.Err)
	}
	k.value("a", "")
}

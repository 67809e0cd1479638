package display

// Input shows prompt and waits until the person has typed a line, which it
// returns without its newline. An interrupt of the cell ends the wait.
//
// Where nobody can be asked (gondola run, nbclient, a cell that is over) it
// returns an error at once. Without a notebook it returns ErrNoOutput.
func Input(prompt string) (string, error) { return ask("Input", prompt, false) }

// Password is [Input] with what is typed hidden. The answer is kept nowhere but
// in the value that is returned.
func Password(prompt string) (string, error) { return ask("Password", prompt, true) }

func ask(op, prompt string, secret bool) (string, error) {
	o, err := output(op)
	if err != nil {
		return "", err
	}
	a, ok := o.(Asker)
	if !ok {
		return "", &Error{"display." + op, ErrNoOutput, "run it in a cell of a notebook"}
	}
	text, err := a.Ask(valid(prompt), secret)
	if err != nil {
		return "", &Error{"display." + op, err, "ask where a person sits, or give the value in the cell"}
	}
	return text, nil
}

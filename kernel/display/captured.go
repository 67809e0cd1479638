package display

// Captured is what a cell of %%capture showed. Of pictures that were updated it
// has the last state.
type Captured struct {
	Stdout, Stderr string
	Outputs        []Bundle // pictures, and the value of the cell, in their order
}

// String returns the text of both streams.
func (c *Captured) String() string { return c.Stdout + c.Stderr }

// Show shows what was kept: the text, then the pictures. Without a notebook it
// returns ErrNoOutput.
func (c *Captured) Show() error {
	all := c.Outputs
	if text := c.String(); text != "" {
		b := newBundle()
		b.setText(text, nil)
		all = append([]Bundle{b}, all...)
	}
	if _, err := output("Captured.Show"); err != nil {
		return err
	}
	for _, b := range all {
		if err := send("Captured.Show", b, "", false); err != nil {
			return err
		}
	}
	return nil
}

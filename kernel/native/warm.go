package native

import "context"

// Warm compiles packages, and all that they need, for native cells: the first
// time 14 s of CPU for the usual ones of the standard library and 36 s for all,
// later 0.3 s. It returns how many archives there are.
//
// Errors: as those of [Toolchain.Build].
func (t *Toolchain) Warm(ctx context.Context, paths []string) (archives int, err error) {
	t.forget() // what was dropped from the go command's cache is made again
	from, err := t.packages(ctx, paths)
	return len(from), err
}

// Go returns the go command of the toolchain and the environment that it is
// called with, for comparisons.
func (t *Toolchain) Go() (command string, env []string) { return t.goCmd, t.env }

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// Exit codes of every subcommand; run adds its own.
const (
	exitOK          = 0
	exitFailed      = 1   // the work failed
	exitUsage       = 2   // the call is wrong
	exitMissing     = 3   // something is missing or taken here; doctor names it
	exitInterrupted = 130 // SIGINT
)

// newFlags returns the flags of a subcommand; usage is the line after its name.
func newFlags(name, usage string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: gondola %s %s\n", name, usage)
		f.PrintDefaults()
	}
	return f
}

// parseFlags parses args and returns -1 to go on, or the exit code: 0 after
// -h, 2 after a mistake. max is the largest number of arguments beside the
// flags, or -1 for any.
func parseFlags(f *flag.FlagSet, args []string, max int) int {
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // the flag package has said why
	case max >= 0 && f.NArg() > max:
		fmt.Fprintf(f.Output(), "gondola %s: unexpected argument %q (gondola %s -h)\n", f.Name(), f.Arg(max), f.Name())
		return exitUsage
	}
	return -1
}

// fail writes one line for a failed subcommand, and one for the advice if the
// error has any.
func fail(stderr io.Writer, name string, err error) int {
	fmt.Fprintf(stderr, "gondola %s: %v\n", name, err)
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(stderr, "hint: %s\n", h.Hint())
	}
	return exitFailed
}

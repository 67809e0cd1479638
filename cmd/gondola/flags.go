package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Exit codes of every subcommand; run adds its own.
const (
	exitOK          = 0
	exitFailed      = 1   // the work failed
	exitUsage       = 2   // the call is wrong
	exitMissing     = 3   // something is missing or taken here; doctor names it
	exitInterrupted = 130 // SIGINT
)

// flagSet is the flags of a subcommand.
type flagSet struct {
	*flag.FlagSet
	usage          string // the line after the name
	stdout, stderr io.Writer
}

// newFlags returns the flags of a subcommand; usage is the line after its name.
func newFlags(name, usage string, stdout, stderr io.Writer) *flagSet {
	f := &flagSet{flag.NewFlagSet(name, flag.ContinueOnError), usage, stdout, stderr}
	f.SetOutput(io.Discard) // the flag package would list all flags under every mistake
	f.Usage = func() {}
	return f
}

// parse reads flags that stand before, between and behind other arguments,
// and returns those, at most most of them, or any number for -1. The code is -1
// to go on, 0 after -h, whose answer goes to stdout, and 2 after a mistake,
// which is one line on stderr.
func (f *flagSet) parse(args []string, most int) (rest []string, code int) {
	rest, err := f.mixed(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(f.stdout, strings.TrimSpace("usage: gondola "+f.Name()+" "+f.usage))
		f.SetOutput(f.stdout)
		f.PrintDefaults()
		return nil, exitOK
	case err == nil && most >= 0 && len(rest) > most:
		err = fmt.Errorf("unexpected argument %q", rest[most])
	}
	if err != nil {
		return nil, f.wrong("%w", err)
	}
	return rest, -1
}

func (f *flagSet) mixed(args []string) (rest []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		left := f.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if len(args) > len(left) && args[len(args)-len(left)-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// wrong tells a mistake of the caller in one line, and is the exit code.
func (f *flagSet) wrong(format string, args ...any) int {
	fmt.Fprintf(f.stderr, "gondola %s: %v (gondola %s -h)\n", f.Name(), fmt.Errorf(format, args...), f.Name())
	return exitUsage
}

func isHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

// fail writes one line for a failed subcommand, with the advice in brackets if
// the error has any.
func fail(stderr io.Writer, name string, err error) int {
	advice := ""
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		advice = " (" + h.Hint() + ")"
	}
	text := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	fmt.Fprintf(stderr, "gondola %s: %s%s\n", name, text, advice)
	return exitFailed
}

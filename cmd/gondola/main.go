// Command gondola is the Go kernel for notebooks, the losses of point clouds,
// and the tools around them.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/gondola-lab/gondola/internal/packs/gondola"
	"github.com/gondola-lab/gondola/internal/packs/gonum"
	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/session"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// A command is a subcommand: its function takes the arguments behind its name
// and returns the exit code.
type command struct {
	name, does string
	run        runner
}

type runner func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

// commands is the table of subcommands, in the order of the help.
var commands = []command{
	{"kernel", "answer a notebook's front end over the sockets of a connection file", runKernel},
	{"run", "run a notebook or a Go file without a front end", runRun},

	{"repl", "run Go cells at a prompt", runRepl},
	{"nb", "bring notebooks into one form", runNotebook},
	{"loss", "compute one loss of two cloud files, one line of JSON", noInput(runLoss)},
	{"bench", "measure losses, the kernel or the language against named peers, as ratios", runBench},
	{"native", "fill the cache that native cells are built with", noInput(runNative)},
	{"install", "tell Jupyter of this kernel", noInput(runInstall)},
	{"uninstall", "take that back", noInput(runUninstall)},
	{"list", "list where this kernel is installed", noInput(runList)},
	{"doctor", "tell what this machine has and lacks", noInput(runDoctor)},
	{"version", "tell all versions", noInput(runVersion)},
}

// noInput fits a subcommand that reads no standard input into the table.
func noInput(f func(args []string, stdout, stderr io.Writer) int) runner {
	return func(args []string, _ io.Reader, stdout, stderr io.Writer) int { return f(args, stdout, stderr) }
}

func main() {
	if status, done := worker.Main(newEngine); done {
		os.Exit(status)
	}
	os.Exit(dispatch(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// newEngine makes the engine of a worker process.
func newEngine(lim worker.Limits) engine.Engine {
	policy, err := session.ParsePolicy(lim.Engine)
	if err != nil {
		panic(err) // the parent has refused it already
	}
	s := session.NewWith(policy, std.Set(), gonum.Set(), gondola.Set())
	s.SetVersion(version, versionLines(versions())...)
	return s
}

func dispatch(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return exitUsage
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		usage(stdout)
		return exitOK
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "gondola: %q is no subcommand (gondola -h)\n", args[0])
	return exitUsage
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: gondola COMMAND [flags] [arguments]")
	fmt.Fprintln(w)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.does)
	}
	fmt.Fprintln(w, "\ngondola COMMAND -h lists the flags of a command.")
	fmt.Fprintln(w, "exit codes: 0 done, 1 the work failed, 2 wrong usage, 3 something is missing or taken here,")
	fmt.Fprintln(w, "130 interrupted; run adds 4 (a time limit), 5 (a worker ended) and 6 (--check differs).")
}

package main

import (
	"fmt"
	"io"
)

// benches are the benchmarks of gondola bench, by name.
var benches = []struct {
	name, does string
	run        func(args []string, stdout, stderr io.Writer) int
}{
	{"losses", "losses against other libraries, and how they grow", benchLosses},
	{"kernel", "this kernel against ipykernel or another one", benchKernel},
	{"language", "cells interpreted and compiled, against each other and the go command", benchLanguage},
}

// runBench is gondola bench NAME: every row is a ratio of one run.
func runBench(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		for _, b := range benches {
			if b.name == args[0] {
				return b.run(args[1:], stdout, stderr)
			}
		}
		if args[0] == benchOne { // a process that the benchmark of losses has started
			return runBenchOne(args[1:], stdout, stderr)
		}
		if args[0] == benchCellsName { // that of the language
			return runBenchCells(stdin, stdout, stderr)
		}
	}
	if len(args) > 0 && isHelp(args[0]) {
		fmt.Fprintln(stdout, "usage: gondola bench NAME [flags]")
		for _, b := range benches {
			fmt.Fprintf(stdout, "  %-8s %s\n", b.name, b.does)
		}
		return exitOK
	}
	f := newFlags("bench", "", stdout, stderr)
	if len(args) == 0 {
		return f.wrong("no benchmark is named; there are losses, kernel, language")
	}
	return f.wrong("no benchmark %q; there are losses, kernel, language", args[0])
}

// Command gotests runs Go's own test programs, which come with every toolchain,
// through gondola and compares: each as a program, as one cell, cut into a cell
// for each declaration, and cut with one function given again. What a program
// has to print is what it prints when the plain compiler builds it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// config is one call.
type config struct {
	gondola, root, work, report string
	every, jobs                 int
	from                        int
	timeout                     time.Duration
	length                      time.Duration // of a run that is to be continued; 0: to the end
	modes                       []string
	match                       *regexp.Regexp
	verbose                     bool
}

// modes are the ways a file takes through gondola.
var modes = []string{"program", "cell", "cut", "again", "errors"}

func main() {
	c, err := parse(os.Args[1:])
	if err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotests:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("gotests", flag.ContinueOnError)
	f.StringVar(&c.gondola, "gondola", "bin/gondola", "the `PROGRAM` to judge")
	f.StringVar(&c.root, "root", "", "`FOLDER` of the test programs (default test in GOROOT)")
	f.StringVar(&c.work, "work", filepath.Join("out", "gotests"), "`FOLDER` for what they print and for what went wrong")
	f.StringVar(&c.report, "report", "", "write the table to `FILE` too")
	f.IntVar(&c.every, "every", 1, "take every `N`th program only")
	f.IntVar(&c.from, "from", 0, "the first of them is the `K`th")
	f.IntVar(&c.jobs, "jobs", 2, "programs at a time")
	f.DurationVar(&c.timeout, "timeout", time.Minute, "limit of one program")
	f.DurationVar(&c.length, "for", 0, "begin no program after this `TIME`; the next call with it goes on behind the last")
	list := f.String("modes", strings.Join(modes, ","), "ways to take")
	match := f.String("match", "", "take files whose name matches this `REGEXP`")
	f.BoolVar(&c.verbose, "v", false, "tell of every file")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	c.modes = strings.Split(*list, ",")
	for _, m := range c.modes {
		if !slices.Contains(modes, m) {
			return nil, fmt.Errorf("%q is none of %s", m, strings.Join(modes, ", "))
		}
	}
	if c.every < 1 || c.jobs < 1 || f.NArg() > 0 {
		return nil, fmt.Errorf("-every and -jobs are at least 1, and there are no further arguments")
	}
	var err error
	if c.match, err = regexp.Compile(*match); err != nil {
		return nil, err
	}
	if c.root == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, err
		}
		c.root = filepath.Join(strings.TrimSpace(string(out)), "test")
	}
	for _, p := range []*string{&c.gondola, &c.root, &c.work} {
		if *p, err = filepath.Abs(*p); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// run takes every file through every mode and prints the table. It fails when
// a file went wrong.
func (c *config) run() error {
	files, err := c.find()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.work, 0o755); err != nil {
		return err
	}
	if err := c.warm(); err != nil {
		return err
	}
	begun := time.Now()
	kept, err := c.openKept()
	if err != nil {
		return err
	}
	defer kept.close()
	all := c.all(files, kept, begun)
	text := table(all, c.modes, len(files))
	fmt.Print(text)
	if open := unjudged(all); open > 0 {
		return fmt.Errorf("%d of %d files are not judged yet", open, len(files))
	}
	if c.report != "" {
		head := fmt.Sprintf("every %d. program from %d, %s\n", c.every, c.from, time.Since(begun).Round(time.Second))
		if err := os.WriteFile(c.report, []byte(head+text), 0o644); err != nil {
			return err
		}
	}
	return judgement(all, c.modes)
}

// environment is what gondola sees beside ours: a cache of its own, for the
// thousands of cells here would drive out all others.
func (c *config) environment() []string {
	return []string{"GONDOLA_CACHE=" + filepath.Join(c.work, "cache")}
}

// warm fills that cache, so that no program waits for the standard library.
func (c *config) warm() error {
	w := *c
	w.timeout = 15 * time.Minute
	a, err := w.command(c.root, c.environment(), c.gondola, "native", "warm")
	if err == nil && a.Code != 0 {
		err = fmt.Errorf("gondola native warm: %s", lineOf(a.Err))
	}
	return err
}

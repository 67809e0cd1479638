package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/session"
)

// parse reads flags before and between the files; -1 means go on.
func (c *runCall) parse(args []string) (files []string, code int) {
	if i := slices.Index(args, "--"); i >= 0 {
		args, c.rest = args[:i], args[i+1:]
	}
	f := newFlags("run", "[flags] FILE.ipynb|FILE.go|- ... [-- arguments of a program]", c.stdout, c.stderr)
	f.StringVar(&c.out, "o", "", "write the notebook with its outputs to `FILE`; - is the standard output")
	f.BoolVar(&c.inplace, "inplace", false, "write the outputs into the notebook itself")
	f.StringVar(&c.page, "html", "", "write a static page to `FILE`")
	f.StringVar(&c.policy, "engine", "auto", "where cells run: auto, interpret or native")
	f.DurationVar(&c.timeout, "timeout", 0, "limit of a cell, as 10m (default none)")
	f.DurationVar(&c.total, "total", 0, "limit of the whole call, as 1h (default none)")
	f.BoolVar(&c.opt.AllowErrors, "allow-errors", false, "go on behind a cell that fails")
	f.BoolVar(&c.compare, "check", false, "compare the texts of cells with those stored, print what differs, write nothing")
	f.BoolVar(&c.opt.Timing, "timing", false, "write into each cell when it began and ended")
	f.IntVar(&c.jobs, "j", 1, "run `N` files at once, each with a worker of its own")
	f.Func("p", "set a variable of the cell with the tag parameters, as `NAME=VALUE`, a Go expression; may be repeated",
		c.param)
	f.BoolVar(&c.json, "json", false, "print a line of JSON for each notebook")
	f.StringVar(&c.dir, "cwd", "", "`FOLDER` the cells run in (default the notebook's; of a program this one)")
	f.Func("mem-limit", "`SIZE` that the cells may use, as 4G (default 80 % of what there is)",
		func(s string) (err error) {
			c.memory, err = memorySize(s)
			return err
		})
	f.Func("skip", "leave out cells with one of these `TAGS`, as a,b", func(s string) error {
		c.opt.Skip = append(c.opt.Skip, strings.Split(s, ",")...)
		return nil
	})
	f.Func("cell", "run only these cells, by their `PLACES` in the notebook, as 3,7", c.only)
	if files, code = f.parse(args, -1); code >= 0 {
		return nil, code
	}
	c.opt.Timeout = c.timeout
	c.opt.Note = func(s string) { fmt.Fprintln(c.stderr, s) }
	return files, c.check(f, files)
}

func (c *runCall) param(s string) error {
	p, err := notebook.ParseParam(s)
	if err != nil {
		return err
	}
	for _, o := range c.params {
		if o.Name == p.Name {
			return fmt.Errorf("%s is set twice", p.Name)
		}
	}
	c.params = append(c.params, p)
	return nil
}

func (c *runCall) only(list string) error {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no place of a cell", s)
		}
		c.opt.Only = append(c.opt.Only, n)
	}
	return nil
}

// check refuses calls that cannot be carried out, before anything runs.
func (c *runCall) check(f *flagSet, files []string) int {
	switch _, err := session.ParsePolicy(c.policy); {
	case err != nil:
		return f.wrong("--engine: %w", err)
	case len(files) == 0:
		return f.wrong("no file")
	case c.inplace && c.out != "":
		return f.wrong("-o or --inplace, not both")
	case c.compare && (c.inplace || c.out != "" || c.page != ""):
		return f.wrong("--check writes nothing: leave -o, --inplace and --html out")
	case c.jobs < 1:
		return f.wrong("-j %d: at least one file runs", c.jobs)
	case len(files) > 1 && (c.out != "" || c.page != ""):
		return f.wrong("-o and --html take one file")
	case c.out == "-" && c.page == "-":
		return f.wrong("-o and --html: only one of them goes to the standard output")
	case c.timeout < 0 || c.total < 0:
		return f.wrong("a limit is negative")
	}
	for _, out := range []string{c.out, c.page} {
		if out == "" {
			continue
		}
		if !isFolder(filepath.Dir(out)) {
			return f.wrong("%s: its folder is not there", out)
		}
		if isFolder(out) {
			return f.wrong("%s: it is a folder; give a file in it", out)
		}
	}
	if c.dir != "" && !isFolder(c.dir) {
		return f.wrong("--cwd: %s is no folder", c.dir)
	}
	return -1
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

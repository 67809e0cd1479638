package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gondola-lab/gondola/kernel/install"
)

// place are the flags that choose the folder of kernelspecs.
type place struct {
	user, sys, system bool
	prefix            string
}

func (p *place) add(f *flagSet) {
	f.BoolVar(&p.user, "user", false, "for this user (the default outside a virtual environment)")
	f.BoolVar(&p.sys, "sys-prefix", false, "for the active environment (the default inside one)")
	f.BoolVar(&p.system, "system", false, "for all users, into "+install.SystemDir)
	f.StringVar(&p.prefix, "prefix", "", "into `DIR`/share/jupyter")
}

// parse parses the flags of a subcommand that has a place; -1 means go on.
func (p *place) parse(f *flagSet, args []string) int {
	if _, code := f.parse(args, 0); code >= 0 {
		return code
	}
	given := false
	f.Visit(func(g *flag.Flag) { given = given || g.Name == "prefix" })
	if given && p.prefix == "" {
		return f.wrong("--prefix is empty")
	}
	chosen := 0
	for _, c := range []bool{p.user, p.sys, p.system, given} {
		if c {
			chosen++
		}
	}
	if chosen > 1 {
		return f.wrong("--user, --sys-prefix, --system and --prefix exclude each other")
	}
	return -1
}

func (p *place) dir() (string, error) {
	switch {
	case p.user:
		return install.Dir(install.User, "", os.Getenv)
	case p.sys:
		return install.Dir(install.Sys, "", os.Getenv)
	case p.system:
		return install.Dir(install.System, "", os.Getenv)
	case p.prefix != "":
		return install.Dir(install.Prefix, p.prefix, os.Getenv)
	}
	return install.Dir(install.Auto, "", os.Getenv)
}

// envFlag collects --env K=V.
type envFlag map[string]string

func (e envFlag) String() string { return "" }

func (e envFlag) Set(s string) error {
	k, v, ok := strings.Cut(s, "=")
	if !ok || k == "" {
		return fmt.Errorf("want K=V, got %q", s)
	}
	e[k] = v
	return nil
}

// runInstall writes the kernelspec by which Jupyter finds this binary.
func runInstall(args []string, stdout, stderr io.Writer) int {
	var p place
	env := envFlag{}
	f := newFlags("install", "[--user | --sys-prefix | --system | --prefix DIR] [--name N] [--display-name T] "+
		"[--env K=V] [--print]", stdout, stderr)
	p.add(f)
	name := f.String("name", "", "`NAME` of the kernelspec (gondola)")
	title := f.String("display-name", "", "`TITLE` in menus (Go (Gondola))")
	show := f.Bool("print", false, "print kernel.json and write nothing")
	f.Var(env, "env", "environment variable `K=V` of the kernel; may be repeated")
	if code := p.parse(f, args); code >= 0 {
		return code
	}
	self, err := os.Executable()
	if err != nil {
		return fail(stderr, "install", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	spec := install.Spec{Binary: self, Name: *name, DisplayName: *title, Env: env}
	if *show {
		b, err := spec.JSON()
		if err != nil {
			return fail(stderr, "install", err)
		}
		_, _ = stdout.Write(b) // nothing can be done about a closed terminal
		return exitOK
	}
	if err := install.CheckBinary(self); err != nil {
		return fail(stderr, "install", err)
	}
	kernels, err := p.dir()
	if err != nil {
		return fail(stderr, "install", err)
	}
	dir, err := install.Write(kernels, spec)
	if errors.Is(err, install.ErrName) {
		fail(stderr, "install", err)
		return exitUsage
	}
	if err != nil {
		return fail(stderr, "install", err)
	}
	fmt.Fprintf(stdout, "installed %s\n", dir)
	for _, kernels := range install.Known() { // Jupyter takes the first of one name
		first := filepath.Join(kernels, filepath.Base(dir))
		if first == dir {
			break
		}
		if _, err := os.Stat(filepath.Join(first, "kernel.json")); err == nil {
			fmt.Fprintf(stdout, "note: %s comes first where Jupyter looks\n", first)
			break
		}
	}
	return exitOK
}

// runUninstall removes a kernelspec that starts a gondola.
func runUninstall(args []string, stdout, stderr io.Writer) int {
	var p place
	f := newFlags("uninstall", "[--user | --sys-prefix | --system | --prefix DIR] [--name N]", stdout, stderr)
	p.add(f)
	name := f.String("name", "gondola", "`NAME` of the kernelspec")
	if code := p.parse(f, args); code >= 0 {
		return code
	}
	kernels, err := p.dir()
	if err == nil {
		err = install.Remove(kernels, *name)
	}
	if errors.Is(err, install.ErrName) {
		fail(stderr, "uninstall", err)
		return exitUsage
	}
	if err != nil {
		return fail(stderr, "uninstall", err)
	}
	fmt.Fprintf(stdout, "removed %s\n", filepath.Join(kernels, *name))
	return exitOK
}

// runList prints the kernelspecs that start a gondola.
func runList(args []string, stdout, stderr io.Writer) int {
	f := newFlags("list", "", stdout, stderr)
	if _, code := f.parse(args, 0); code >= 0 {
		return code
	}
	for _, k := range install.List(install.Known()...) {
		state := ""
		if !k.Alive {
			state = "  (the binary is gone: run gondola install again)"
		}
		fmt.Fprintf(stdout, "%s  %s  %s%s\n", k.Name, k.Dir, k.Binary, state)
	}
	return exitOK
}

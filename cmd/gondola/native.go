package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/internal/packs/gondola"
	"github.com/gondola-lab/gondola/internal/packs/gonum"
	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/native"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// runNative is gondola native warm: every package that a cell may import is
// compiled for plugins, so that no cell waits for it.
func runNative(args []string, stdout, stderr io.Writer) int {
	f := newFlags("native", "warm", stdout, stderr)
	rest, code := f.parse(args, 1)
	if code >= 0 {
		return code
	}
	if len(rest) == 0 || rest[0] != "warm" {
		return f.wrong("say warm: that is all it does")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	begun := time.Now()
	t, err := native.Find(ctx, native.Config{Notice: func(text string) { fmt.Fprintln(stderr, text) }})
	n := 0
	if err == nil {
		n, err = t.Warm(ctx, importable())
	}
	switch lack := (*native.Unavailable)(nil); {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &lack):
		fail(stderr, "native", err)
		return exitMissing
	case err != nil:
		return fail(stderr, "native", err)
	}
	fmt.Fprintf(stdout, "%d packages are ready for native cells, after %.1f s\n", n, time.Since(begun).Seconds())
	return exitOK
}

// importable are the paths of all packages that a cell may import.
func importable() (paths []string) {
	for _, set := range []pack.Set{std.Set(), gonum.Set(), gondola.Set()} {
		for _, p := range set.Packages {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

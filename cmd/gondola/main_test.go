package main

import (
	"os"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/worker"
)

// The test binary is also the worker of its tests.
func TestMain(m *testing.M) {
	if status, done := worker.Main(newEngine); done {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestDispatch(t *testing.T) {
	for _, tt := range []struct {
		args        []string
		code        int
		out, errors string
	}{
		{nil, 2, "", "usage: gondola COMMAND"},
		{[]string{"-h"}, 0, "usage: gondola COMMAND", ""},
		{[]string{"ruin"}, 2, "", `gondola: "ruin" is no subcommand (gondola -h)`},
		{[]string{"run", "-h"}, 0, "", "usage: gondola run [flags] FILE"},
		{[]string{"run", "-no-such-flag"}, 2, "", "flag provided but not defined"},
	} {
		var out, errs strings.Builder
		code := dispatch(tt.args, strings.NewReader(""), &out, &errs)
		if code != tt.code || !strings.Contains(out.String(), tt.out) || !strings.Contains(errs.String(), tt.errors) {
			t.Errorf("%v: code %d, stdout %q, stderr %q", tt.args, code, out.String(), errs.String())
		}
	}
	var help strings.Builder
	usage(&help)
	for _, c := range commands {
		if !strings.Contains(help.String(), "  "+c.name+" ") || c.does == "" {
			t.Errorf("the help does not tell what %s does", c.name)
		}
	}
}

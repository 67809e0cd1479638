package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/worker"
)

// The test binary is also the worker of its tests.
func TestMain(m *testing.M) {
	if status, done := worker.Main(newEngine); done {
		os.Exit(status)
	}
	if len(os.Args) == 3 && os.Args[1] == "doctor" { // as the doctor starts itself to look at the GPU
		os.Exit(runDoctor(os.Args[2:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestDispatch(t *testing.T) {
	for _, tt := range []struct {
		args        []string
		code        int
		out, errors string
	}{
		{nil, exitUsage, "", "usage: gondola COMMAND"},
		{[]string{"-h"}, exitOK, "usage: gondola COMMAND", ""},
		{[]string{"version"}, exitOK, "gondola ", ""},
		{[]string{"version", "--json"}, exitOK, `"libzmq":`, ""},
		{[]string{"install", "--print", "--env", "A=b"}, exitOK, `"interrupt_mode": "message"`, ""},
	} {
		code, out, errs := dispatched(tt.args...)
		if code != tt.code || !strings.Contains(out, tt.out) || !strings.Contains(errs, tt.errors) ||
			tt.errors == "" && errs != "" {
			t.Errorf("%v: code %d, stdout %q, stderr %q", tt.args, code, out, errs)
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

func dispatched(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = dispatch(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// Every subcommand tells its usage on stdout, for it was asked, and takes a
// mistake with one line on stderr that names the way out.
func TestHelpAndMistakes(t *testing.T) {
	for _, c := range append(slices.Clone(commands), command{name: "loss apml"}, command{name: "loss chamfer-l1"},
		command{name: "bench losses"}, command{name: "bench kernel"}) {
		words := strings.Fields(c.name)
		code, out, errs := dispatched(append(words, "-h")...)
		if code != exitOK || !strings.HasPrefix(out, "usage: gondola "+c.name) || errs != "" {
			t.Errorf("%s -h: code %d, stdout %q, stderr %q", c.name, code, out, errs)
		}
		code, out, errs = dispatched(append(words, "--no-such-flag")...)
		if code != exitUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, " -h)\n") {
			t.Errorf("%s --no-such-flag: code %d, stdout %q, stderr %q", c.name, code, out, errs)
		}
	}
	prefix := t.TempDir()
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"ruin", exitUsage, `"ruin" is no subcommand`},
		{"kernel", exitUsage, "-f FILE is missing"},
		{"run", exitUsage, "no file"},
		{"run nowhere.ipynb", exitUsage, "nowhere.ipynb"},
		{"run --timeout -1s x.go", exitUsage, "negative"},
		{"loss", exitUsage, "no loss is named first; there are apml"},
		{"loss apml nowhere.ply nowhere.ply", exitFailed, "(check the path)"},
		{"loss apml a b --min-prob high", exitUsage, "not a number"},
		{"bench", exitUsage, "there are losses, kernel"},
		{"install --user --prefix " + prefix, exitUsage, "exclude each other"},
		{"install --prefix=", exitUsage, "--prefix is empty"},
		{"install --env K", exitUsage, "want K=V"},
		{"uninstall --name x/y --prefix " + prefix, exitUsage, "use letters"},
		{"uninstall --prefix " + prefix, exitFailed, "gondola list"},
		{"list more", exitUsage, `unexpected argument "more"`},
		{"doctor --require brain", exitUsage, `no part is named "brain"; there are libzmq`},
		{"version more", exitUsage, `unexpected argument "more"`},
	} {
		code, out, errs := dispatched(strings.Fields(tt.args)...)
		if code != tt.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, tt.says) {
			t.Errorf("%s: code %d, want %d; stdout %q, stderr %q, want %q", tt.args, code, tt.code, out, errs, tt.says)
		}
	}
}

package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
)

// selfTests counts them: a path can be loaded once.
var selfTests atomic.Int64

// selfText is a plugin that imports what every cell does and one more package
// of this program, and says so.
const selfText = `package main

import (
	"` + cellapiPath + `"
	_ "` + module + `/kernel/display"
)

func init() { cellapi.Register("PATH", cellapi.Objects{}) }

func main() {}
`

// selfTest builds and loads a plugin, before any cell is compiled: flags,
// version and source folder of this program are seen to fit, or native cells
// are off and the reason is one sentence. What was kept of the packages may be
// of another state of the source, so it is asked for anew before the test fails.
func (t *Toolchain) selfTest(ctx context.Context) error {
	err := t.selfTestOnce(ctx)
	if u := (*Unavailable)(nil); errors.As(err, &u) && u.Part == "selftest" && t.forget() {
		err = t.selfTestOnce(ctx)
	}
	return t.explainSelf(err)
}

func (t *Toolchain) selfTestOnce(ctx context.Context) error {
	path := fmt.Sprintf("%sself%d", prefix, selfTests.Add(1))
	p, err := t.Build(ctx, Unit{
		Path:    path,
		Files:   map[string]string{"self.go": strings.Replace(selfText, "PATH", path, 1)},
		Imports: base,
	})
	if err != nil {
		return err
	}
	_, err = t.Load(p)
	return err
}

// explainSelf adds what a person can look at.
func (t *Toolchain) explainSelf(err error) error {
	if b := (*BuildError)(nil); errors.As(err, &b) {
		os.RemoveAll(b.Kept)
		if line := firstLine(b.Output); strings.HasPrefix(line, "self.go") {
			return &Unavailable{"selftest",
				fmt.Sprintf("the source in %s is not that of this program: %s", t.source, line), sourceAdvice}
		}
		advice := "apt-get install gcc libc6-dev, or what installs a C compiler and the C library's headers here"
		return &Unavailable{"selftest", fmt.Sprintf("a plugin cannot be built by %s and %s: %s",
			goWords(t.version), t.cc[0], complaint(b.Output)), advice}
	}
	if u := (*Unavailable)(nil); errors.As(err, &u) && u.Part == "selftest" {
		return &Unavailable{u.Part,
			fmt.Sprintf("%s (%s, flags %q, source %s)", u.Text, goWords(t.version), t.flags, t.source), u.Advice}
	}
	return err
}

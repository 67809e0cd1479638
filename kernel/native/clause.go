package native

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// The package clause of units. It is main, so that types print as main.P: the
// compiler and the linker import such a package, though the go command would
// not. If those of a later Go refuse it too, cellClause is what clause becomes;
// types print as cell.P then, and a plugin is linked of a package main that
// imports the unit. TestUnits tries both with the Go that it runs by.
const (
	mainClause = "main"
	cellClause = "cell"

	clause = mainClause // of every Go version so far
)

// clauseIn is the text of a unit with the package clause of this toolchain.
func (t *Toolchain) clauseIn(text string) string {
	return strings.Replace(text, "package "+mainClause+"\n", "package "+t.clause+"\n", 1)
}

// linkable makes of the archive of a unit what the linker takes for a program:
// the archive itself, or that of a package main that imports it. It returns the
// archive and its path.
func (t *Toolchain) linkable(ctx context.Context, work string, u Unit) (archive, path string, err error) {
	if t.clause == mainClause {
		return "out.a", u.Path, nil
	}
	path = u.Path + "_" + mainClause
	text := "package main\n\nimport _ \"" + u.Path + "\"\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(work, "main.go"), []byte(text), 0o600); err != nil {
		return "", "", err
	}
	cfg, err := os.OpenFile(filepath.Join(work, "importcfg"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", "", err
	}
	_, err = cfg.WriteString("packagefile " + u.Path + "=out.a\n")
	if e := cfg.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", "", err
	}
	return "main.a", path, t.compile(ctx, work, path, "main.a", []string{"main.go"})
}

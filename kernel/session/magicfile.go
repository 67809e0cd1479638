package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// readText reads a file that becomes text of a cell.
func readText(name string) (path, text string, err error) {
	if path, err = file(name); err != nil {
		return "", "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestText+1))
	switch {
	case err != nil:
		return "", "", err
	case len(b) > longestText:
		return "", "", fmt.Errorf("%s has more than %s bytes", path, grouped(longestText))
	case !utf8.Valid(b) || strings.ContainsRune(string(b), 0):
		return "", "", fmt.Errorf("%s is no text in UTF-8", path)
	}
	return path, strings.ReplaceAll(string(b), "\r\n", "\n"), nil
}

// load gives a file to the front end as the text of the next cell.
func (r *run) load(args string) error {
	_, text, err := readText(args)
	if err != nil {
		return fmt.Errorf("%%load: %w", err)
	}
	r.actions = append(r.actions, engine.Action{Kind: "set_next_input", Text: strings.TrimSuffix(text, "\n")})
	return nil
}

var packageClause = regexp.MustCompile(`(?m)^package[ \t]+[\pL_][\pL\pN_]*[ \t]*;?`)

// file runs a Go file as if its text stood in the place of the magic; a
// package clause means nothing. In errors the lines are those of the file.
func (r *run) file(args string) error {
	path, text, err := readText(args)
	switch {
	case err != nil:
		return fmt.Errorf("%%run: %w", err)
	case filepath.Ext(path) != ".go":
		return fmt.Errorf("%%run %s: it runs files of Go, FILE.go", args)
	}
	if r.running[path] {
		return fmt.Errorf("%%run %s: it runs itself", args)
	}
	if at := packageClause.FindStringIndex(text); at != nil {
		text = text[:at[0]] + strings.Repeat(" ", at[1]-at[0]) + text[at[1]:]
	}
	r.running = with(r.running, path, true)
	defer func() { r.running = with(r.running, path, false) }()
	whole := r.files
	if whole == "" {
		whole = r.cell.Code
	}
	r.files = strings.Replace(whole, lineOf(whole, "%run", args), text, 1)
	text, offset := r.place(text)
	blanked, list := cell.Directives(text)
	if len(list) > 0 && list[0].Whole {
		return fmt.Errorf("%%run %s: it begins with a magic of a cell, %s", args, spelled(list[0].Name, true))
	}
	failed := r.segments(blanked, list)
	if failed == nil {
		return nil
	}
	failed.Value = r.inFile(failed.Value, path, offset)
	for i, l := range failed.Traceback {
		failed.Traceback[i] = r.inFile(l, path, offset)
	}
	return failed
}

// place gives the text of a file its lines in the cell, for what is declared
// there is traced in the text of the cell: its own lines where the cell has no
// others, else those behind all that the cell has by then.
func (r *run) place(text string) (placed string, offset int) {
	number := r.cell.Number
	if !strings.Contains(strings.TrimSpace(r.cell.Code), "\n") {
		r.s.remember(number, text)
		return text, 0
	}
	if r.lines == "" {
		r.lines = r.cell.Code
	}
	offset = strings.Count(r.lines, "\n") + 1
	r.lines += "\n" + text
	r.s.remember(number, r.lines)
	return strings.Repeat("\n", offset) + text, offset
}

var cellLine = regexp.MustCompile(`cell \[(\d+)\]:(\d+)`)

// inFile gives places of the cell that are a file's their names in the file.
func (r *run) inFile(text, path string, offset int) string {
	return cellLine.ReplaceAllStringFunc(text, func(s string) string {
		m := cellLine.FindStringSubmatch(s)
		number, _ := strconv.Atoi(m[1])
		line, _ := strconv.Atoi(m[2])
		if number != r.cell.Number || line <= offset {
			return s
		}
		return fmt.Sprintf("%s:%d", filepath.Base(path), line-offset)
	})
}

// lineOf finds the line of a magic with some arguments in a text.
func lineOf(text, name, args string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.Contains(line, name) && strings.HasSuffix(strings.TrimRight(line, " \t"), args) {
			return line
		}
	}
	return name + " " + args
}

func with(m map[string]bool, key string, on bool) map[string]bool {
	if m == nil {
		m = map[string]bool{}
	}
	m[key] = on
	return m
}

// writeFile writes the text of the cell to a file.
func (r *run) writeFile(d cell.Directive) error {
	name, add := strings.CutPrefix(d.Args, "-a ")
	path, err := file(strings.TrimSpace(name))
	if err != nil {
		return fmt.Errorf("%%%%writefile: %w", err)
	}
	flags, did := os.O_WRONLY|os.O_CREATE|os.O_TRUNC, "wrote"
	if add {
		flags, did = os.O_WRONLY|os.O_CREATE|os.O_APPEND, "added"
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return fmt.Errorf("%%%%writefile: %w", err)
	}
	text := d.Body
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("%%%%writefile: %w", err)
	}
	r.say("%s %s bytes to %s", did, grouped(len(text)), path)
	return nil
}

// exhibit shows the text of a cell.
func exhibit(show func(string) error) func(*run, cell.Directive) error {
	return func(r *run, d cell.Directive) error {
		if r.cell.Silent {
			return nil
		}
		return show(d.Body)
	}
}

// history asks the process around the engine, which has the texts.
func (r *run) history(args string) error {
	if _, err := historyCount(args); err != nil {
		return err
	}
	return action("history")(r, args)
}

// historyCount reads "-n N"; 0 is all.
func historyCount(args string) (n int, err error) {
	if args == "" {
		return 0, nil
	}
	if _, err := fmt.Sscanf(args, "-n %d", &n); err != nil || n < 1 || args != fmt.Sprintf("-n %d", n) {
		return 0, fmt.Errorf("%%history %s: it takes -n N, a number from 1", args)
	}
	return n, nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gondola-lab/gondola/kernel/notebook"
)

// runNotebook is gondola nb: what is done to notebook files without running them.
func runNotebook(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	const usage = "fmt [flags] FILE.ipynb|- ..."
	f := newFlags("nb", usage, stdout, stderr)
	if len(args) == 0 {
		return f.wrong("no verb; there is fmt")
	}
	if args[0] == "fmt" {
		return runNotebookForm(args[1:], stdin, stdout, stderr)
	}
	if isHelp(args[0]) {
		fmt.Fprintf(stdout, "usage: gondola nb %s\n\n  fmt  bring notebooks into the one form that run writes\n", usage)
		return exitOK
	}
	return f.wrong("%q is no verb; there is fmt", args[0])
}

// runNotebookForm writes notebooks in the one form: the bytes that run and
// Jupyter's own tools write. Outputs stay.
func runNotebookForm(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := newFlags("nb fmt", "[--check] FILE.ipynb|- ...", stdout, stderr)
	check := f.Bool("check", false, "name the files that have another form, write nothing, exit 1 if there are any")
	files, code := f.parse(args, -1)
	if code >= 0 {
		return code
	}
	if len(files) == 0 {
		return f.wrong("no file")
	}
	worst := exitOK
	for _, name := range files {
		if code := form(name, *check, stdin, stdout, stderr); worst == exitOK {
			worst = code
		}
	}
	return worst
}

// form brings one notebook into the form and names it if it had another; "-"
// goes from the input to the output.
func form(name string, check bool, stdin io.Reader, stdout, stderr io.Writer) int {
	data, err := readFile(name, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "gondola nb fmt: %v\n", err)
		return exitUsage
	}
	nb, err := notebook.Read(data)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return exitUsage
	}
	formed := nb.Bytes()
	same := bytes.Equal(formed, data)
	switch {
	case check && !same:
		fmt.Fprintln(stdout, name)
		return exitFailed
	case name == "-" && !check:
		if _, err := stdout.Write(formed); err != nil {
			return fail(stderr, "nb fmt", err)
		}
	case !same:
		if err := replace(name, formed, stdout); err != nil {
			return fail(stderr, "nb fmt", err)
		}
		fmt.Fprintln(stdout, name)
	}
	return exitOK
}

// maxFile is how large a file may be; a longer one, or a device without an
// end, is refused before it fills the memory.
const maxFile = 512 << 20

// readFile reads a file, or the input for "-".
func readFile(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	large := func() error { return fmt.Errorf("%s: it has more than %d MB", name, maxFile>>20) }
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if st, err := f.Stat(); err == nil && st.Size() > maxFile {
			return nil, large()
		}
		in = f
	} else if in == nil {
		return nil, errors.New("-: the standard input is for one file; leave -j out")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = large()
	}
	return data, err
}

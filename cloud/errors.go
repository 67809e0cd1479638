package cloud

import (
	"errors"
	"fmt"
	"strings"
)

// The causes of an [Error]; test for them with errors.Is.
var (
	ErrEmpty     = errors.New("no points")
	ErrShape     = errors.New("shapes do not match")
	ErrNotFinite = errors.New("not a finite number")
	ErrWeights   = errors.New("weights are not usable")
	ErrFormat    = errors.New("format is not understood")
	ErrTruncated = error(truncated{}) // is also ErrFormat
	ErrLimit     = errors.New("limit is passed")
	ErrOption    = errors.New("option is not usable")
)

type truncated struct{}

func (truncated) Error() string        { return "file ends too early" }
func (truncated) Is(target error) bool { return target == ErrFormat }

// Error reports a failed operation of this package.
type Error struct {
	Op     string // the function, as in "cloud.Open"
	File   string // path or name of the file, or ""
	Format string // "ply", "pcd" …, or "" before the format is known
	Line   int    // line of a text file or of a header, from 1; zero: see Offset
	Offset int64  // byte offset where reading stood; zero: none, or the very start
	Err    error  // the cause; errors.Is and errors.As see through it
	Advice string // what to do next, one imperative sentence, or ""
}

// Error says operation, file, format, place and cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op + ": ")
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	place := ""
	switch {
	case e.Line > 0:
		place = fmt.Sprintf("line %d", e.Line)
	case e.Offset > 0:
		place = fmt.Sprintf("byte %d", e.Offset)
	}
	if head := strings.TrimSpace(e.Format + " " + place); head != "" {
		b.WriteString(head + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice. Error leaves it out, so logs and tests stay short; a
// notebook prints it under the error.
func (e *Error) Hint() string { return e.Advice }

func shapeError(op, what string) error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %s", ErrShape, what),
		Advice: "give N·D numbers, row after row, and N weights or none"}
}

func notFinite(op string, i, k int, v float64) error {
	return &Error{Op: op, Err: fmt.Errorf("%w: coordinate %d of point %d is %g", ErrNotFinite, k, i, v),
		Advice: "remove or mend the points that hold NaN, Inf or numbers above 3.4e38"}
}

func optionError(op, field string, got any, want string) error {
	return &Error{Op: op, Err: fmt.Errorf("%w: %s is %v", ErrOption, field, got),
		Advice: "give " + field + " " + want}
}

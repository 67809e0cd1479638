package cloud

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// input is a file on its way in. It is read front to back and knows where it
// stands, how much may be left, and how to say so in an error.
type input struct {
	r      *bufio.Reader
	src    io.Reader // what r reads, for the archive that needs random access
	base   int64     // offset at which src stood
	op     string
	format string
	opt    Options // limits resolved
	size   int64   // bytes in all, or −1 where nobody knows
	told   bool    // size is only what an archive says: a bound, no reason to allocate
	off    int64   // bytes taken
	line   int     // lines taken
	text   bool    // errors name the line, not the offset
	end    byte    // '\n', or '\r' in a file whose first line ends so; zero: not seen yet
	header int     // bytes that the header may still have; negative: not in a header
	long   []byte  // a line longer than the buffer

	keepNaN bool // an array of an archive: points with NaN are looked at when all arrays are read
}

func newInput(op string, r io.Reader, opt Options) (*input, error) {
	lim, err := opt.Limits.resolve(op)
	if err != nil {
		return nil, err
	}
	opt.Limits = lim
	in := &input{src: r, op: op, opt: opt, header: -1}
	in.size, in.base = sizeOf(r)
	if in.size > lim.MaxBytes {
		return nil, in.fail(ErrLimit, "raise Limits.MaxBytes", "%d bytes, %d allowed", in.size, lim.MaxBytes)
	}
	in.r = bufio.NewReaderSize(&capped{r: r, left: lim.MaxBytes, max: lim.MaxBytes}, 64<<10)
	return in, nil
}

// sizeOf returns the bytes that r still holds and where it stands, or −1 and 0
// for a stream. A size of zero is no promise: /proc says so of every file.
func sizeOf(r io.Reader) (size, base int64) {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
			return -1, 0
		}
	}
	if s, ok := r.(io.Seeker); ok {
		base, err := s.Seek(0, io.SeekCurrent)
		if err != nil {
			return -1, 0
		}
		end, err := s.Seek(0, io.SeekEnd)
		if _, back := s.Seek(base, io.SeekStart); err != nil || back != nil || end <= base {
			return -1, 0
		}
		return end - base, base
	}
	if l, ok := r.(interface{ Len() int }); ok && l.Len() > 0 {
		return int64(l.Len()), 0
	}
	return -1, 0
}

// capped ends a stream that is longer than allowed with ErrLimit.
type capped struct {
	r         io.Reader
	left, max int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		var one [1]byte
		n, err := c.r.Read(one[:])
		if n > 0 {
			return 0, fmt.Errorf("%w: more than %d bytes", ErrLimit, c.max)
		}
		return 0, err
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// fail makes the error of this file at this place.
func (in *input) fail(cause error, advice, what string, args ...any) error {
	e := &Error{Op: in.op, File: in.opt.Name, Format: in.format, Advice: advice,
		Err: fmt.Errorf("%w: %s", cause, fmt.Sprintf(what, args...))}
	if in.text {
		e.Line = in.line
	} else {
		e.Offset = in.off
	}
	return e
}

// broken turns an error of the underlying reader into one of this file.
func (in *input) broken(err error) error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return in.short("more data is expected")
	}
	advice := "check that the file can be read"
	if errors.Is(err, ErrLimit) {
		advice = "raise Limits.MaxBytes"
	}
	e = &Error{Op: in.op, File: in.opt.Name, Format: in.format, Offset: in.off, Err: err, Advice: advice}
	return e
}

// short is the error of a file that ends too early.
func (in *input) short(what string, args ...any) error {
	return in.fail(ErrTruncated, "get the whole file again", what, args...)
}

// bad is the error of a file that breaks the rules of its format.
func (in *input) bad(what string, args ...any) error {
	return in.fail(ErrFormat, "mend the file, or export it again", what, args...)
}

// note tells the caller a sentence that is no error.
func (in *input) note(what string, args ...any) {
	if in.opt.Note != nil {
		in.opt.Note(fmt.Sprintf(what, args...))
	}
}

// holds refuses a count of things of at least each bytes that the rest of the
// file cannot hold, before anything is allocated for them.
func (in *input) holds(count int64, each int64, what string) error {
	switch rest := in.size - in.off; {
	case count < 0:
		return in.bad("a negative number of %s: %d", what, count)
	case count == 0 || each == 0:
		return nil
	case count > (in.opt.Limits.MaxBytes+1)/each:
		return in.fail(ErrLimit, "raise Limits.MaxBytes, or read a smaller file",
			"%d %s are more than %d bytes hold", count, what, in.opt.Limits.MaxBytes)
	case in.size < 0:
		return nil
	case count > (rest+1)/each: // +1: the last line may lack its end
		return in.short("%d %s are promised, the %d bytes left hold at most %d", count, what, rest, (rest+1)/each)
	}
	return nil
}

// points refuses a count of points that is negative, above the limit or larger
// than the rest of the file could hold.
func (in *input) points(count, each int64) error {
	if count > int64(in.opt.Limits.MaxPoints) {
		return in.fail(ErrLimit, "raise Limits.MaxPoints, or read a smaller file",
			"%d points, %d allowed", count, in.opt.Limits.MaxPoints)
	}
	return in.holds(count, each, "points")
}

// next returns the next line without its end, valid until the following call,
// or io.EOF.
func (in *input) next() ([]byte, error) {
	in.text = true
	if in.end == 0 {
		in.end = lineEnd(in.r)
	}
	most := in.opt.Limits.MaxLine
	if in.header >= 0 {
		most = min(most, in.header)
	}
	line, err := in.r.ReadSlice(in.end)
	if err == bufio.ErrBufferFull {
		in.long = append(in.long[:0], line...)
		for err == bufio.ErrBufferFull && len(in.long) <= most {
			line, err = in.r.ReadSlice(in.end)
			in.long = append(in.long, line...)
		}
		line = in.long
	}
	in.off += int64(len(line))
	in.line++
	switch {
	case len(line) > most && in.header >= 0:
		return nil, in.fail(ErrLimit, "raise Limits.MaxHeader", "the header is longer than %d bytes", in.opt.Limits.MaxHeader)
	case len(line) > most:
		return nil, in.fail(ErrLimit, "raise Limits.MaxLine", "the line is longer than %d bytes", most)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, in.broken(err)
	}
	if in.header >= 0 {
		in.header -= len(line)
	}
	if n := len(line); line[n-1] == in.end {
		line = line[:n-1]
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// lineEnd looks at the first line: '\r' if it ends so and no '\n' follows.
func lineEnd(r *bufio.Reader) byte {
	head, _ := r.Peek(r.Size())
	i := bytes.IndexAny(head, "\r\n")
	if i >= 0 && i+1 < len(head) && head[i] == '\r' && head[i+1] != '\n' {
		return '\r'
	}
	return '\n'
}

// data returns the next line that is neither blank nor a comment.
func (in *input) data(comments ...string) ([]byte, error) {
next:
	for {
		line, err := in.next()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		for _, c := range comments {
			if bytes.HasPrefix(line, []byte(c)) {
				continue next
			}
		}
		return line, nil
	}
}

// full fills b from the body of a binary file.
func (in *input) full(b []byte) error {
	in.text = false
	n, err := io.ReadFull(in.r, b)
	in.off += int64(n)
	if err != nil {
		return in.broken(err)
	}
	return nil
}

// body reads n bytes.
func (in *input) body(n int) ([]byte, error) {
	if in.size > 0 && int64(n) <= in.size-in.off {
		b := make([]byte, n)
		return b, in.full(b)
	}
	var all column[byte]
	block := make([]byte, min(n, 64<<10))
	for n > 0 {
		b := block[:min(n, len(block))]
		if err := in.full(b); err != nil {
			return nil, err
		}
		all.add(b...)
		n -= len(b)
	}
	return all.join(), nil
}

// skip passes over n bytes of the body of a binary file.
func (in *input) skip(n int64) error {
	in.text = false
	for n > 0 {
		k, err := in.r.Discard(int(min(n, 1<<30)))
		in.off += int64(k)
		n -= int64(k)
		if err != nil {
			return in.broken(err)
		}
	}
	return nil
}

// tail notes bytes behind the last datum of a binary file.
func (in *input) tail() {
	if _, err := in.r.Peek(1); err != nil {
		return
	}
	if in.size > in.off {
		in.note("%d bytes behind the last datum are ignored", in.size-in.off)
		return
	}
	in.note("bytes behind the last datum are ignored")
}

// tailText notes lines behind the last datum of a text file.
func (in *input) tailText() error {
	extra := 0
	for {
		_, err := in.data()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		extra++
	}
	if extra > 0 {
		in.note("%d lines behind the last datum are ignored", extra)
	}
	return nil
}

package cellapi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

// One line is read in pieces; the next is asked for when it is used up.
func TestStdinAsks(t *testing.T) {
	lines := []string{"one", "", "two"}
	defer SetInput(func() (string, error) {
		if len(lines) == 0 {
			return "", errors.New("no more")
		}
		l := lines[0]
		lines = lines[1:]
		return l, nil
	})()
	r := In[io.Reader](os.Stdin)
	var got []string
	for range 4 {
		b := make([]byte, 3)
		n, err := r.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b[:n]))
	}
	if want := []string{"one", "\n", "\n", "two"}; !equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	var all bytes.Buffer
	if n, err := io.Copy(&all, r); n != 1 || err == nil || err.Error() != "no more" {
		t.Errorf("copied %d bytes, %v", n, err)
	}
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("a read of nothing: %d, %v", n, err)
	}
}

func equal(a, b []string) bool {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// Other files, and os.Stdin of a program, are themselves.
func TestInKeepsFiles(t *testing.T) {
	if f, ok := In[io.Reader](os.Stdin).(*os.File); !ok || f != os.Stdin {
		t.Error("without an asker os.Stdin is not itself")
	}
	defer SetInput(func() (string, error) { return "", nil })()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if g, ok := In[io.Reader](f).(*os.File); !ok || g != f {
		t.Error("another file is not itself")
	}
	if n, err := ReadFile(f, make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("another file reads %d, %v", n, err)
	}
	if In[io.ReadSeekCloser](os.Stdin) == nil {
		t.Error("a wider interface has no reader")
	}
}

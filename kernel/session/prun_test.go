package session

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"
)

// put writes fields of a protocol buffer: tag, then bytes or a small number.
func put(parts ...any) (out []byte) {
	for i := 0; i < len(parts); i += 2 {
		tag := byte(parts[i].(int)) << 3
		switch v := parts[i+1].(type) {
		case int:
			out = append(out, tag, byte(v))
		case string:
			out = append(append(out, tag|2, byte(len(v))), v...)
		case []byte:
			out = append(append(out, tag|2, byte(len(v))), v...)
		}
	}
	return out
}

// Three samples of 10 ns: f twice below g, one of them by way of itself, and g
// alone once.
func TestReadProfile(t *testing.T) {
	raw := put(
		2, put(1, []byte{1, 2}, 2, []byte{1, 10}),
		2, put(1, []byte{1, 1, 2}, 2, []byte{1, 10}),
		2, put(1, 2, 2, 1, 2, 10), // not packed
		4, put(1, 1, 4, put(1, 7)), 4, put(1, 2, 4, put(1, 8)),
		5, put(1, 7, 2, 1), 5, put(1, 8, 2, 2),
		6, "", 6, "gondola.io/lib.f", 6, "main.g", 10, 5)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(raw)
	w.Close()
	rows, err := readProfile(&z)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]time.Duration{}
	for _, s := range rows {
		got[s.name] = [2]time.Duration{s.flat, s.cum}
	}
	if want := [2]time.Duration{20, 20}; len(got) != 2 || got["lib.f"] != want {
		t.Errorf("%v, want lib.f %v", got, want)
	}
	if want := [2]time.Duration{10, 30}; got["main.g"] != want {
		t.Errorf("%v, want main.g %v", got, want)
	}
	for n := range raw {
		fields(raw[:n]) // cut anywhere: no panic
	}
	if _, err := fields([]byte{2<<3 | 2, 200}); err == nil {
		t.Error("a length without its bytes is read")
	}
}

package cloud

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestXYZ(t *testing.T) {
	three := Cloud{N: 2, D: 3, X: []float32{1, 2, 3, 4, 5, 6}}
	two := Cloud{N: 2, D: 2, X: []float32{1, 2, 4, 5}}
	with := func(name string, v ...float32) Cloud {
		c := three.Clone()
		c.Attr = map[string][]float32{name: v}
		return c
	}
	pts := with("intensity", 7, 8)
	pts.Attr["red"], pts.Attr["green"], pts.Attr["blue"] = []float32{1, 4}, []float32{2, 5}, []float32{3, 6}
	normal := three.Clone()
	normal.Attr = map[string][]float32{"nx": {7, 1}, "ny": {8, 2}, "nz": {9, 3}}
	weighted := two.Clone()
	weighted.W = []float64{.1, .2}
	for name, tt := range map[string]struct {
		text string
		opt  Options
		want Cloud
	}{
		"blanks":                          {"1 2 3\n4 5 6\n", Options{}, three},
		"tabs and blanks":                 {"\t1\t 2 3  \n\n4 5\t6", Options{}, three},
		"commas":                          {"1,2,3\n4, 5 ,6\n", Options{}, three},
		"semicolons":                      {"1;2;3\n4;5;6\n", Options{}, three},
		"CRLF":                            {"1 2 3\r\n4 5 6\r\n", Options{}, three},
		"lone CR":                         {"1 2 3\r4 5 6\r", Options{}, three},
		"BOM":                             {"\xef\xbb\xbf1 2 3\n4 5 6\n", Options{}, three},
		"exponents":                       {"1e0 +2 .3e1\n40E-1 5. 600e-02\n", Options{}, three},
		"comments":                        {"# made by hand\n1 2 3\n// half\n4 5 6\n", Options{}, three},
		"header":                          {"x y z\n1 2 3\n4 5 6\n", Options{}, three},
		"header in capitals":              {"\"Z\",\"Y\",\"X\"\n3,2,1\n6,5,4\n", Options{}, three},
		"comments behind":                 {"1 2 3 # a\n# b\n4 5 6# c\n", Options{}, three},
		"header in a comment":             {"//X Y Z i\n1 2 3 7\n4 5 6 8\n", Options{}, with("i", 7, 8)},
		"a column of no name":             {",x,y,z\n7,1,2,3\n8,4,5,6\n", Options{Format: "csv"}, with("c1", 7, 8)},
		"fourth column":                   {"1 2 3 7\n4 5 6 8\n", Options{}, with("c4", 7, 8)},
		"PTS":                             {"2\n1 2 3 7\n4 5 6 8\n", Options{}, with("intensity", 7, 8)},
		"PTS with colours":                {"2\n1 2 3 7 1 2 3\n4 5 6 8 4 5 6\n", Options{}, pts},
		"normals by suffix":               {"1 2 3 7 8 9\n4 5 6 1 2 3\n", Options{Name: "a.xyzn"}, normal},
		"two columns":                     {"1 2\n4 5\n", Options{}, two},
		"one column":                      {"1\n2\n", Options{}, Cloud{N: 2, D: 1, X: []float32{1, 2}}},
		"one number":                      {"1.5\n", Options{}, Cloud{N: 1, D: 1, X: []float32{1.5}}},
		"columns by number":               {"9 1 2 3\n9 4 5 6\n", Options{Columns: []string{"2", "3", "4"}}, three},
		"columns by number behind a word": {"H 1 2 3\nO 4 5 6\n", Options{Format: "xyz", Columns: []string{"2", "3", "4"}}, three},
		"columns by number, names": {"a b c d\nO 1 2 3\nH 4 5 6\n",
			Options{Format: "xyz", Columns: []string{"2", "3", "4"}}, three},
		"columns by name in a comment": {"# made by hand\n# lat lon\n2 1\n5 4\n",
			Options{Columns: []string{"lon", "lat"}}, two},
		"columns by name": {"id,east,north\na,1,2\nb,4,5\n", Options{Format: "csv", Columns: []string{"East", "north"}},
			two},
		"quoted separators": {"\"id, old\";east;\"a;b\";north\n\"a;,\";1;x;2\nb;4;\"\";5\n",
			Options{Format: "csv", Columns: []string{"east", "north"}}, two},
		"weight":       {"x,y,weight\n1,2,.1\n4,5,.2\n", Options{}, weighted},
		"NaN left out": {"1 2 3\nnan 2 3\n4 5 6\n", Options{DropNaN: true}, three},
	} {
		got, _ := read(t, tt.text, tt.opt)
		sameBits(t, name, got, tt.want)
	}
	if _, notes := read(t, "1\n1 2 3\n4 5 6\n", Options{}); len(notes) != 1 {
		t.Errorf("a line behind the count: notes %q", notes)
	}
	for _, columns := range [][]string{{"7"}, {"0"}, {"1", "1"}, {"east"}} {
		_, err := Read(strings.NewReader("1 2 3\n"), Options{Columns: columns})
		if !errors.Is(err, ErrOption) || hint(err) == "" {
			t.Errorf("columns %q: %v", columns, err)
		}
	}
}

func TestOFFAndOBJ(t *testing.T) {
	three := Cloud{N: 2, D: 3, X: []float32{1, 2, 3, 4, 5, 6}}
	colour := three.Clone()
	colour.Attr = map[string][]float32{"red": {.1, 1}, "green": {.2, 1}, "blue": {.3, 1}}
	veil := colour.Clone()
	veil.Attr["alpha"] = []float32{0, 1}
	normal := three.Clone()
	normal.Attr = map[string][]float32{"nx": {.1, 1}, "ny": {.2, 1}, "nz": {.3, 1}}
	for name, tt := range map[string]struct {
		text, format string
		want         Cloud
	}{
		"off":                   {"OFF\n2 1 0\n1 2 3\n4 5 6\n3 0 1 1\n", "", three},
		"off, counts on line 1": {"OFF 2 0 0\n1 2 3\n4 5 6\n", "", three},
		"off, comments":         {"# a\nOFF # b\n# c\n\n2 0 0 # d\n1 2 3 # e\n# f\n4 5 6\n", "", three},
		"off, no magic":         {"2 0 0\n1 2 3\n4 5 6\n", "off", three},
		"coff":                  {"COFF\n2 0 0\n1 2 3 .1 .2 .3\n4 5 6 1 1 1\n", "", colour},
		"coff with alpha":       {"COFF\n2 0 0\n1 2 3 .1 .2 .3 0\n4 5 6 1 1 1 1\n", "", veil},
		"noff":                  {"NOFF\n2 0 0\n1 2 3 .1 .2 .3\n4 5 6 1 1 1\n", "", normal},
		"obj":                   {"# a\nmtllib m\no a\nv 1 2 3\nv  4 5\t6 # b\nvn 0 0 1\nf -1 -2 1\n", "", three},
		"obj with w":            {"v 1 2 3 1.0\nv 4 5 6 1\n", "", three},
		"obj with colours":      {"v 1 2 3 .1 .2 .3\nv 4 5 6 1 1 1\n", "", colour},
		"obj, broken line":      {"v 1 2 3\nf 1 2 \\\nv 9\nv 4 5 6\n", "", three},
	} {
		got, notes := read(t, tt.text, Options{Format: tt.format})
		sameBits(t, name, got, tt.want)
		if len(notes) > 0 {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
	if _, notes := read(t, "OFF\n1 0 0\n1 2 3\n4 5 6\n", Options{}); len(notes) != 1 {
		t.Errorf("a line behind: notes %q", notes)
	}
}

// parse32 is strconv for every decimal number: random bits, random digits, and
// numbers beside the middle between two float32.
func TestParse32(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, wantErr := strconv.ParseFloat(text, 32)
		got, err := parse32([]byte(text))
		if (err != nil) != (wantErr != nil) || err == nil && math.Float32bits(got) != math.Float32bits(float32(want)) {
			t.Errorf("%q: %g, %v; strconv has %g, %v", text, got, err, want, wantErr)
		}
	}
	for _, text := range []string{"0", "-0", "+0.0", "1.", ".5", "00012.500", "1e5", "1E+5",
		"1e-05", "-1e-45", "3.4028235e38", "1e39", "1e999", "1e-999",
		"16777217", "16777217.0000000001", "16777216.9999999999", "9007199254740993",
		"0.000000000000000000000000000001", "1e22", "1e23", "8388608.5",
		"", "-", ".", "e5", "1e", "1e+", "1.2.3", "--1",
		"1e5.5", "12345678901234567890123", "000000000000000000000001", "33554431.5"} {
		check(text)
	}
	rnd := rand.New(rand.NewPCG(1, 32))
	for range 20000 {
		f := math.Float32frombits(rnd.Uint32())
		if f-f != 0 {
			continue
		}
		for _, format := range []byte("gef") {
			check(strconv.FormatFloat(float64(f), format, -1, 32))
		}
		check(strconv.FormatFloat(float64(f), 'e', 18, 64))
		mid := (float64(f) + float64(math.Nextafter32(f, math.MaxFloat32))) / 2
		for _, digits := range []int{-1, 14, 15, 16, 17, 18} {
			check(strconv.FormatFloat(mid, 'e', digits, 64))
		}
		check(strconv.FormatFloat(rnd.NormFloat64()*1000, 'f', rnd.IntN(12), 64))
	}
	for text, want := range map[string]float64{"nan": math.NaN(), "-NaN": math.NaN(), "Inf": math.Inf(1),
		"-infinity": math.Inf(-1)} {
		if got, err := parse32([]byte(text)); err != nil || !(float64(got) == want || got != got && want != want) {
			t.Errorf("%s: %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"0x1p3", "1_000", "nanny", "1f", "one", "1 2"} {
		if v, err := parse32([]byte(text)); err != errSyntax {
			t.Errorf("%q: %g, %v", text, v, err)
		}
	}
}

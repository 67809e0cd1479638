package cloud

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"
)

const plyHead = "ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n"

func pcdText(points string, fields, size, kind, data string) string {
	return "VERSION 0.7\nFIELDS " + fields + "\nSIZE " + size + "\nTYPE " + kind + "\nPOINTS " + points + "\nDATA " +
		data + "\n"
}

// Each file is refused by the right cause at the right place, with advice, both
// where its size is known and as a stream.
func TestHostile(t *testing.T) {
	xyz := func(points, data string) string { return pcdText(points, "x y z", "4 4 4", "F F F", data) }
	npy := func(head string, body int) string {
		return npyMagic + "\x01\x00" + string([]byte{byte(len(head)), byte(len(head) >> 8)}) + head +
			strings.Repeat("\x00", body)
	}
	for _, tt := range []struct {
		name, format, text string
		want               error
		place              string // part of the message
	}{
		{"10⁹ points in 200 bytes", "",
			fmt.Sprintf(plyHead, "binary_little_endian", 1_000_000_000) + strings.Repeat("\x00", 80), ErrLimit,
			"1000000000 points"},
		{"10⁷ points in 200 bytes", "",
			fmt.Sprintf(plyHead, "binary_little_endian", 10_000_000) + strings.Repeat("\x00", 80), ErrTruncated, ""},
		{"10⁷ points of text", "", fmt.Sprintf(plyHead, "ascii", 10_000_000) + "1 2 3\n", ErrTruncated, ""},
		{"10¹⁷ faces", "",
			"ply\nformat binary_little_endian 1.0\nelement face 99999999999999999\n" +
				"property list uchar int v\nelement vertex 1\nproperty float x\nend_header\n" +
				"\x00\x00\x00\x00", ErrLimit, "element face"},
		{"a count beyond int64", "ply",
			fmt.Sprintf(strings.Replace(plyHead, "%d", "%s", 1), "ascii", "99999999999999999999"), ErrFormat, "line 3"},
		{"negative count", "", fmt.Sprintf(plyHead, "ascii", -5) + "1 2 3\n", ErrFormat, "line 3"},
		{"truncated text", "", fmt.Sprintf(plyHead, "ascii", 2) + "1.0 2.0 3.0 \n", ErrTruncated, "point 1 of 2"},
		{"truncated in a header", "", "ply\nformat ascii 1.0\nelement vertex 1\n", ErrTruncated, "end_header"},
		{"list of length 2³¹", "",
			"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint int v\n" +
				"element vertex 1\nproperty float x\nend_header\n" +
				"\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00", ErrLimit, "2147483648 values"},
		{"list of length −1", "",
			"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list char int v\n" +
				"element vertex 1\nproperty float x\nend_header\n\xff\x00\x00\x00\x00\x00", ErrFormat, "length -1"},
		{"no vertices", "", fmt.Sprintf(plyHead, "ascii", 0), ErrEmpty, ""},
		{"no x", "", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float y\nend_header\n1\n", ErrFormat, "no column x"},
		{"names without x", "xyz", "hello\nworld\n", ErrFormat, "line 1: "},
		{"two x", "",
			"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float x\nend_header\n1 2\n", ErrFormat,
			"two columns"},
		{"nan in ply", "", fmt.Sprintf(plyHead, "ascii", 1) + "1 nan 3\n", ErrNotFinite, "line 8"},
		{"NaN in binary ply", "",
			fmt.Sprintf(plyHead, "binary_little_endian", 2) + strings.Repeat("\x00", 15) + "\x00\x00\x00\xc0\x7f" +
				"\x00\x00\x00\x00",
			ErrNotFinite, "coordinate 1 of point 1"},
		{"endless header", "", "ply\nformat ascii 1.0\n" + strings.Repeat("comment again\n", 10_000), ErrLimit, "header"},
		{"endless header line", "", "ply\nformat ascii 1.0\ncomment" + strings.Repeat(" again", 200_000), ErrLimit, "header"},
		{"300 properties", "",
			"ply\nformat ascii 1.0\nelement vertex 1\n" + strings.Repeat("property float x\n", 300), ErrLimit, "256"},
		{"endless line", "xyz", strings.Repeat("1 ", 800_000), ErrLimit, "line 1"},
		{"truncated binary pcd", "", xyz("3", "binary") + strings.Repeat("\x00", 30), ErrTruncated, ""},
		{"truncated packed pcd", "",
			xyz("3", "binary_compressed") + "\x40\x00\x00\x00\x24\x00\x00\x00\x00", ErrTruncated, ""},
		{"packed pcd, wrong size", "",
			xyz("3", "binary_compressed") + "\x01\x00\x00\x00\xff\xff\xff\x7f\x00", ErrFormat, "2147483647"},
		{"packed pcd of 10⁸ points in a byte", "",
			xyz("100000000", "binary_compressed") + "\x01\x00\x00\x00\x00\x8c\x86\x47\x00", ErrFormat, "cannot unpack"},
		{"packed pcd, damaged", "",
			pcdText("1", "x", "4", "F", "binary_compressed") + "\x02\x00\x00\x00\x04\x00\x00\x00\x20\x00", ErrFormat, "damaged"},
		{"negative pcd", "", xyz("-3", "ascii") + "1 2 3\n", ErrFormat, "POINTS"},
		{"pcd of 2⁴⁰ by 2⁴⁰", "",
			"VERSION .7\nFIELDS x\nSIZE 4\nTYPE F\nWIDTH 1099511627776\nHEIGHT 1099511627776\nDATA ascii\n1\n", ErrLimit, ""},
		{"huge padding", "",
			"VERSION .7\nFIELDS _ x\nSIZE 65536 4\nTYPE U F\nCOUNT 1048576 1\nWIDTH 1\nDATA binary\n1234", ErrLimit, "bytes"},
		{"nan in xyz", "xyz", "1 2 3\n4 nan 6\n", ErrNotFinite, "line 2"},
		{"1e999", "xyz", "1 2 3\n\n4 5 1e999\n", ErrNotFinite, "line 3"},
		{"1e39: above float32", "csv", "x,y\n1,1e39\n", ErrNotFinite, "line 2"},
		{"inf", "xyz", "1 -inf 3\n", ErrNotFinite, "line 1"},
		{"a word", "xyz", "1 2 3\n4 five 6\n", ErrFormat, "line 2: format is not understood: column 2"},
		{"hexadecimal", "xyz", "1 2 0x3p1\n", ErrFormat, "0x3p1"},
		{"too few columns", "xyz", "1 2 3\n4 5\n", ErrFormat, "line 2"},
		{"too many columns", "xyz", "1 2 3\n4 5 6 7\n", ErrFormat, "line 2"},
		{"decimal commas", "xyz", "1,5 2,5 3,5\n", ErrFormat, "line 1"},
		{"decimal commas, semicolons", "csv", "1,5;2,5;3,5\n", ErrFormat, "line 1"},
		{"an empty cell", "csv", "x,y,z\n1,,3\n", ErrFormat, "line 2"},
		{"pts with too few", "xyz", "3\n1 2 3\n4 5 6\n", ErrTruncated, "3 points are promised"},
		{"pts with 10⁷", "xyz", "10000000\n1 2 3\n4 5 6\n", ErrTruncated, ""},
		{"only a comment", "xyz", "# nothing\n", ErrEmpty, ""},
		{"nothing", "xyz", "", ErrEmpty, ""},
		{"binary in xyz", "xyz", "1 2 3\n\x00\x01\x02 2 3\n", ErrFormat, "line 2"},
		{"weight −1", "csv", "x,weight\n1,-1\n", ErrWeights, "line 2"},
		{"all weights zero", "csv", "x,weight\n1,0\n2,0\n", ErrWeights, ""},
		{"weights of infinite sum", "csv", "x,weight\n1,1e308\n2,1e308\n", ErrWeights, "sum"},
		{"off, 10⁸ vertices", "", "OFF\n99999999 0 0\n1 2 3\n", ErrTruncated, ""},
		{"off, negative", "", "OFF\n-1 0 0\n1 2 3\n", ErrFormat, "line 2"},
		{"off, faces missing", "", "OFF\n1 1 0\n1.25 2.25 3.25\n", ErrTruncated, "face 0"},
		{"binary off", "", "OFF BINARY\n\x00\x00", ErrFormat, "binary OFF"},
		{"4OFF", "", "4OFF\n1 0 0\n1 2 3 4\n", ErrFormat, "4OFF"},
		{"obj without points", "", "f 1 2 3\n", ErrEmpty, ""},
		{"obj, mixed", "", "v 1 2 3\nv 1 2 3 1 0 0\n", ErrFormat, "line 2"},
		{"obj, fourth coordinate", "", "v 1 2 3 2\n", ErrFormat, "line 1"},
		{"npy, 10⁸ rows", "",
			npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 3), }", 24), ErrTruncated, ""},
		{"npy, 10¹⁰ rows", "", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 3), }", 24), ErrLimit, ""},
		{"npy, overflow", "",
			npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 1), }", 24), ErrLimit, ""},
		{"npy, truncated", "", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23), ErrTruncated, ""},
		{"npy, negative", "", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }", 24), ErrFormat, "-2"},
		{"npy, ints", "", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 3), }", 24), ErrFormat, "<i8"},
		{"npy, records", "",
			npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4), ErrFormat, "plain array"},
		{"npy, four axes", "",
			npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1), }", 4), ErrShape, "4 axes"},
		{"npy, two clouds", "",
			npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 1), }", 8), ErrShape, "2 clouds"},
		{"npy, no newline, no dictionary", "", npy("", 8), ErrFormat, "dictionary"},
		{"npy, header of 4 GiB", "", npyMagic + "\x02\x00\xff\xff\xff\xff{", ErrLimit, "header"},
		{"npz, no archive", "npz", "PK\x03\x04 and nothing else", ErrFormat, ""},
		{"raw, a rest", "raw", strings.Repeat("\x00", 25), ErrTruncated, ""},
	} {
		for kind, r := range map[string]io.Reader{
			"known size": strings.NewReader(tt.text), "stream": io.MultiReader(strings.NewReader(tt.text)),
		} {
			c, err := Read(r, Options{Format: tt.format, Stride: 3, Name: "evil"})
			if !errors.Is(err, tt.want) || hint(err) == "" || !strings.Contains(fmt.Sprint(err), "evil") {
				t.Errorf("%s, %s: %v, %v; want %v with a hint", tt.name, kind, c, err, tt.want)
			} else if !strings.Contains(err.Error(), tt.place) {
				t.Errorf("%s, %s: %q does not say %q", tt.name, kind, err, tt.place)
			}
		}
	}
}

// A file that promises much and holds little costs little memory.
func TestHostileMemory(t *testing.T) {
	las := lasFile(2, 0, 0, 0)[:227+4]
	binary.LittleEndian.PutUint32(las[107:], 99_000_000)
	for name, text := range map[string]string{
		"ply":  fmt.Sprintf(plyHead, "binary_little_endian", 99_000_000) + "1234",
		"pcd":  pcdText("99000000", "x y z", "4 4 4", "F F F", "binary") + "1234",
		"npy":  npyText("<f4", []int{99_000_000, 3}) + "1234",
		"las":  string(las),
		"off":  "OFF 99000000 0 0\n1 2 3\n",
		"pts":  "99000000\n1 2 3\n",
		"npz":  string(archiveOf(t, 3_000_000_000)),
		"pack": pcdText("99000000", "x", "4", "F", "binary_compressed") + "\x00\x00\x00\x7f\x80\xdd\x9a\x17" + "1234",
	} {
		for kind, r := range map[string]io.Reader{
			"known size": strings.NewReader(text), "stream": io.MultiReader(strings.NewReader(text)),
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(r, Options{})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrFormat) || used > 2*ahead {
				t.Errorf("%s, %s: %d bytes allocated, %v", name, kind, used, err)
			}
		}
	}
}

// Limits hold for what a file unpacks to.
func TestLimitsUnpacked(t *testing.T) {
	data := make([]byte, 4*10_000)
	packed := packLZF(data)
	sizes := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(packed))), uint32(len(data)))
	file := pcdText("10000", "x", "4", "F", "binary_compressed") + string(sizes) + string(packed)
	if c, err := Read(strings.NewReader(file), Options{}); err != nil || c.N != 10_000 {
		t.Fatalf("%v, %v", c, err)
	}
	_, err := Read(strings.NewReader(file), Options{Limits: Limits{MaxBytes: int64(len(data)) - 1}})
	if !errors.Is(err, ErrLimit) || hint(err) == "" {
		t.Errorf("%d bytes of %d: %v", len(file), len(data), err)
	}
}

func TestLimits(t *testing.T) {
	text := "1 2 3\n4 5 6\n7 8 9\n"
	for name, tt := range map[string]struct {
		lim  Limits
		want error
	}{
		"points":          {Limits{MaxPoints: 2}, ErrLimit},
		"as many points":  {Limits{MaxPoints: 3}, nil},
		"bytes":           {Limits{MaxBytes: 17}, ErrLimit},
		"as many bytes":   {Limits{MaxBytes: 18}, nil},
		"line":            {Limits{MaxLine: 5}, ErrLimit},
		"as long a line":  {Limits{MaxLine: 6}, nil},
		"columns":         {Limits{MaxProps: 2}, ErrLimit},
		"as many columns": {Limits{MaxProps: 3}, nil},
		"negative":        {Limits{MaxLine: -1}, ErrOption},
	} {
		for kind, r := range map[string]io.Reader{
			"known size": strings.NewReader(text), "stream": io.MultiReader(strings.NewReader(text)),
		} {
			if _, err := Read(r, Options{Limits: tt.lim}); !errors.Is(err, tt.want) || err != nil && hint(err) == "" {
				t.Errorf("%s, %s: %v, want %v", name, kind, err, tt.want)
			}
		}
	}
}

// archiveOf is a small archive whose directory and array promise size bytes.
func archiveOf(t *testing.T, size uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	text := npyText("<f4", []int{int(size) / 16, 3})
	z := zip.NewWriter(&b)
	f, err := z.CreateRaw(&zip.FileHeader{Name: "x.npy", Method: zip.Store, CompressedSize64: size,
		UncompressedSize64: size})
	if err == nil {
		_, err = io.WriteString(f, text)
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archive packs entries: names and contents in turn.
func archive(t testing.TB, method uint16, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := z.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err == nil {
			_, err = io.WriteString(f, entries[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileArchives(t *testing.T) {
	points := npyText("<f4", []int{2, 3}) + strings.Repeat("\x00", 24)
	bomb := archive(t, zip.Deflate, "x.npy", npyText("<f4", []int{3_000_000, 3})+strings.Repeat("\x00", 36_000_000))

	lie := &bytes.Buffer{} // an entry that unpacks to more than the directory says
	z := zip.NewWriter(lie)
	f, err := z.CreateRaw(&zip.FileHeader{Name: "x.npy", Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(points)),
		CompressedSize64: uint64(len(points)), UncompressedSize64: uint64(len(points) - 4)})
	if err == nil {
		_, err = io.WriteString(f, points)
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	flipped := archive(t, zip.Store, "x.npy", points)
	flipped[bytes.Index(flipped, []byte(points))+len(points)-1] ^= 1

	many := []string{}
	for i := range 300 {
		many = append(many, fmt.Sprintf("a%d.npy", i), "")
	}
	for _, tt := range []struct {
		name string
		file []byte
		opt  Options
		want error
	}{
		{"bomb", bomb, Options{}, ErrLimit},
		{"more than MaxBytes", archive(t, zip.Deflate, "x.npy", points+strings.Repeat("\x00", 10_000)),
			Options{Limits: Limits{MaxBytes: 9000}}, ErrLimit},
		{"lie about the size", lie.Bytes(), Options{}, ErrFormat},
		{"checksum", flipped, Options{}, ErrFormat},
		{"many arrays", archive(t, zip.Store, many...), Options{}, ErrLimit},
		{"two arrays of one name", archive(t, zip.Store, "x.npy", points, "x.npy", points), Options{}, ErrFormat},
		{"which array?", archive(t, zip.Store, "a.npy", points, "b.npy", points), Options{}, ErrFormat},
		{"no such array", archive(t, zip.Store, "x.npy", points), Options{Array: "y"}, ErrFormat},
		{"no NPY", archive(t, zip.Store, "x.npy", "1 2 3"), Options{}, ErrFormat},
		{"empty", archive(t, zip.Store), Options{}, ErrFormat},
	} {
		if c, err := Read(bytes.NewReader(tt.file), tt.opt); !errors.Is(err, tt.want) || hint(err) == "" {
			t.Errorf("%s: %v, %v; want %v with a hint", tt.name, c, err, tt.want)
		}
	}
	var notes []string
	label := npyText("<i8", []int{2}) + strings.Repeat("\x00", 16)
	c, err := Read(bytes.NewReader(archive(t, zip.Deflate, "a.npy", points, "label.npy", label, "readme", "hi")),
		Options{Note: func(s string) { notes = append(notes, s) }})
	if err != nil || c.N != 2 || len(notes) != 2 || !strings.Contains(strings.Join(notes, ""), "array label") {
		t.Errorf("%v, %v, notes %q", c, err, notes)
	}
}

package pack

import (
	"archive/zip"
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// archive packs sections as the generator does.
func archive(t *testing.T, sections map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for n, s := range sections {
		f, err := w.Create(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sets(t *testing.T) []Set {
	return []Set{
		{
			Packages: []Package{{Path: "math/rand", Name: "rand"}, {Path: "fmt", Name: "fmt"}},
			Types:    archive(t, map[string]string{"fmt": "F", "math/rand": "R"}),
			Docs: archive(t, map[string]string{"fmt": `{"": "Package fmt.", "Println": "Println prints."}`,
				"math/rand": "{broken"}),
		},
		{Packages: []Package{{Path: "crypto/rand", Name: "rand"}}, Types: archive(t, map[string]string{"crypto/rand": "C"})},
	}
}

func TestIndex(t *testing.T) {
	x, err := Merge(sets(t)...)
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Paths(); !slices.Equal(got, []string{"crypto/rand", "fmt", "math/rand"}) {
		t.Errorf("paths %q", got)
	}
	if got := x.ByName("rand"); !slices.Equal(got, []string{"crypto/rand", "math/rand"}) {
		t.Errorf("packages named rand: %q", got)
	}
	if p, ok := x.Lookup("fmt"); !ok || p.Name != "fmt" {
		t.Errorf("fmt is %+v, %v", p, ok)
	}
	if _, ok := x.Lookup("os"); ok || x.Export("os") != nil || x.Doc("os", "Exit") != "" {
		t.Error("something is known of os, which nobody brought")
	}
	if string(x.Export("crypto/rand")) != "C" {
		t.Errorf("export data %q, want C", x.Export("crypto/rand"))
	}
	for name, want := range map[string]string{"": "Package fmt.", "Println": "Println prints.", "Nope": ""} {
		if got := x.Doc("fmt", name); got != want {
			t.Errorf("doc of fmt.%s is %q, want %q", name, got, want)
		}
	}
	if got := x.Doc("math/rand", "Int"); got != "" {
		t.Errorf("a damaged section has the comment %q", got)
	}
}

func TestMergeFails(t *testing.T) {
	two := sets(t)
	for want, l := range map[string][]Set{
		"two packs bring math/rand": {two[0], two[0]},
		"no export data for fmt":    {{Packages: []Package{{Path: "fmt", Name: "fmt"}}}},
		"types: zip":                {{Types: []byte("no archive")}},
		"docs: zip":                 {{Docs: two[0].Docs[:20]}},
	} {
		if _, err := Merge(l...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A section that is cut or changed is no export data.
func TestDamagedSection(t *testing.T) {
	s := sets(t)[1]
	i := bytes.Index(s.Types, []byte("crypto/rand")) + len("crypto/rand")
	s.Types[i] ^= 0xff
	x, err := Merge(s)
	if err != nil {
		t.Fatal(err)
	}
	if b := x.Export("crypto/rand"); b != nil {
		t.Errorf("export data %q of a damaged section", b)
	}
}

func TestTable(t *testing.T) {
	n := 3
	m := Table("A\nB C", []any{strings.ToUpper, &n, (*error)(nil)})
	if len(m) != 3 || m["B"].Elem().Int() != 3 || m["A"].Call([]reflect.Value{reflect.ValueOf("x")})[0].String() != "X" ||
		!m["C"].IsNil() {
		t.Errorf("%v", m)
	}
	defer func() {
		if recover() == nil {
			t.Error("three names and one value do not panic")
		}
	}()
	Table("A B C", []any{1})
}

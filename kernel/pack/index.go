package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"
	"sync"
)

// Index finds what merged packs bring. Its methods may be called from several
// goroutines; a section of an archive is unpacked when it is first asked for.
type Index struct {
	packages map[string]Package
	byName   map[string][]string
	paths    []string
	types    map[string]*zip.File
	docs     map[string]*zip.File

	mu   sync.Mutex
	read map[string]map[string]string // docs unpacked so far, by path
}

// Merge makes one index of several packs. It fails for a path that two packs
// bring, a package without export data, and an archive that cannot be read.
func Merge(sets ...Set) (*Index, error) {
	x := &Index{
		packages: map[string]Package{}, byName: map[string][]string{},
		types: map[string]*zip.File{}, docs: map[string]*zip.File{}, read: map[string]map[string]string{},
	}
	for _, s := range sets {
		if err := open(x.types, s.Types); err != nil {
			return nil, fmt.Errorf("pack: types: %w", err)
		}
		if err := open(x.docs, s.Docs); err != nil {
			return nil, fmt.Errorf("pack: docs: %w", err)
		}
		for _, p := range s.Packages {
			if _, ok := x.packages[p.Path]; ok {
				return nil, fmt.Errorf("pack: two packs bring %s", p.Path)
			}
			if x.types[p.Path] == nil {
				return nil, fmt.Errorf("pack: no export data for %s", p.Path)
			}
			x.packages[p.Path] = p
			x.byName[p.Name] = append(x.byName[p.Name], p.Path)
			x.paths = append(x.paths, p.Path)
		}
	}
	sort.Strings(x.paths)
	for _, l := range x.byName {
		sort.Strings(l)
	}
	return x, nil
}

// open notes the sections of a zip archive. An empty archive has none.
func open(into map[string]*zip.File, archive []byte) error {
	if len(archive) == 0 {
		return nil
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return err
	}
	for _, f := range r.File {
		into[f.Name] = f
	}
	return nil
}

// Lookup returns the package of an import path.
func (x *Index) Lookup(path string) (Package, bool) {
	p, ok := x.packages[path]
	return p, ok
}

// ByName returns the import paths of the packages with this name, sorted.
func (x *Index) ByName(name string) []string { return x.byName[name] }

// Paths returns all import paths, sorted.
func (x *Index) Paths() []string { return x.paths }

// Export returns the export data of a package as gcexportdata reads it, or nil
// if the index does not have the package or its section is damaged.
func (x *Index) Export(path string) []byte {
	b, err := unpack(x.types[path])
	if err != nil {
		return nil
	}
	return b
}

// Doc returns the comment of a name of a package, or of "Type.Method"; an
// empty name asks for the package's own, "name#example" for an example's code.
// It is "" where there is none.
func (x *Index) Doc(path, name string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	m, ok := x.read[path]
	if !ok {
		if b, err := unpack(x.docs[path]); err == nil {
			_ = json.Unmarshal(b, &m) // a damaged section is a package without comments
		}
		x.read[path] = m
	}
	return m[name]
}

func unpack(f *zip.File) ([]byte, error) {
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Table joins the names of a generated pack, parted by blanks, with their
// values. It panics where the two do not fit: the generator wrote both.
func Table(names string, values []any) map[string]reflect.Value {
	l := strings.Fields(names)
	if len(l) != len(values) {
		panic(fmt.Sprintf("pack: %d names, %d values", len(l), len(values)))
	}
	m := make(map[string]reflect.Value, len(l))
	for i, n := range l {
		m[n] = reflect.ValueOf(values[i])
	}
	return m
}

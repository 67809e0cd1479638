package front

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/gondola-lab/gondola/kernel/pack"
)

// importer reads packages from the export data of an index, each when it is
// first imported. All reads share one map, so that a type that is met on two
// ways is one type.
type importer struct {
	index *pack.Index
	fset  *token.FileSet // the packs hold no positions, so it stays small

	mu   sync.Mutex
	pkgs map[string]*types.Package
}

// importError is why a package cannot be imported, with advice.
type importError struct{ msg, advice string }

func (e *importError) Error() string { return e.msg }

// Import implements types.Importer.
func (m *importer) Import(path string) (*types.Package, error) {
	switch path {
	case "unsafe":
		return types.Unsafe, nil
	case "C":
		return nil, &importError{`import "C" is not possible in a cell`,
			"call C from a package that is compiled with gondola"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, err := m.read(path)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Imports() {
		if slices.Contains(instanced, q.Path()) && !q.Complete() {
			if _, err := m.read(q.Path()); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// instanced are the packages with generic types that others mention and of
// which packs hold instances: they are read whole, so that these are found.
var instanced = []string{"iter", "sync/atomic", "unique"}

// read reads a package that is not there yet. The importer is locked.
func (m *importer) read(path string) (*types.Package, error) {
	if p := m.pkgs[path]; p != nil && p.Complete() {
		return p, nil
	}
	if _, ok := m.index.Lookup(path); !ok {
		return nil, &importError{"package " + path + " is not built in", didYouMean(nearest(path, m.index.Paths()))}
	}
	data := m.index.Export(path)
	if data == nil {
		return nil, &importError{msg: "the export data of package " + path + " is damaged"}
	}
	p, err := gcexportdata.Read(bytes.NewReader(data), m.fset, m.pkgs, path)
	if err != nil {
		return nil, &importError{msg: fmt.Sprintf("package %s cannot be read: %v", path, err)}
	}
	return p, nil
}

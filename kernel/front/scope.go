// Package front checks cells with go/types: one cell against the names of
// earlier cells, packages from embedded export data, no toolchain. It decides
// what a cell means and runs nothing.
package front

import (
	"go/types"
	"maps"
	"slices"
)

// Scope is what earlier cells left and a new cell sees. A name is in Names, in
// Imports or in Broken, never in two of them: the newest meaning wins, and the
// session that owns the scope removes the older one. The checker only reads it.
type Scope struct {
	Names   map[string]Name   // top-level names; "_" is the last value, its object is a variable named [Last]
	Imports map[string]string // local name to path: explicit imports of earlier cells
	Dots    []string          // dot-imported paths
	Lost    map[string]string // name to "lost with the worker in [7]; made in [3]: %replay 3"
	Broken  map[string]string // name to "g (cell [1]) no longer compiles since f changed in cell [3]"
	NoAuto  bool              // %autoimport off
	Strict  bool              // a program: unused names are errors and nothing is imported by itself
}

// Name is one top-level name of an earlier cell.
type Name struct {
	Obj       types.Object
	Cell      int
	Line, Col int      // of Source in its cell, from 1; Col counts bytes
	Source    string   // text of its declaration, for docs and rechecks; "" for an import
	Doc       string   // the comment above it, as written
	Methods   []Source // of a type: its methods, of all cells
}

// Last is the name of the hidden variable that stands for "_" as a value.
const Last = "_g0"

// NewScope returns the scope of a session without cells.
func NewScope() *Scope {
	return &Scope{Names: map[string]Name{}, Imports: map[string]string{}, Lost: map[string]string{},
		Broken: map[string]string{}}
}

// Clone returns a copy that shares no map with s.
func (s *Scope) Clone() *Scope {
	c := *s
	c.Names, c.Imports = maps.Clone(s.Names), maps.Clone(s.Imports)
	c.Lost, c.Broken = maps.Clone(s.Lost), maps.Clone(s.Broken)
	c.Dots = slices.Clone(s.Dots)
	return &c
}

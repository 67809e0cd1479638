// Package pack says what a set of compiled packages brings to a cell: symbols,
// export data and documentation, so that no toolchain is needed at run time.
package pack

import "reflect"

// Package is one compiled package that a cell may import.
type Package struct {
	Path, Name string
	// Symbols maps an exported name to a function value, a pointer to a
	// variable, or (*T)(nil) for a type. Constants are not in it: the checker
	// folds them. It is called when a cell first imports the package.
	Symbols func() map[string]reflect.Value
}

// Set is what one generated pack brings. Types and Docs are archives in the
// format that internal/gen/packs writes and this package reads.
type Set struct {
	Packages    []Package
	Types, Docs []byte
}

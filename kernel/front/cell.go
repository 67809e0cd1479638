package front

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// Kind says what a piece of a cell is.
type Kind = cell.Kind

// The kinds of a piece, as package cell has them.
const (
	Stmts  = cell.Stmts
	Import = cell.Import
	Type   = cell.Type
	Const  = cell.Const
	Var    = cell.Var
	Func   = cell.Func
	Method = cell.Method
	Define = cell.Define
)

// Cell is a checked cell. Positions that Fset gives have the file name
// "cell[N]" and the line and column (in bytes) of the cell's own text.
type Cell struct {
	Number int
	Fset   *token.FileSet
	File   *ast.File // the check file: imports, declarations, then func [Body] with the statements
	Text   string    // of the check file; unadjusted positions of Fset are offsets in it
	Pkg    *types.Package
	Info   *types.Info // Types, Defs, Uses, Selections, Scopes, Implicits, Instances, InitOrder

	Pieces []Piece  // in the order of the text
	Value  ast.Expr // the last expression, when it is to be shown; nil otherwise
	// Unused says that the last piece is an expression that is evaluated and
	// not shown.
	Unused bool
	// ErrorOnly says that Value is a call of a Write method of std: it is
	// shown only if its last result, an error, is not nil.
	ErrorOnly bool

	Imports map[string]string // explicit imports that this cell adds: local name to path
	Dots    []string          // dot-imports that this cell adds
	Auto    map[string]string // imports that nobody wrote and this cell uses: local name to path
	Decls   []Decl            // new top-level names in the order of the text
}

// Body is the name of the function of the check file that holds the statements.
const Body = "_g0cell"

// Piece is one top-level piece of a cell with its tree.
type Piece struct {
	Kind Kind
	// Node is the declaration; of a Define it is the var declaration made for
	// it, of Stmts it is nil. A method has its *ast.FuncDecl.
	Node ast.Node
	// Stmts are the statements of a piece of kind Stmts: one, or none if it
	// was empty. Of a Define they are assignments to run right after Node: in
	// "a, err := f(), nil" with an err that the cell has, "err = nil".
	Stmts     []ast.Stmt
	Cell      int // whose text it is: this cell's, or that of a type built again
	Line, Col int // in the text of that cell, from 1; Col counts bytes
	Text, Doc string
	Again     bool // a declaration of With.Again
	// Reused maps the hidden variables of a Define to the names that they are
	// assigned to right after it: in "a, err := f(); b, err := g()" the second
	// err. HiddenOrder has the hidden variables in the order of the text.
	Reused      map[string]string
	HiddenOrder []string
}

// Decl is one top-level name that a cell declares. Init functions and blank
// names are not in the list; a method is, as "T.M", with kind method.
type Decl struct {
	Name      string
	Obj       types.Object
	Kind      string // var, func, type, const or method
	Cell      int    // whose text it is
	Line, Col int    // of Source, from 1; Col counts bytes
	Source    string // the declaration, all of a group's
	Doc       string
	Again     bool // of With.Again: not of the cell's own text
	// Uses are the names at the top of the session that it refers to, sorted:
	// of this cell, of earlier ones, and of imports, explicit or not.
	Uses []string
}

// Source is the text of a declaration at its place in its own cell.
type Source struct {
	Name            string
	Cell, Line, Col int // Col counts bytes, from 1
	Text            string
	Doc             string // the comment above it, as written
}

package front

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// goVersion is the language of cells.
const goVersion = "go1.26"

// Checker checks cells. Its methods may be called from several goroutines.
type Checker struct {
	imp *importer
	// base is where the places of the next check begin, so that no two checks
	// share a token.Pos and an object of an earlier cell never has a place in
	// the file of a later one.
	base atomic.Int64

	mu    sync.Mutex
	types []madeTypes // of the cells that declared types, by rising base
}

// New returns a checker that imports packages from ix.
func New(ix *pack.Index) *Checker {
	return &Checker{imp: &importer{index: ix, fset: token.NewFileSet(), pkgs: map[string]*types.Package{}}}
}

// Check checks one cell against the scope: all errors at once, or the checked
// cell. Magics are already taken off src, blanked so that positions hold.
// Nothing of the scope is changed.
func (k *Checker) Check(number int, src string, sc *Scope) (c *Cell, e *Error) {
	j := k.newJob(number, sc)
	j.texts[number] = src
	defer j.recover(&c, &e)
	if !j.readable(src) {
		return nil, sorted(j.diags)
	}
	pieces := cell.Split(src)
	j.comments(src, pieces)
	j.take(pieces)
	return j.run()
}

// job is one check.
type job struct {
	k      *Checker
	number int
	sc     *Scope
	texts  map[int]string // of the cells whose whole text is known
	units  []unit

	idents   map[string]bool // names that occur
	diags    []Diag
	unclosed []Diag // brackets that stay open: told only where the parser does not

	fset     *token.FileSet
	text     string // of the check file
	file     *ast.File
	tokens   *token.File
	spans    []span
	own      map[string]string // explicit imports of the cell: local name to path
	dots     []string
	used     map[string][]string // qualifiers and their selectors
	auto     map[string]string   // imports that nobody wrote
	added    map[string]string   // those and the imports of earlier cells that this one needs
	declared map[string]bool     // top-level names that the cell declares
	ownNames map[string]bool     // the same without those of With.Again; nil until it is asked for
	info     *types.Info
	pkg      *types.Package
	last     *ast.ExprStmt // the last piece, if it is an expression
	found    []types.Error

	with   With
	kept   map[string]string     // functions that were methods: "P.M"
	hidden map[string]types.Type // names of types in the spelling of With.Vars
}

func (k *Checker) newJob(number int, sc *Scope) *job {
	return &job{k: k, number: number, sc: sc, texts: map[int]string{}, idents: map[string]bool{},
		own: map[string]string{}, auto: map[string]string{}, declared: map[string]bool{}}
}

// recover turns a panic of the parser or the checker into an error of the cell.
func (j *job) recover(c **Cell, e **Error) {
	if r := recover(); r != nil {
		*c, *e = nil, &Error{[]Diag{{Cell: j.number, Line: 1, Col: 1,
			Msg: fmt.Sprintf("the checker failed on this cell: %v", r), Advice: "report this cell: it is a fault of gondola"}}}
	}
}

// run checks the units.
func (j *job) run() (*Cell, *Error) {
	for _, u := range j.units {
		j.survey(u)
	}
	j.methodsOfEarlierTypes()
	if !j.parse() {
		return nil, sorted(j.diags)
	}
	j.imports()
	j.names()
	j.dotClashes()
	j.shadows()
	j.hideTypes()
	j.autoImports()
	j.pass()
	j.again()
	j.keptTypes()
	j.report()
	j.extra()
	j.compiler()
	if e := sorted(j.diags); e != nil {
		return nil, e
	}
	return j.result(), nil
}

// parse makes the check file. Where it does not parse, each piece is parsed
// alone, so that one broken piece does not hide the others.
func (j *job) parse() bool {
	text, spans := j.compose()
	j.text = text
	j.open(text)
	f, err := parser.ParseFile(j.fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		j.syntax()
		return false
	}
	j.file, j.tokens, j.spans = f, j.fset.File(f.Pos()), spans
	if d := depth(f); d > maxDepth {
		j.diags = append(j.diags, Diag{Cell: j.number, Line: 1, Col: 1, Msg: fmt.Sprintf("nested deeper than %d", maxDepth)})
		return false
	}
	j.keep(f)
	j.last = j.lastExpr()
	return len(j.unclosed) == 0
}

// open makes the file set of a check, whose places begin where those of the
// check before ended.
func (j *job) open(text string) {
	j.fset = token.NewFileSet()
	if base := int(j.k.base.Add(int64(len(text)+2))) - len(text) - 2; base > 0 {
		j.fset.AddFile("", 1, base-1)
	}
}

// pass checks the file in a new package "main". Nothing old is checked again.
func (j *job) pass() {
	j.pkg = types.NewPackage("main", "main")
	j.fill()
	j.foreignMethods()
	j.found = nil
	j.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{Importer: j.k.imp, GoVersion: goVersion, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) && !j.allowed(e) {
			j.found = append(j.found, e)
		}
	}}
	_ = types.NewChecker(&conf, j.fset, j.pkg, j.info).Files([]*ast.File{j.file}) // told by conf.Error
}

// allowed tells what a cell may do though a program may not: leave names
// unused, and end in an expression, which is its value. Exactly these: other
// errors that go/types calls soft count.
func (j *job) allowed(e types.Error) bool {
	switch {
	case strings.HasPrefix(e.Msg, "declared and not used"), strings.HasSuffix(e.Msg, "imported and not used"),
		strings.HasSuffix(e.Msg, " declared and not used") && !strings.HasPrefix(e.Msg, "label "), // of a type switch
		strings.Contains(e.Msg, "imported as") && strings.HasSuffix(e.Msg, "and not used"):
		return !j.sc.Strict
	case j.last != nil && !j.sc.Strict && strings.HasSuffix(e.Msg, "is not used") && e.Pos == j.last.Pos():
		return true
	}
	return false
}

var mainDot = regexp.MustCompile(`\bmain\.([\pL_])`)

// report turns what the checker found into errors of the cell.
func (j *job) report() {
	for _, e := range j.found {
		p := j.fset.Position(e.Pos)
		number, ok := cellOf(p.Filename)
		if note, more := strings.CutPrefix(e.Msg, "\t"); more { // belongs to the error before it
			if n := len(j.diags); n > 0 && ok {
				j.diags[n-1].Msg += fmt.Sprintf("\n\tcell [%d]:%d:%d: %s", number, p.Line, j.column(number, p.Line, p.Column), note)
			}
			continue
		}
		if !ok {
			number, p.Line, p.Column = j.number, 1, 1
		}
		d := Diag{Cell: number, Line: p.Line, Col: j.column(number, p.Line, p.Column), Msg: j.words(e), of: j.againAt(e.Pos)}
		j.clamp(&d)
		j.advise(&d, e)
		j.diags = append(j.diags, d)
	}
}

// words are the words of the compiler: earlier cells are other packages of the
// same name, and hidden variables have no name.
func (j *job) words(e types.Error) string {
	msg := mainDot.ReplaceAllString(e.Msg, "$1")
	if rest, ok := strings.CutPrefix(msg, "could not import "); ok {
		if i := strings.Index(rest, " ("); i >= 0 {
			return strings.TrimSuffix(rest[i+2:], ")")
		}
	}
	msg = cellFile.ReplaceAllString(unplaced.ReplaceAllString(msg, ""), "cell [$1]")
	return branch(hiddenName.ReplaceAllString(msg, "value ("))
}

var (
	hiddenName = regexp.MustCompile(`_g0r\d+ \((variable of )?`)
	cellFile   = regexp.MustCompile(`\bcell\[(\d+)\]`)
	unplaced   = regexp.MustCompile(` \(declared at \d+:\d+\)`) // in an earlier cell: the place is not known here
)

// cellOf reads the number in the file name of a place.
func cellOf(file string) (int, bool) {
	s, ok := strings.CutPrefix(file, "cell[")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSuffix(s, "]"))
	return n, err == nil
}

// result makes the answer of a check without errors.
func (j *job) result() *Cell {
	c := &Cell{Number: j.number, Fset: j.fset, File: j.file, Text: j.text, Pkg: j.pkg, Info: j.info,
		Imports: maps.Clone(j.own), Dots: j.dots, Auto: map[string]string{}}
	for _, o := range j.info.Uses {
		if p, ok := o.(*types.PkgName); ok && j.auto[p.Name()] == p.Imported().Path() {
			c.Auto[p.Name()] = p.Imported().Path()
		}
	}
	j.k.remember(j)
	c.Pieces = j.pieces()
	c.Decls = j.decls(c.Pieces)
	j.value(c)
	return c
}

// pieces gives each unit its trees, in the order of the text.
func (j *job) pieces() []Piece {
	ps := make([]Piece, len(j.units))
	for i, u := range j.units {
		ps[i] = Piece{Kind: u.Kind, Cell: u.number, Line: u.Line, Col: u.Col, Text: u.Text, Doc: u.Doc,
			Again: u.again != "", Reused: u.reused, HiddenOrder: u.hidden}
	}
	for _, d := range j.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == Body {
			for _, s := range f.Body.List {
				if i := j.unitAt(s.Pos()); i >= 0 && !fromHidden(s, ps[i].Kind) {
					ps[i].Stmts = append(ps[i].Stmts, s)
				}
			}
			continue
		}
		if i := j.unitAt(d.Pos()); i >= 0 {
			ps[i].Node = d
		}
	}
	return ps
}

// fromHidden tells the assignment from a hidden variable behind a definition,
// which Piece.Reused says already.
func fromHidden(s ast.Stmt, k Kind) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok || k != Define || len(a.Rhs) != 1 {
		return false
	}
	id, ok := a.Rhs[0].(*ast.Ident)
	return ok && reserved(id.Name)
}

// againAt names the declaration of With.Again whose text stands at pos, or "".
func (j *job) againAt(pos token.Pos) string {
	if i := j.unitAt(pos); i >= 0 {
		return j.units[i].again
	}
	return ""
}

// unitAt finds the unit whose text stands at pos, or -1.
func (j *job) unitAt(pos token.Pos) int {
	if !pos.IsValid() {
		return -1
	}
	off := j.tokens.Offset(pos)
	i := sort.Search(len(j.spans), func(i int) bool { return j.spans[i].to > off })
	if i < len(j.spans) && j.spans[i].from <= off {
		return j.spans[i].unit
	}
	return -1
}

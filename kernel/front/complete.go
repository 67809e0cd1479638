package front

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// maxItems is how many names are offered.
const maxItems = 300

// Completion replaces the bytes Start to End of the text by one of Items.
type Completion struct {
	Items      []Item // best first
	Start, End int
}

// Item is one offer. Type is one of function, class, interface, module, field,
// method, instance, constant and keyword.
type Item struct{ Text, Type, Signature string }

// Complete offers what may stand at byte offset at of a cell: members behind a
// dot, fields in a literal, paths in an import, else names. It works on text
// that is half typed, and offers nothing in strings and comments.
func (k *Checker) Complete(src string, at int, sc *Scope) (c Completion) {
	at = max(0, min(at, len(src)))
	defer func() {
		if recover() != nil { // no answer is better than none at all
			c = Completion{Start: at, End: at}
		}
	}()
	if len(src) > maxBytes {
		return Completion{Start: at, End: at}
	}
	where, start := spotOf(src[:at])
	c = Completion{Start: start, End: at}
	prefix := src[start:at]
	switch where {
	case inString:
		if l := cell.Split(src[:start-1] + `""`); len(l) > 0 && l[len(l)-1].Kind == cell.Import {
			c.Items = k.importPaths(prefix)
		}
		return c
	case inComment, inNumber:
		return c
	}
	j := k.ask(src, start, at, sc)
	if j == nil {
		return c
	}
	id, path := j.at()
	if id == nil {
		return c
	}
	c.Items = j.offers(id, path, prefix)
	return c
}

func (k *Checker) importPaths(prefix string) []Item {
	l := offers{prefix: prefix}
	for _, p := range k.imp.index.Paths() {
		l.add(Item{Text: p, Type: "module"}, 0)
	}
	return l.best(nil)
}

// offers are the items that fit a prefix; a smaller rank comes first.
type offers struct {
	prefix string
	items  []rankedItem
	seen   map[string]bool
}

// rankedItem is an offer, or the object of one: only the best are described.
type rankedItem struct {
	text string
	rank int
	item Item
	obj  types.Object
}

func (o *offers) add(i Item, rank int)              { o.put(rankedItem{i.Text, rank, i, nil}) }
func (o *offers) object(obj types.Object, rank int) { o.put(rankedItem{obj.Name(), rank, Item{}, obj}) }

func (o *offers) put(i rankedItem) {
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	switch {
	case strings.HasPrefix(i.text, o.prefix):
	case len(i.text) >= len(o.prefix) && strings.EqualFold(i.text[:len(o.prefix)], o.prefix):
		i.rank += 100 // the other case: behind all that fit exactly
	default:
		return
	}
	if o.seen[i.text] || i.text == "_" || reserved(i.text) {
		return
	}
	o.seen[i.text] = true
	o.items = append(o.items, i)
}

// best are the first ones, those of objects described by item.
func (o *offers) best(item func(types.Object) Item) []Item {
	slices.SortStableFunc(o.items, func(x, y rankedItem) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.text, y.text))
	})
	n := min(len(o.items), maxItems)
	l := make([]Item, 0, n)
	for _, i := range o.items[:n] {
		if i.obj != nil {
			i.item = item(i.obj)
		}
		l = append(l, i.item)
	}
	return l
}

// offers finds what may stand at the marker.
func (j *job) offers(id *ast.Ident, path []ast.Node, prefix string) []Item {
	l := offers{prefix: prefix}
	parent := path[len(path)-1]
	if s, ok := parent.(*ast.SelectorExpr); ok && s.Sel == id {
		for _, o := range j.members(s.X) {
			l.object(o, 0)
		}
		return l.best(j.item)
	}
	for _, o := range j.literalFields(id, path) {
		l.object(o, 0)
	}
	want, function := j.parameter(id, path)
	rank := func(o types.Object, r int) int {
		if fits(o, want) {
			return 1
		}
		return r
	}
	for s := j.pkg.Scope().Innermost(id.Pos()); s != nil && s != types.Universe; s = s.Parent() {
		for _, n := range s.Names() {
			if o := s.Lookup(n); s == j.pkg.Scope() || !o.Pos().IsValid() || o.Pos() < id.Pos() {
				l.object(o, rank(o, 2))
			}
		}
	}
	for n, v := range j.sc.Names {
		if j.sc.Broken[n] == "" && v.Obj != nil {
			l.object(v.Obj, rank(v.Obj, 3))
		}
	}
	if i, ok := j.hint(want, function); ok {
		l.add(i, 0) // unless a variable has the name
	}
	for n, p := range j.sc.Imports {
		l.add(Item{n, "module", p}, 3)
	}
	for _, n := range types.Universe.Names() {
		l.object(types.Universe.Lookup(n), 4)
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		if t.IsKeyword() {
			l.add(Item{Text: t.String(), Type: "keyword"}, 5)
		}
	}
	if !j.sc.NoAuto {
		for _, p := range j.k.imp.index.Paths() {
			if pk, _ := j.k.imp.index.Lookup(p); preferred[pk.Name] == "" || preferred[pk.Name] == p {
				l.add(Item{pk.Name, "module", p}, 6)
			}
		}
	}
	return l.best(j.item)
}

// literalFields are the fields that a struct literal around the marker does not
// have yet.
func (j *job) literalFields(id *ast.Ident, path []ast.Node) (fields []types.Object) {
	n := len(path) - 1
	if kv, ok := path[n].(*ast.KeyValueExpr); ok && kv.Key == id {
		n--
	}
	lit, ok := path[n].(*ast.CompositeLit)
	if !ok || lit.Type == id {
		return nil
	}
	t := j.info.TypeOf(lit)
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var used []string
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if k, ok := kv.Key.(*ast.Ident); ok {
				used = append(used, k.Name)
			}
		}
	}
	for f := range st.Fields() {
		if j.visibleMember(f) && !slices.Contains(used, f.Name()) {
			fields = append(fields, f)
		}
	}
	return fields
}

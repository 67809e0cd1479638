package front

import (
	"fmt"
	"go/types"
	"regexp"
	"strings"
	"text/tabwriter"
)

// describe writes what is known of an object. A parameter number from 0 marks
// that parameter; -1 marks none.
func (j *job) describe(o types.Object, detail, param int) Inspection {
	sig, pkg := j.signature(o), ""
	if o.Pkg() != nil && o.Pkg().Path() != "main" {
		pkg = o.Pkg().Path()
	}
	doc, example, source := j.docsOf(o)
	if detail == 0 {
		source = ""
		doc, _, _ = strings.Cut(doc, "\n\n")
	}
	var text, md []string
	text, md = append(text, sig), append(md, "```go\n"+sig+"\n```")
	if l := methodSet(o, j.typeString); l != "" {
		text, md = append(text, l), append(md, "```go\n"+l+"\n```")
	}
	if plain, bold := j.parameters(o, param); plain != "" {
		text, md = append(text, plain), append(md, bold)
	}
	if pkg != "" {
		text, md = append(text, "package "+pkg), append(md, "package `"+pkg+"`")
	}
	if doc = strings.TrimSpace(doc); doc != "" {
		text, md = append(text, unlinked(doc, "")), append(md, unlinked(doc, "`"))
	}
	if example != "" {
		text, md = append(text, "Example:\n\n"+indented(example)), append(md, "Example:\n\n```go\n"+example+"\n```")
	}
	if source != "" {
		text, md = append(text, source), append(md, "```go\n"+source+"\n```")
	}
	return Inspection{Found: true, Text: strings.Join(text, "\n\n"), Markdown: strings.Join(md, "\n\n")}
}

// docLink is a name in brackets that a page of documentation would link: it
// holds a capital or a slash, as what is indexed seldom does.
var docLink = regexp.MustCompile(
	`(^|[\s("'])\[(\*?(?:[a-z][\w/]*\.)?[A-Z]\w*(?:\.[A-Z]\w*)?|[a-z]\w*(?:/\w+)+)\]([\s).,;!?"']|$)`)

// unlinked writes linked names between quotes, for no page leads on from here.
// Indented lines are code.
func unlinked(doc, quote string) string {
	lines := strings.Split(doc, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
			continue
		}
		for range 2 { // two links may share the space between them
			line = docLink.ReplaceAllString(line, "${1}"+quote+"${2}"+quote+"${3}")
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

func indented(s string) string { return "    " + strings.ReplaceAll(s, "\n", "\n    ") }

// signature is an object as its declaration would have it; of a struct of
// another package only what a cell can name.
func (j *job) signature(o types.Object) string {
	in := func(p *types.Package) string {
		if p.Path() == "main" || p == o.Pkg() {
			return ""
		}
		return p.Name()
	}
	s := strings.TrimPrefix(types.ObjectString(o, in), "untyped ")
	switch o := o.(type) {
	case *types.Builtin:
		if decl := j.k.imp.index.Doc("builtin", o.Name()+"#decl"); decl != "" {
			return decl
		}
	case *types.PkgName:
		return "package " + o.Imported().Name() + " // import \"" + o.Imported().Path() + "\""
	case *types.Const:
		s += " = " + o.Val().String()
	case *types.TypeName:
		if t, ok := o.Type().Underlying().(*types.Struct); ok && !o.IsAlias() && t.NumFields() > 0 {
			head, _, _ := strings.Cut(s, "struct{")
			s = head + "struct {\n" + fieldLines(t, o.Pkg().Path() == "main", in) + "}"
		}
	}
	if len(s) > 2000 {
		s = s[:2000] + "…"
	}
	return s
}

// methodSet lists the methods that a variable of a type has, a line each, those
// with a pointer receiver too; "" for other objects and for interfaces, whose
// methods are in their declaration.
func methodSet(o types.Object, spell func(types.Type) string) string {
	t, ok := o.(*types.TypeName)
	if !ok || types.IsInterface(o.Type()) {
		return ""
	}
	all := types.NewMethodSet(types.NewPointer(t.Type()))
	value := types.NewMethodSet(t.Type())
	var l []string
	for s := range all.Methods() {
		m := s.Obj()
		if !m.Exported() && m.Pkg().Path() != "main" {
			continue
		}
		recv := t.Name()
		if value.Lookup(m.Pkg(), m.Name()) == nil {
			recv = "*" + recv
		}
		l = append(l, "func ("+recv+") "+m.Name()+strings.TrimPrefix(spell(s.Type()), "func"))
	}
	return strings.Join(l, "\n")
}

// fieldLines lists the fields of a struct, a line each.
func fieldLines(t *types.Struct, all bool, in types.Qualifier) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	hidden := ""
	for f := range t.Fields() {
		switch typ := types.TypeString(f.Type(), in); {
		case !all && !f.Exported():
			hidden = "\t// has unexported fields\n"
		case f.Embedded():
			fmt.Fprintf(w, "%s\n", typ)
		default:
			fmt.Fprintf(w, "%s\t%s\n", f.Name(), typ)
		}
	}
	w.Flush()
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString("\t" + line)
	}
	return out.String() + hidden
}

// parameters lists the parameters of a function with number n in bold, plain
// and as Markdown; "" if n is none of them.
func (j *job) parameters(o types.Object, n int) (plain, bold string) {
	sig, ok := o.Type().(*types.Signature)
	if !ok || n < 0 || sig.Params().Len() == 0 {
		return "", ""
	}
	last := sig.Params().Len() - 1
	if n > last {
		if n = last; !sig.Variadic() {
			return "", ""
		}
	}
	var p, b []string
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		s := j.typeString(v.Type())
		if i == last && sig.Variadic() {
			s = "..." + strings.TrimPrefix(s, "[]")
		}
		s = strings.TrimSpace(v.Name() + " " + s)
		if i == n {
			p, b = append(p, "<"+s+">"), append(b, "**"+s+"**")
		} else {
			p, b = append(p, s), append(b, s)
		}
	}
	return o.Name() + "(" + strings.Join(p, ", ") + ")", o.Name() + "(" + strings.Join(b, ", ") + ")"
}

// docsOf finds the comment of an object, an example, and for names of cells
// the source.
func (j *job) docsOf(o types.Object) (doc, example, source string) {
	ix := j.k.imp.index
	if p, ok := o.(*types.PkgName); ok {
		return ix.Doc(p.Imported().Path(), ""), ix.Doc(p.Imported().Path(), "#example"), ""
	}
	if o.Pkg() == nil {
		return ix.Doc("builtin", o.Name()), "", ""
	}
	name := o.Name()
	recv := ""
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		recv = typeName(f.Signature().Recv().Type())
	}
	if o.Pkg().Path() != "main" {
		if recv != "" {
			name = recv + "." + name
		}
		return ix.Doc(o.Pkg().Path(), name), ix.Doc(o.Pkg().Path(), name+"#example"), ""
	}
	if recv != "" {
		for _, m := range j.sc.Names[recv].Methods {
			if _, n := methodName(m.Text); n == name {
				return comment(m.Doc), "", m.Text
			}
		}
	}
	if v, ok := j.sc.Names[name]; ok && v.Obj == o {
		return comment(v.Doc), "", v.Source
	}
	for _, u := range j.units { // a name of the cell that is being typed
		if p := j.unitAt(o.Pos()); p >= 0 && j.units[p].Offset == u.Offset && o.Parent() == j.pkg.Scope() {
			return comment(u.Doc), "", u.Text
		}
	}
	return "", "", ""
}

func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// comment takes the marks off a comment.
func comment(s string) string {
	var l []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(strings.TrimPrefix(line, "//"), "/*")
		l = append(l, strings.TrimPrefix(strings.TrimSuffix(line, "*/"), " "))
	}
	return strings.TrimSpace(strings.Join(l, "\n"))
}

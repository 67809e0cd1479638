package front

import (
	"go/ast"
	"go/types"
)

// members are what may stand behind "x.": the exported names of a package, or
// the methods and fields of a value, promoted ones too.
func (j *job) members(x ast.Expr) (l []types.Object) {
	if id, ok := x.(*ast.Ident); ok {
		if p, ok := j.info.Uses[id].(*types.PkgName); ok {
			s := p.Imported().Scope()
			for _, n := range exported(p.Imported()) {
				l = append(l, s.Lookup(n))
			}
			return l
		}
	}
	tv, ok := j.info.Types[x]
	if !ok || tv.Type == nil {
		return nil
	}
	t := tv.Type
	if tv.IsValue() {
		for _, f := range fields(t) {
			if j.visibleMember(f) {
				l = append(l, f)
			}
		}
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok && !types.IsInterface(t) && tv.IsValue() {
		t = types.NewPointer(t) // methods of *T too, since variables have an address
	}
	for s := range types.NewMethodSet(t).Methods() {
		if j.visibleMember(s.Obj()) {
			l = append(l, s.Obj())
		}
	}
	return l
}

// visibleMember tells whether a cell may name a field or method.
func (j *job) visibleMember(o types.Object) bool {
	return o.Exported() || o.Pkg() != nil && o.Pkg().Path() == "main"
}

// fields are the fields of t, then those of its embedded fields, each name at
// its shallowest depth.
func fields(t types.Type) (l []*types.Var) {
	seen := map[string]bool{}
	met := map[*types.Struct]bool{}
	for level := []types.Type{t}; len(level) > 0; {
		var next []types.Type
		for _, t := range level {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok || met[st] {
				continue
			}
			met[st] = true
			for f := range st.Fields() {
				if !seen[f.Name()] {
					seen[f.Name()] = true
					l = append(l, f)
				}
				if f.Embedded() {
					next = append(next, f.Type())
				}
			}
		}
		level = next
	}
	return l
}

// item is an object as it is offered.
func (j *job) item(o types.Object) Item {
	i := Item{Text: o.Name(), Type: "instance"}
	if o.Type() != nil {
		i.Signature = j.typeString(o.Type())
	}
	switch o := o.(type) {
	case *types.PkgName:
		i.Type, i.Signature = "module", o.Imported().Path()
	case *types.Builtin:
		i.Type, i.Signature = "function", ""
	case *types.Nil:
		i.Type, i.Signature = "constant", ""
	case *types.Const:
		i.Type = "constant"
		if o.Type() != nil && o.Pkg() != nil {
			i.Signature += " = " + o.Val().String()
		}
	case *types.Func:
		if i.Type = "function"; o.Signature().Recv() != nil {
			i.Type = "method"
		}
	case *types.TypeName:
		i.Type, i.Signature = "class", j.typeString(o.Type().Underlying())
		if types.IsInterface(o.Type()) {
			i.Type = "interface"
		}
		if len(i.Signature) > 60 {
			i.Signature = ""
		}
	case *types.Var:
		if o.IsField() {
			i.Type = "field"
		}
	}
	return i
}

// typeString spells a type as a cell would.
func (j *job) typeString(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return p.Name()
	})
}

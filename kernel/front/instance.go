package front

import (
	"go/types"
	"slices"
	"strings"
)

// InstanceName is the name under which a pack may hold an instance of a generic
// function: XG_, the function, its type arguments. It is "" for arguments
// other than basic types and slices and maps of them. A cell cannot say the
// name: it is one of ours.
func InstanceName(fn string, args []types.Type) string {
	parts := []string{"XG_" + fn}
	for _, t := range args {
		s := spell(t)
		if s == "" {
			return ""
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "_")
}

func spell(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped == 0 && t.Kind() != types.UnsafePointer && t.Kind() != types.Invalid {
			return t.Name()
		}
	case *types.Slice:
		if e := spell(t.Elem()); e != "" {
			return "s" + e
		}
	case *types.Map:
		if k, v := spell(t.Key()), spell(t.Elem()); k != "" && v != "" {
			return "m" + k + "_" + v
		}
	}
	return ""
}

// Instance returns the function that a pack holds for a generic function with
// these type arguments: an ordinary function of the same package, with a symbol
// under its name. ok is false where no pack has it.
func Instance(fn *types.Func, args []types.Type) (inst *types.Func, ok bool) {
	if fn.Pkg() == nil || len(args) == 0 {
		return nil, false
	}
	inst, ok = fn.Pkg().Scope().Lookup(InstanceName(fn.Name(), args)).(*types.Func)
	return inst, ok
}

// InstanceType returns the name under which a pack holds an instance of a
// generic type: one of the same package, with a symbol under its name. ok is
// false where no pack has it.
func InstanceType(t *types.Named) (name *types.TypeName, ok bool) {
	o := t.Obj()
	if o.Pkg() == nil || t.TypeArgs().Len() == 0 {
		return nil, false
	}
	spelled := InstanceName(o.Name(), slices.Collect(t.TypeArgs().Types()))
	name, ok = o.Pkg().Scope().Lookup(spelled).(*types.TypeName)
	return name, ok
}

package session

import (
	"fmt"
	"go/constant"
	"go/types"
	"reflect"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// constant shows a piece that is nothing but a constant expression: the checker
// has computed it, exactly as the compiler does, and there is nothing to run. It
// returns false for all others, and where somebody wants to know how the code
// ran.
func (r *run) constant(p *plan, show bool) (bool, *engine.CellError) {
	c := p.cell
	if !show || r.cell.Silent || r.cell.Program || r.counts || r.wants(p) || c.Value == nil || len(c.Pieces) != 1 ||
		len(p.entries())+len(p.warnings)+len(c.Imports)+len(c.Dots) > 0 {
		return false, nil
	}
	v, ok := r.s.constantValue(c.Info.Types[c.Value])
	if !ok {
		return false, nil
	}
	if r.reason() != "" {
		return true, r.stoppedError(nil)
	}
	r.tree, r.ranOn = c, "interpreted"
	r.s.last = fmt.Sprintf("cell [%d] ran interpreted: its value is a constant", r.cell.Number)
	return true, r.show(p, []any{v})
}

// constantValue is a constant as a value of its default type. It returns false
// where that is no type of the compiled packages, or does not hold it.
func (s *Session) constantValue(tv types.TypeAndValue) (any, bool) {
	if tv.Value == nil || exact(tv) != "" {
		return nil, false
	}
	t := types.Default(tv.Type)
	if n, ok := types.Unalias(t).(*types.Named); ok && (n.Obj().Pkg() == nil || n.Obj().Pkg().Path() == homePath) {
		return nil, false
	}
	rt, err := s.runner.Type(t)
	if err != nil {
		return nil, false
	}
	v := reflect.New(rt).Elem()
	switch kind := rt.Kind(); kind {
	case reflect.Bool:
		v.SetBool(constant.BoolVal(tv.Value))
	case reflect.String:
		v.SetString(constant.StringVal(tv.Value))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := constant.Int64Val(constant.ToInt(tv.Value))
		if !ok || v.OverflowInt(n) {
			return nil, false
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, ok := constant.Uint64Val(constant.ToInt(tv.Value))
		if !ok || v.OverflowUint(n) {
			return nil, false
		}
		v.SetUint(n)
	case reflect.Float64:
		f, _ := constant.Float64Val(tv.Value) // rounded, as the compiler does
		v.SetFloat(f)
	case reflect.Float32:
		f, _ := constant.Float32Val(tv.Value)
		v.SetFloat(float64(f))
	default:
		return nil, false
	}
	return v.Interface(), true
}

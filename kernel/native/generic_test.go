package native

import (
	"strings"
	"testing"
)

// TestGenericUnits: a generic function and type of a unit are instantiated in
// another, by exported names, which functions that are not generic must not
// have: the list of a plugin's exported symbols is that of any of its packages
// named main.
func TestGenericUnits(t *testing.T) {
	tc := find(t)
	first := text(nil, `
type List[T any] struct{ items []T }
func (l *List[T]) Add(v T) { l.items = append(l.items, v) }
func (l List[T]) Len() int { return len(l.items) }
func Map[T, U any](l []T, f func(T) U) (out []U) {
	for _, v := range l { out = append(out, f(v)) }
	count++
	return out
}
var count int
func init() {
	cellapi.Register("PATH", cellapi.Objects{Funcs: map[string]reflect.Value{"count": reflect.ValueOf(func() int { return count })}})
}`)
	o, err := tc.Load(build(t, tc, first))
	if err != nil {
		t.Fatal(err)
	}
	second := text([]string{first.Path, "strconv"}, strings.ReplaceAll(`
func use() (string, int) {
	var l ONE.List[string]
	for _, s := range ONE.Map([]int{1, 2, 3}, strconv.Itoa) { l.Add(s) }
	return reflect.TypeOf(l).String(), l.Len()
}
func init() {
	cellapi.Register("PATH", cellapi.Objects{Funcs: map[string]reflect.Value{"use": reflect.ValueOf(use)}})
}`, "ONE", first.Path[len(prefix):]))
	o2, err := tc.Load(build(t, tc, second))
	if err != nil {
		t.Fatal(err)
	}
	got := o2.Funcs["use"].Call(nil)
	if got[0].String() != "main.List[string]" || got[1].Int() != 3 {
		t.Errorf("use() = %v, want main.List[string] 3", got)
	}
	if n := o.Funcs["count"].Call(nil)[0].Int(); n != 1 {
		t.Errorf("the variable of the first unit is %d after a call from the second, want 1", n)
	}
}

package cellapi

import (
	"reflect"
	"testing"
)

type named struct{ A int }

func TestSameTellsTypesByTheirStructure(t *testing.T) {
	for _, tt := range []struct {
		a, b reflect.Type
		want bool
	}{
		{reflect.TypeFor[[]int](), reflect.SliceOf(reflect.TypeFor[int]()), true},
		{reflect.TypeFor[func(int8, ...string) []named](), reflect.TypeFor[func(int8, []string) []named](), false},
		{reflect.TypeFor[map[string]*named](), reflect.TypeFor[map[string]*named](), true},
		{reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string]uint](), false},
		{reflect.TypeFor[[2]int](), reflect.TypeFor[[3]int](), false},
		{reflect.TypeFor[chan int](), reflect.TypeFor[<-chan int](), false},
		{reflect.TypeFor[named](), reflect.TypeFor[struct{ A int }](), false},
		{reflect.TypeFor[struct{ A int }](), reflect.TypeFor[struct {
			A int `tag:"x"`
		}](), false},
		{reflect.TypeFor[struct{ A []int }](), reflect.TypeFor[struct{ A []int }](), true},
		{reflect.TypeFor[interface{ M(int) }](), reflect.TypeFor[interface{ M(string) }](), false},
		{reflect.TypeFor[interface{ M(int) }](), reflect.TypeFor[interface{ M(int) }](), true},
		{reflect.TypeFor[func(int) string](), reflect.TypeFor[func(int) error](), false},
	} {
		if got := Same(tt.a, tt.b); got != tt.want {
			t.Errorf("Same(%s, %s) = %v", tt.a, tt.b, got)
		}
	}
}

func TestRenewLeavesOtherValuesAlone(t *testing.T) {
	for _, x := range []any{nil, 1, named{1}, []int{1}, map[string]int{"a": 1}} {
		if got := Renew(x, reflect.TypeFor[[]string](), reflect.TypeFor[[]int]()); !reflect.DeepEqual(got, x) {
			t.Errorf("Renew(%v) = %v", x, got)
		}
	}
	if v := As(reflect.ValueOf([]int{7}), reflect.TypeFor[[]int]()); v.Index(0).Int() != 7 {
		t.Errorf("As gives %v", v)
	}
}

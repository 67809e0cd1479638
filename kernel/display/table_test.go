package display

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

type row struct {
	Name  string
	N     int
	Share float64
	tag   string
}

type matrixOf [][]float64

func (m matrixOf) Dims() (int, int)    { return len(m), len(m[0]) }
func (m matrixOf) At(i, j int) float64 { return m[i][j] }

func nan() float64 { return math.NaN() }

func TestTables(t *testing.T) {
	inner := row{"a|b", 1, .5, "ü"}
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"structs", []row{inner, {"<i>c</i>\nd", 20, nan(), "z"}}, `
   Name         N  Share  tag
0  a|b          1    0.5  ü
1  <i>c</i> d  20    NaN  z
2 rows × 4 columns`},
		{"pointers", []*pair{{1, 2}, nil}, `
       A      B
0      1      2
1  <nil>  <nil>
2 rows × 2 columns`},
		{"array, small letters", [1]small{{1, 2}}, `
   x  y
0  1  2
1 row × 2 columns`},
		{"empty", []pair(nil), `
  A  B
0 rows × 2 columns`},
		{"map", map[string]int{"b": 2, "a": 1, "c": -3}, `
key  value
a        1
b        2
c       -3
3 keys`},
		{"map of structs", map[int]pair{10: {1, 2}, -9: {3, 4}, 2: {5, 6}}, `
key  A  B
 -9  3  4
  2  5  6
 10  1  2
3 keys × 2 columns`},
		{"mixed keys", map[any]bool{"x": true, 2: false, 1: true, "a": false, nil: true, 0.5: true}, `
key    value
<nil>  true
1      true
2      false
0.5    true
a      false
x      true
6 keys`},
		{"struct keys", map[pair]string{{2, 1}: "c", {1, 9}: "b", {1, 2}: "a"}, `
key        value
{A:1 B:2}  a
{A:1 B:9}  b
{A:2 B:1}  c
3 keys`},
		{"slice of maps", []map[string]any{{"a": 1, "c": "x"}, {"b": nil}}, `
   a  b      c
0  1         x
1     <nil>
2 rows × 3 columns`},
		{"matrix", matrixOf{{1, -2.5}, {nan(), 1e-9}}, `
  1   -2.5
NaN  1e-09
2 × 2 matrix`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := Of(tt.v)
			want := strings.TrimPrefix(tt.want, "\n")
			got := b.Data["text/plain"].(string)
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			page := b.Data["text/html"].(string)
			if strings.Contains(page, "<i>") || !strings.HasSuffix(page, "<p>"+want[strings.LastIndex(want, "\n")+1:]+"</p>") {
				t.Errorf("html %s", page)
			}
		})
	}
}

// The sizes are said whenever something is left out.
func TestTableLimits(t *testing.T) {
	many := make([]pair, 1234)
	wide := reflect.New(reflect.ArrayOf(2, wideStruct(25))).Elem().Interface()
	keys := map[int]bool{}
	for i := range 60 {
		keys[i] = true
	}
	big := make(matrixOf, 30)
	for i := range big {
		big[i] = make([]float64, 9)
	}
	for _, tt := range []struct {
		v     any
		lines int
		want  string
	}{
		{many, 52, "1,234 rows × 2 columns (shown: the first 50 rows)"},
		{wide, 4, "2 rows × 25 columns (shown: the first 20 columns)"},
		{keys, 52, "60 keys (shown: the first 50 rows)"},
		{big, 10, "30 × 9 matrix (shown: the first 8 × 8)"},
	} {
		lines := strings.Split(Of(tt.v).Data["text/plain"].(string), "\n")
		if got := lines[len(lines)-1]; got != tt.want || len(lines) != tt.lines {
			t.Errorf("%d lines, the last %q, want %d and %q", len(lines), got, tt.lines, tt.want)
		}
	}
	cell := Of([]struct{ S string }{{strings.Repeat("x", 5000)}}).Data["text/plain"].(string)
	if n := len([]rune(strings.Split(cell, "\n")[1])); n != 3+maxCell+1 {
		t.Errorf("a long cell takes %d runes", n)
	}
}

func wideStruct(n int) reflect.Type {
	var f []reflect.StructField
	for i := range n {
		f = append(f, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[int]()})
	}
	return reflect.StructOf(f)
}

func TestMapIsTheSameEachTime(t *testing.T) {
	m := map[string]float64{}
	for i := range 40 {
		m[fmt.Sprint(i*7919%101)] = float64(i)
	}
	first := Of(m).Data["text/html"]
	for range 20 {
		if again := Of(m).Data["text/html"]; again != first {
			t.Fatal("the same map gave two tables")
		}
	}
}

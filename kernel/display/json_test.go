package display

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
)

type inner struct {
	A int
	B string `json:"b,omitempty"`
}

type outer struct {
	inner
	*pair
	A    float64 // hides inner's
	C    []byte
	D    map[int]bool
	E    *int            `json:",omitempty"`
	F    any             `json:"f"`
	G    json.RawMessage `json:"g"`
	H    time.Time
	I    netip.Addr
	J    int64 `json:",string"`
	K    int   `json:"-"`
	L    float32
	M    [2]bool
	N    []int
	tiny int
}

// Without NaN the walk must give what encoding/json gives.
func TestJSONAsTheStandardLibrary(t *testing.T) {
	for _, v := range []any{
		nil, 1, -2.5, "a<b", []any{1, "x", nil}, map[string]any{"b": 1, "a": []float32{.1, 1e21}},
		outer{inner: inner{1, ""}, pair: &pair{3, 4}, A: .1, C: []byte{1, 2}, D: map[int]bool{3: true}, F: &inner{B: "z"},
			G: json.RawMessage(`{"q":[1]}`), H: time.Unix(0, 0).UTC(), I: netip.MustParseAddr("::1"), J: 7, L: .3, tiny: 1},
		&outer{G: json.RawMessage("1")}, uint64(math.MaxUint64), json.Number("12.50"), nested(), true,
	} {
		x, n, err := jsonValue(v)
		if err != nil || n != 0 {
			t.Errorf("%T: %d nulls, %v", v, n, err)
			continue
		}
		got, err := json.Marshal(x)
		if err != nil {
			t.Errorf("%T: %v", v, err)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var g, w any
		if json.Unmarshal(got, &g) != nil || json.Unmarshal(want, &w) != nil || !reflect.DeepEqual(g, w) {
			t.Errorf("%T\ngot  %s\nwant %s", v, got, want)
		}
	}
}

func nested() any { return map[string][]map[string]int{"a": {{"b": 1}, nil}} }

func TestJSONWithoutNaN(t *testing.T) {
	x, n, err := jsonValue(struct {
		V []float64
		W float32
	}{[]float64{1, math.NaN(), math.Inf(-1)}, float32(math.Inf(1))})
	text, merr := json.Marshal(x)
	if err != nil || merr != nil || n != 3 || string(text) != `{"V":[1,null,null],"W":null}` {
		t.Errorf("%s, %d nulls, %v, %v", text, n, err, merr)
	}
}

type badJSON struct{}

func (badJSON) MarshalJSON() ([]byte, error) { panic("no json") }

func TestJSONRefuses(t *testing.T) {
	loop := map[string]any{}
	loop["me"] = loop
	for want, v := range map[string]any{
		"a func() has no JSON":              []any{func() {}},
		"a chan int has no JSON":            make(chan int),
		"nested too deep":                   loop,
		"a key of type float64 has no JSON": map[float64]int{1: 1},
		"it panicked: no json":              badJSON{},
		"unexpected EOF":                    json.RawMessage(`{"a":`),
		"a complex128 has no JSON":          1i,
	} {
		if _, _, err := jsonValue(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

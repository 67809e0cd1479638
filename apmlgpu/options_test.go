package apmlgpu

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// nonsense lists values that a field of that type must refuse.
func nonsense(kind reflect.Kind) []any {
	switch kind {
	case reflect.Float64:
		return []any{math.NaN(), -1.0, math.Inf(-1), math.Inf(1)}
	case reflect.Int, reflect.Int64:
		return []any{-1, math.MinInt}
	case reflect.String:
		return []any{"nonsense", " "}
	}
	return nil
}

// Every option of every loss refuses what is negative, not a number or no word of
// its list, alone and in a batch, and names the field that the caller gave.
func TestEveryOptionRefusesNonsense(t *testing.T) {
	x, y := cloud.Fibonacci(20), cloud.Turned(15)
	xs, err := cloud.Join(x, x)
	if err != nil {
		t.Fatal(err)
	}
	ys, err := cloud.Join(y, y)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Losses() {
		fields, tried := reflect.TypeOf(l.Options()).Elem(), 0
		for k := range fields.NumField() {
			f := fields.Field(k)
			for _, v := range nonsense(f.Type.Kind()) {
				name := fmt.Sprintf("%s %v", f.Name, v)
				tried++
				o := l.Usual()
				reflect.ValueOf(o).Elem().Field(k).Set(reflect.ValueOf(v).Convert(f.Type))
				r, err := l.Run(x, y, o)
				said(t, l.Name+" "+name, err, f.Name)
				if r.Value != 0 || r.GradX != nil {
					t.Errorf("%s %s: a refused call has given %v", l.Name, name, r.Value)
				}
				b, err := l.RunBatch(xs, ys, o)
				said(t, l.Name+" batch "+name, err, f.Name)
				if b.Values != nil {
					t.Errorf("%s %s: a refused batch has given %v", l.Name, name, b.Values)
				}
			}
		}
		if tried < 8 {
			t.Errorf("%s: only %d values were tried", l.Name, tried)
		}
	}
}

// said checks that err is an ErrOption that names the field, with advice.
func said(t *testing.T, what string, err error, field string) {
	t.Helper()
	var e *Error
	if !errors.Is(err, ErrOption) || !errors.As(err, &e) || !strings.Contains(err.Error(), field) || e.Hint() == "" {
		t.Errorf("%s: error is %v, want ErrOption with the field and a hint", what, err)
	}
}

package display

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// jsonValue returns v as values that every JSON encoder takes: nil, bool,
// numbers, strings, []any and map[string]any. JSON has no NaN and no infinity:
// they become null, and nulls counts them. Names and tags of fields are those
// of encoding/json. Bytes and text that hold JSON already are decoded.
func jsonValue(v any) (x any, nulls int, err error) {
	defer func() {
		if r := recover(); r != nil { // a MarshalJSON of the user
			err = fmt.Errorf("it panicked: %s", panicText(r))
		}
	}()
	if raw, ok := asJSONText(v); ok {
		x, err := decode(raw)
		return x, 0, err
	}
	w := jsonWalk{}
	x, err = w.value(reflect.ValueOf(v), 0)
	return x, w.nulls, err
}

func noteNulls(n int, notes *[]string) {
	if n > 0 {
		*notes = append(*notes, number(n, "number")+" that JSON cannot hold (NaN or infinite) became null")
	}
}

func decode(raw []byte) (x any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&x)
	return x, err
}

type jsonWalk struct{ nulls int }

func (w *jsonWalk) value(x reflect.Value, depth int) (any, error) {
	if depth > maxJSONDeep {
		return nil, errors.New("it is nested too deep, or holds itself")
	}
	if !x.IsValid() || (x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface) && x.IsNil() {
		return nil, nil
	}
	if x.CanInterface() {
		switch m := x.Interface().(type) {
		case json.Marshaler:
			raw, err := m.MarshalJSON()
			if err != nil {
				return nil, err
			}
			return decode(raw)
		case encoding.TextMarshaler:
			text, err := m.MarshalText()
			return valid(string(text)), err
		case json.Number:
			return m, nil
		}
	}
	switch x.Kind() {
	case reflect.Bool:
		return x.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return x.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return x.Uint(), nil
	case reflect.Float32, reflect.Float64:
		return w.float(x)
	case reflect.String:
		return valid(x.String()), nil
	case reflect.Pointer, reflect.Interface:
		return w.value(x.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return w.list(x, depth)
	case reflect.Map:
		return w.mapping(x, depth)
	case reflect.Struct:
		m := map[string]any{}
		return m, w.fields(x, m, depth)
	}
	return nil, fmt.Errorf("a %s has no JSON", typeName(x.Type()))
}

func (w *jsonWalk) float(x reflect.Value) (any, error) {
	f := x.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.nulls++
		return nil, nil
	}
	if x.Kind() == reflect.Float32 { // the short text of a float32, as encoding/json writes it
		return json.Number(strconv.FormatFloat(f, 'g', -1, 32)), nil
	}
	return f, nil
}

func (w *jsonWalk) list(x reflect.Value, depth int) (any, error) {
	if x.Kind() == reflect.Slice {
		if x.IsNil() {
			return nil, nil
		}
		if x.Type().Elem().Kind() == reflect.Uint8 {
			return base64.StdEncoding.EncodeToString(x.Bytes()), nil
		}
	}
	out := make([]any, x.Len())
	for i := range out {
		v, err := w.value(x.Index(i), depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (w *jsonWalk) mapping(x reflect.Value, depth int) (any, error) {
	if x.IsNil() {
		return nil, nil
	}
	out := make(map[string]any, x.Len())
	for it := x.MapRange(); it.Next(); {
		k, err := keyText(it.Key())
		if err != nil {
			return nil, err
		}
		if out[k], err = w.value(it.Value(), depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func keyText(k reflect.Value) (string, error) {
	if k.Kind() == reflect.String {
		return valid(k.String()), nil
	}
	if m, ok := k.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return valid(string(text)), err
	}
	if k.CanInt() || k.CanUint() {
		return fmt.Sprint(k), nil
	}
	return "", fmt.Errorf("a key of type %s has no JSON", typeName(k.Type()))
}

// fields adds the fields of a struct to m. Those of an embedded struct without
// a name of its own go in first, so that outer names win.
func (w *jsonWalk) fields(x reflect.Value, m map[string]any, depth int) error {
	t := x.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous || name != "" {
			continue
		}
		e := x.Field(i)
		if e.Kind() == reflect.Pointer && !e.IsNil() {
			e = e.Elem()
		}
		if e.Kind() == reflect.Struct {
			if err := w.fields(e, m, depth+1); err != nil {
				return err
			}
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		e := f.Type
		if e.Kind() == reflect.Pointer {
			e = e.Elem()
		}
		if !f.IsExported() || tag == "-" || f.Anonymous && name == "" && e.Kind() == reflect.Struct {
			continue
		}
		has := func(o string) bool { return strings.Contains(","+options+",", ","+o+",") }
		if has("omitempty") && isEmpty(x.Field(i)) || has("omitzero") && x.Field(i).IsZero() {
			continue
		}
		v, err := w.value(x.Field(i), depth+1)
		if err != nil {
			return err
		}
		if has("string") && x.Field(i).Kind() != reflect.String {
			v = fmt.Sprint(v)
		}
		m[valid(cmp.Or(name, f.Name))] = v
	}
	return nil
}

func isEmpty(x reflect.Value) bool {
	switch x.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return x.Len() == 0
	case reflect.Struct:
		return false
	}
	return x.IsZero()
}

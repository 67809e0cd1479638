package main

import (
	"errors"
	"flag"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// optionFlags makes a flag of every field of the options struct that opt points
// to whose value can be written as a word: the field's name in lower case with
// dashes. The flag writes the field.
func optionFlags(set *flagSet, opt any, defaults map[string]string) {
	v := reflect.ValueOf(opt).Elem()
	for k := range v.NumField() {
		f, field := v.Type().Field(k), v.Field(k)
		if !f.IsExported() || !writable(field.Type()) {
			continue
		}
		usage := "field " + f.Name
		if d := defaults[f.Name]; d != "" {
			usage += "; without it " + d
		}
		value := fieldValue{field}
		if field.Kind() == reflect.Bool {
			set.BoolFunc(kebab(f.Name), usage, value.Set)
			continue
		}
		set.Func(kebab(f.Name), "`"+kindWord(field.Type())+"` of "+usage, value.Set)
	}
}

func writable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64, reflect.String:
		return true
	}
	return t == vectors
}

// vectors are written as numbers with commas between them and semicolons
// between the vectors.
var vectors = reflect.TypeFor[[][]float64]()

func kindWord(t reflect.Type) string {
	if t == vectors {
		return "a,b,..;a,b,.."
	}
	return t.Kind().String()
}

// fieldValue is a flag that writes a field.
type fieldValue struct{ v reflect.Value }

// Set parses text as the field's kind.
func (f fieldValue) Set(text string) error {
	switch f.v.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("neither true nor false")
		}
		f.v.SetBool(b)
		return nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errors.New("not a whole number")
		}
		f.v.SetInt(n)
		return nil
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return errors.New("not a whole number of at least zero")
		}
		f.v.SetUint(n)
		return nil
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("not a number")
		}
		f.v.SetFloat(x)
		return nil
	case reflect.Slice:
		all, err := parseVectors(text)
		f.v.Set(reflect.ValueOf(all))
		return err
	}
	f.v.SetString(text)
	return nil
}

func parseVectors(text string) (all [][]float64, err error) {
	for _, row := range strings.Split(text, ";") {
		var v []float64
		for _, word := range strings.Split(row, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil {
				return nil, errors.New("not vectors as 1,0,0;0,1,0")
			}
			v = append(v, x)
		}
		all = append(all, v)
	}
	return all, nil
}

// givenZero is the flag of a number that was set to zero though zero means
// another number there: it would be another call than the one asked for.
func givenZero(set *flagSet, opt any, defaults map[string]string) (name string) {
	v := reflect.ValueOf(opt).Elem()
	fields := map[string]reflect.StructField{}
	for k := range v.NumField() {
		fields[kebab(v.Type().Field(k).Name)] = v.Type().Field(k)
	}
	set.Visit(func(f *flag.Flag) {
		field, ok := fields[f.Name]
		text := defaults[field.Name]
		if !ok || text == "" || !v.FieldByIndex(field.Index).IsZero() {
			return
		}
		// Threads and MaxBytes are whole numbers whose zero is a word, as in "all".
		if field.Type.Kind() == reflect.Float64 || field.Type.Kind() == reflect.Int && text[0] >= '0' && text[0] <= '9' {
			name = f.Name
		}
	})
	return name
}

// kebab is MinProb as min-prob.
func kebab(name string) string {
	var b strings.Builder
	for k, r := range name {
		if unicode.IsUpper(r) && k > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

package resil

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"unicode"
	"unicode/utf8"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A setting is a field of a policy's Config that a place sets, such as a wrapper's annotation. Settings are kept field by
// field, not as functions, because those of all who share an instance are compared and merged.
type setting struct {
	field int
	value reflect.Value
	place string
}

// settings are the fields that are set, by the field's index.
type settings map[int]setting

// apply writes the settings into the Config that config points to.
func (s settings) apply(config any) {
	target := reflect.ValueOf(config).Elem()
	for field, set := range s {
		target.Field(field).Set(set.value)
	}
}

// settingsOf returns, in the order of the fields, what options set. An option tells nobody what it does, so all of them
// are applied to two Configs that differ in every field: a field in which these agree afterwards was set.
func settingsOf[C any](options []func(*C), place string) []setting {
	if len(options) == 0 {
		return nil
	}
	var zero, filled C
	fill(reflect.ValueOf(&filled).Elem())
	for _, option := range options {
		option(&zero)
		option(&filled)
	}
	a, b := reflect.ValueOf(zero), reflect.ValueOf(filled)
	var found []setting
	for field := range a.NumField() {
		if same(a.Field(field), b.Field(field)) {
			found = append(found, setting{field, a.Field(field), place})
		}
	}
	return found
}

// fill gives v a content that differs from its zero value in every field. It panics for a type that no Config has yet.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.String:
		v.SetString("filled")
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { panic("resil: never called") }))
	case reflect.Struct:
		for field := range v.NumField() {
			fill(v.Field(field))
		}
	default:
		panic(fmt.Sprintf("resil: options of type %s cannot be told apart", v.Type()))
	}
}

// same reports whether two values of one field are equal. Functions are when their code is, error rules when their
// texts are.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return a.Pointer() == b.Pointer()
	case reflect.Float64:
		return a.Float() == b.Float() || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	case reflect.Struct:
		if x, ok := a.Interface().(policy.ErrorRule); ok && x.Text != "" {
			y := b.Interface().(policy.ErrorRule)
			return x.Text == y.Text && x.IsZero() == y.IsZero()
		}
		for field := range a.NumField() {
			if !same(a.Field(field), b.Field(field)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// text returns a field's value for a message.
func text(v reflect.Value) string {
	if v.Kind() == reflect.Func {
		if v.IsNil() {
			return "none"
		}
		return runtime.FuncForPC(v.Pointer()).Name()
	}
	if rule, ok := v.Interface().(policy.ErrorRule); ok {
		if rule.Text == "" {
			return text(reflect.ValueOf(rule.Match))
		}
		return rule.Text
	}
	if v.Kind() == reflect.String {
		return quoted(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// quoted returns text that may be anything, as it stands in a message.
func quoted(text string) string { return fmt.Sprintf("%q", text) }

// keyOf returns the annotation key of a field of the Config C: its name in lowerCamelCase.
func keyOf[C any](field int) string {
	name := reflect.TypeFor[C]().Field(field).Name
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

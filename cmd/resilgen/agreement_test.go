package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// maxInt32 is the largest whole number of an annotation. Files and Configs need not have that limit.
const maxInt32 = "2147483647"

// A validator is the Config of a policy.
type validator interface{ Validate() error }

// agreed are the policies as annotations, config files and code know them.
var agreed = []struct {
	directive, of string
	kind          policy.Kind
	defaults      validator
}{
	{"retry", "", policy.Retry, retry.DefaultConfig()},
	{"circuitbreaker", "", policy.CircuitBreaker, breaker.DefaultConfig()},
	{"ratelimiter", "", policy.RateLimiter, limiter.DefaultConfig()},
	{"timelimiter", "", policy.TimeLimiter, timelimiter.DefaultConfig()},
	{"bulkhead", "semaphore", policy.Bulkhead, bulkhead.DefaultConfig()},
	{"bulkhead", "pool", policy.ThreadPoolBulkhead, bulkhead.DefaultPoolConfig()},
}

// eachSetting calls check with each key that an annotation and a config file may both set, and the Config's field.
func eachSetting(
	t *testing.T, check func(t *testing.T, a *directive.Key, f config.Key, defaults validator, field reflect.StructField),
) {
	for _, p := range agreed {
		t.Run(string(p.kind), func(t *testing.T) {
			t.Parallel()
			inFile := map[string]config.Key{}
			for _, k := range config.Keys(p.kind) {
				inFile[k.Name] = k
			}
			spec := directive.Lookup(p.directive)
			fields := 0
			for i := range spec.Keys {
				key := &spec.Keys[i]
				if key.Option == "" || key.Of != "" && key.Of != p.of {
					continue
				}
				fields++
				field, ok := reflect.TypeOf(p.defaults).FieldByName(strings.ToUpper(key.Name[:1]) + key.Name[1:])
				require.True(t, ok, "%s is no field of the Config", key.Name)
				file, ok := inFile[key.Name]
				require.True(t, ok, "%s is no key of a config file", key.Name)
				t.Run(key.Name, func(t *testing.T) { check(t, key, file, p.defaults, field) })
			}
			own := 0 // fields that annotations set by keys of another form, as retryResult
			for i := range reflect.TypeOf(p.defaults).NumField() {
				name := reflect.TypeOf(p.defaults).Field(i).Name
				key := spec.Key(strings.ToLower(name[:1]) + name[1:])
				require.NotNil(t, key, "the annotation has no key for the Config's %s", name)
				if key.Option == "" {
					own++
				}
			}
			require.Equal(t, reflect.TypeOf(p.defaults).NumField(), fields+own)
		})
	}
}

// read parses a value of the table as an annotation does, and returns it as a value of the field's type.
func read(t *testing.T, text string, to reflect.Type) reflect.Value {
	t.Helper()
	value := reflect.New(to).Elem()
	switch {
	case to == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		require.NoError(t, err)
		value.SetInt(int64(d))
	case to.Kind() == reflect.Int:
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		value.SetInt(int64(n))
	case to.Kind() == reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		value.SetFloat(f)
	case to.Kind() == reflect.Bool:
		value.SetBool(text == "true")
	default:
		require.Fail(t, "no number", "%s is a %s", text, to)
	}
	return value
}

func TestAnnotationsAndConfigFilesHaveTheSameKeysTypesAndRanges(t *testing.T) {
	t.Parallel()
	types := map[directive.Type]config.Type{
		directive.Int: config.Int, directive.Float: config.Float, directive.Percent: config.Float, directive.Bool: config.Bool,
		directive.Duration: config.Duration, directive.Enum: config.Enum, directive.Text: config.Text,
		directive.Errors: config.NameList, directive.Function: config.NameList,
	}
	eachSetting(t, func(t *testing.T, a *directive.Key, f config.Key, _ validator, field reflect.StructField) {
		require.Equal(t, a.Name, f.Sets)
		require.Equal(t, types[a.Type], f.Type)
		require.Equal(t, a.Above, f.Above)
		var choices []string
		for _, c := range f.Choices {
			choices = append(choices, c.Text)
		}
		var own []string
		for _, c := range a.Choices {
			own = append(own, c.Text)
		}
		require.ElementsMatch(t, own, choices)
		for _, bound := range []struct{ what, annotation, file string }{{"min", a.Min, f.Min}, {"max", a.Max, f.Max}} {
			if bound.annotation == "" || bound.file == "" {
				if bound.annotation == maxInt32 { // of every whole number in an annotation: the code is for 32 bits too
					continue
				}
				require.Equal(t, bound.annotation, bound.file, bound.what)
				continue
			}
			require.Equal(t, read(t, bound.annotation, field.Type).Interface(), read(t, bound.file, field.Type).Interface(),
				bound.what)
		}
	})
}

func TestDefaultsInTheTablesAreThoseOfTheConfigs(t *testing.T) {
	t.Parallel()
	eachSetting(t, func(t *testing.T, a *directive.Key, f config.Key, defaults validator, field reflect.StructField) {
		value := reflect.ValueOf(defaults).FieldByIndex(field.Index)
		for where, text := range map[string]string{"annotation": a.Default, "config file": f.Default} {
			switch {
			case text == "" && value.Kind() == reflect.Int && value.Int() > 0:
				require.Equal(t, "maxThreadPoolSize", a.Name, "%s: the default is %v", where, value) // of the machine
			case text == "":
				require.True(t, value.IsZero(), "%s: the default is %v", where, value)
			case a.Type == directive.Enum:
				require.Equal(t, text, fmt.Sprint(value), where)
			default:
				require.Equal(t, read(t, text, field.Type).Interface(), value.Interface(), where)
			}
		}
	})
}

// TestRangesInTheTablesAreThoseOfTheConfigs puts each field just outside of its range.
func TestRangesInTheTablesAreThoseOfTheConfigs(t *testing.T) {
	t.Parallel()
	eachSetting(t, func(t *testing.T, a *directive.Key, f config.Key, defaults validator, field reflect.StructField) {
		refuse := func(outside reflect.Value) {
			t.Helper()
			c := reflect.New(reflect.TypeOf(defaults)).Elem()
			c.Set(reflect.ValueOf(defaults))
			for _, on := range []string{"EnableExponentialBackoff", "EnableRandomizedWait"} { // what the ranges of others need
				if f := c.FieldByName(on); f.IsValid() {
					f.SetBool(true)
				}
			}
			if f := c.FieldByName("Backend"); f.IsValid() {
				f.SetString("redis")
			}
			c.FieldByIndex(field.Index).Set(outside)
			require.ErrorContains(t, c.Interface().(validator).Validate(), a.Name, "%v", outside)
		}
		if a.Min != "" {
			outside := read(t, a.Min, field.Type)
			if !a.Above {
				step(outside, -1)
			}
			refuse(outside)
		}
		if a.Max != "" && f.Max != "" {
			outside := read(t, a.Max, field.Type)
			step(outside, 1)
			refuse(outside)
		}
	})
}

// step adds the smallest step that makes a difference, or minus it.
func step(value reflect.Value, by int64) {
	if value.Kind() == reflect.Float64 {
		value.SetFloat(value.Float() + float64(by)/1024)
		return
	}
	value.SetInt(value.Int() + by)
}

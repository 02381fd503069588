package generatedtest_test

import (
	"go/ast"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// config is what every policy's Config can do.
type config interface{ Validate() error }

// defaults are the configurations by the directive that sets them.
var defaults = map[string]config{
	"circuitbreaker": breaker.DefaultConfig(),
	"retry":          retry.DefaultConfig(),
	"timelimiter":    timelimiter.DefaultConfig(),
}

// served lists the fields that only calls by hand consult: generated code calls the functions that the annotation names.
var served = map[string]bool{
	"RecordResult": true, "TransitionOnResult": true, "RetryResult": true, "ConsumeResultBeforeRetryAttempt": true,
}

// TestTableAndRuntimeAgree holds the table of directives, which cannot import the runtime, to what the runtime has:
// fields, options, constants, defaults and ranges.
func TestTableAndRuntimeAgree(t *testing.T) {
	t.Parallel()
	for i := range directive.Table {
		spec := &directive.Table[i]
		if !spec.Policy || spec.Refused != "" {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			def, ok := defaults[spec.Name]
			require.True(t, ok, "a policy without a configuration here")
			loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile | packages.NeedImports},
				"github.com/resilgen/resilgen/runtime/"+spec.Package)
			require.NoError(t, err)
			exported := loaded[0].Types.Scope()

			fields := map[string]bool{}
			for _, key := range spec.Keys {
				for _, choice := range key.Choices {
					if choice.Go != "" {
						require.NotNil(t, exported.Lookup(choice.Go), "%s=%s", key.Name, choice.Text)
					}
				}
				name := strings.ToUpper(key.Name[:1]) + key.Name[1:]
				if _, ok := reflect.TypeOf(def).FieldByName(name); !ok {
					require.Empty(t, key.Option, "%s has an option and no field", key.Name)
					continue
				}
				fields[name] = true
				if key.Option == "" {
					require.True(t, served[name], "%s has a field and no option", key.Name)
					continue
				}
				require.NotNil(t, exported.Lookup(key.Option), key.Option)
				compareKey(t, spec, key, def, name)
			}
			for i := range reflect.TypeOf(def).NumField() {
				require.True(t, fields[reflect.TypeOf(def).Field(i).Name], "%s has no key", reflect.TypeOf(def).Field(i).Name)
			}
		})
	}
}

// compareKey compares a key's default and range with what the field has and the configuration accepts.
func compareKey(t *testing.T, spec *directive.Spec, key directive.Key, def config, field string) {
	if key.Default != "" {
		value, problems := parse(spec, key, key.Default)
		require.Empty(t, problems, "the default of %s", key.Name)
		switch have := reflect.ValueOf(def).FieldByName(field).Interface().(type) {
		case int:
			require.EqualValues(t, value.Int, have, key.Name)
		case float64:
			require.Equal(t, value.Float, have, key.Name)
		case bool:
			require.Equal(t, value.Bool, have, key.Name)
		case time.Duration:
			require.Equal(t, value.Duration, have, key.Name)
		default:
			require.Equal(t, key.Default, reflect.ValueOf(have).MethodByName("String").Call(nil)[0].String(), key.Name)
		}
	}
	for _, edge := range []string{key.Min, key.Max} {
		if edge == "" {
			continue
		}
		for _, step := range []int{-1, 0, 1} {
			text, value := near(t, key.Type, edge, step)
			if value == nil {
				continue
			}
			_, problems := parse(spec, key, text)
			changed := reflect.New(reflect.TypeOf(def)).Elem()
			changed.Set(reflect.ValueOf(def))
			for _, flag := range []string{"EnableExponentialBackoff", "EnableRandomizedWait"} {
				if f := changed.FieldByName(flag); f.IsValid() { // without it, what it needs is not looked at
					f.SetBool(true)
				}
			}
			changed.FieldByName(field).Set(reflect.ValueOf(value))
			err := changed.Interface().(config).Validate()
			require.Equal(t, len(problems) == 0, err == nil, "%s=%s: the generator says %v, the runtime %v", key.Name, text, problems, err)
		}
	}
}

// near returns the value that lies step before or behind the edge of a range, as text and as Go value. The value is nil
// where no field can hold it.
func near(t *testing.T, kind directive.Type, edge string, step int) (string, any) {
	switch kind {
	case directive.Int:
		n, err := strconv.Atoi(edge)
		require.NoError(t, err)
		if n == math.MaxInt32 && step > 0 {
			return "", nil // the generator's own limit, so that a number means the same on every machine
		}
		return strconv.Itoa(n + step), n + step
	case directive.Duration:
		d, err := time.ParseDuration(edge)
		require.NoError(t, err)
		d += time.Duration(step)
		return d.String(), d
	default:
		f, err := strconv.ParseFloat(edge, 64)
		require.NoError(t, err)
		f += float64(step) / 1000
		return strconv.FormatFloat(f, 'g', -1, 64), f
	}
}

// parse reads key=text as it stands in a comment.
func parse(spec *directive.Spec, key directive.Key, text string) (directive.Value, []directive.Problem) {
	var problems directive.Problems
	d, _ := directive.Parse(&ast.Comment{Slash: 1, Text: "//resil:" + spec.Name + " " + key.Name + "=" + text}, &problems)
	if arg := d.Arg(key.Name); arg != nil {
		return arg.Value, problems.List
	}
	return directive.Value{}, problems.List
}

package generatedtest_test

import (
	"go/ast"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// config is what every policy's Config can do.
type config interface{ Validate() error }

// A setting is what a directive sets, which may depend on its key type.
type setting struct {
	of  string
	def config
}

// settings are the default configurations by the directive that sets them.
var settings = map[string][]setting{
	"circuitbreaker": {{def: breaker.DefaultConfig()}},
	"retry":          {{def: retry.DefaultConfig()}},
	"ratelimiter":    {{def: limiter.DefaultConfig()}},
	"timelimiter":    {{def: timelimiter.DefaultConfig()}},
	"bulkhead":       {{"semaphore", bulkhead.DefaultConfig()}, {"pool", bulkhead.DefaultPoolConfig()}},
}

// served lists the fields that only calls by hand consult: generated code calls the functions that the annotation names.
var served = map[string]bool{
	"RecordResult": true, "TransitionOnResult": true, "RetryResult": true, "ConsumeResultBeforeRetryAttempt": true,
	"DrainPermissionsOnResult": true,
}

// TestTableAndRuntimeAgree holds the table of directives, which cannot import the runtime, to what the runtime has:
// fields, options, constants, defaults and ranges.
func TestTableAndRuntimeAgree(t *testing.T) {
	t.Parallel()
	for i := range directive.Table {
		spec := &directive.Table[i]
		if !spec.Policy {
			continue
		}
		require.NotEmpty(t, settings[spec.Name], "%s has no configuration here", spec.Name)
		for _, has := range settings[spec.Name] {
			t.Run(spec.Name+has.of, func(t *testing.T) {
				t.Parallel()
				compareSpec(t, spec, has)
			})
		}
	}
}

func compareSpec(t *testing.T, spec *directive.Spec, has setting) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile | packages.NeedImports},
		"github.com/resilgen/resilgen/runtime/"+spec.Package)
	require.NoError(t, err)
	exported := loaded[0].Types.Scope()
	config := reflect.TypeOf(has.def)

	fields := map[string]bool{}
	for _, key := range spec.Keys {
		if key.Of != "" && key.Of != has.of {
			continue
		}
		for _, choice := range key.Choices {
			if choice.Go != "" {
				require.NotNil(t, exported.Lookup(choice.Go), "%s=%s", key.Name, choice.Text)
			}
		}
		name := strings.ToUpper(key.Name[:1]) + key.Name[1:]
		if _, ok := config.FieldByName(name); !ok {
			require.Empty(t, key.Option, "%s has an option and no field", key.Name)
			continue
		}
		fields[name] = true
		if key.Option == "" {
			require.True(t, served[name], "%s has a field and no option", key.Name)
			continue
		}
		layer := plan.Layer{Spec: spec, Pool: has.of == "pool"}
		option, ok := exported.Lookup(layer.OptionName(&plan.Option{Key: &key})).(*types.Func)
		require.True(t, ok, "the option of %s", key.Name)
		changes := option.Signature().Results().At(0).Type().Underlying().(*types.Signature).Params().At(0).Type()
		require.Equal(t, config.Name(), changes.(*types.Pointer).Elem().(*types.Named).Obj().Name(), key.Name)
		compareKey(t, spec, key, has, name)
	}
	for i := range config.NumField() {
		require.True(t, fields[config.Field(i).Name], "%s has no key", config.Field(i).Name)
	}
}

// compareKey compares a key's default and range with what the field has and the configuration accepts.
func compareKey(t *testing.T, spec *directive.Spec, key directive.Key, has setting, field string) {
	def := has.def
	if key.Default != "" {
		value, problems := parse(spec, has, key, key.Default)
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
			_, problems := parse(spec, has, key, text)
			changed := reflect.New(reflect.TypeOf(def)).Elem()
			changed.Set(reflect.ValueOf(def))
			for _, flag := range []string{"EnableExponentialBackoff", "EnableRandomizedWait"} {
				if f := changed.FieldByName(flag); f.IsValid() { // without it, what it needs is not looked at
					f.SetBool(true)
				}
			}
			if f := changed.FieldByName("MaxThreadPoolSize"); f.IsValid() { // which coreThreadPoolSize is held against
				f.SetInt(math.MaxInt32)
			}
			if f := changed.FieldByName("LimitForPeriod"); f.IsValid() { // which lease is held against
				f.SetInt(math.MaxInt32)
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
func parse(spec *directive.Spec, has setting, key directive.Key, text string) (directive.Value, []directive.Problem) {
	var problems directive.Problems
	name := spec.Name
	if has.of != "" {
		name += " type=" + has.of
	}
	d, _ := directive.Parse(&ast.Comment{Slash: 1, Text: "//resil:" + name + " " + key.Name + "=" + text}, &problems)
	if arg := d.Arg(key.Name); arg != nil {
		return arg.Value, problems.List
	}
	return directive.Value{}, problems.List
}

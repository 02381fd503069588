package config_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// configs are the policies' defaults.
var configs = map[policy.Kind]interface{ Validate() error }{
	policy.CircuitBreaker:     breaker.DefaultConfig(),
	policy.Retry:              retry.DefaultConfig(),
	policy.RateLimiter:        limiter.DefaultConfig(),
	policy.TimeLimiter:        timelimiter.DefaultConfig(),
	policy.Bulkhead:           bulkhead.DefaultConfig(),
	policy.ThreadPoolBulkhead: bulkhead.DefaultPoolConfig(),
}

// operational are the settings that no Config has.
var operational = []string{
	"forceState", "registerHealthIndicator", "allowHealthIndicatorToFail", "eventConsumerBufferSize",
}

func lowerCamel(field string) string { return string(unicode.ToLower(rune(field[0]))) + field[1:] }
func upperCamel(key string) string   { return strings.ToUpper(key[:1]) + key[1:] }

func TestEveryFieldOfAPolicyHasAKeyOfItsName(t *testing.T) {
	for kind, defaults := range configs {
		keys := map[string]config.Key{}
		for _, k := range config.Keys(kind) {
			keys[k.Name] = k
		}
		fields := reflect.TypeOf(defaults)
		for i := range fields.NumField() {
			k, ok := keys[lowerCamel(fields.Field(i).Name)]
			require.True(t, ok, "%s: no key for %s", kind, fields.Field(i).Name)
			require.Equal(t, k.Name, k.Sets, kind)
		}
	}
}

func TestEveryKeySetsAFieldOrIsOperational(t *testing.T) {
	for kind, defaults := range configs {
		for _, k := range config.Keys(kind) {
			switch {
			case k.Type == config.NoMeaning:
				require.Empty(t, k.Sets, "%s %s", kind, k.Name)
			case k.Name == "baseConfig":
			default:
				_, field := reflect.TypeOf(defaults).FieldByName(upperCamel(k.Sets))
				require.True(t, field || slices.Contains(operational, k.Sets), "%s %s sets %q", kind, k.Name, k.Sets)
			}
			require.NotEmpty(t, k.Doc, "%s %s", kind, k.Name)
		}
	}
	require.Nil(t, config.Keys(policy.Fallback))
}

// setting returns what a text of a key becomes, and whether the reader takes it.
func setting(t *testing.T, kind policy.Kind, k config.Key, text string) (value any, ok bool) {
	t.Helper()
	beside := map[string]string{
		"exponentialBackoffMultiplier":          "enableExponentialBackoff: true",
		"exponentialMaxWaitDuration":            "enableExponentialBackoff: true",
		"exponentialMaxWaitDurationInOpenState": "enableExponentialBackoff: true",
		"randomizedWaitFactor":                  "enableRandomizedWait: true",
		"transitionToStateAfterWaitDuration":    "maxWaitDurationInHalfOpenState: 1s",
		"allowHealthIndicatorToFail":            "registerHealthIndicator: true",
		"burst":                                 "algorithm: SMOOTH",
	}[k.Name]
	document, err := load(t, "resil."+string(kind)+".instances.a:\n  "+k.Name+": "+text+"\n  "+beside+"\n")
	if err != nil {
		require.ErrorContains(t, err, "resil.yaml:2:")
		return nil, false
	}
	return values(document.Instances[0])[k.Sets], true
}

// valid reports whether the policy takes a field's value.
func valid(defaults interface{ Validate() error }, field string, value any) bool {
	changed := reflect.New(reflect.TypeOf(defaults)).Elem()
	changed.Set(reflect.ValueOf(defaults))
	for _, flag := range []string{"EnableExponentialBackoff", "EnableRandomizedWait"} {
		if f := changed.FieldByName(flag); f.IsValid() {
			f.SetBool(true)
		}
	}
	changed.FieldByName(field).Set(reflect.ValueOf(value))
	return changed.Interface().(interface{ Validate() error }).Validate() == nil
}

func TestTheTablesDefaultsAreThePolicies(t *testing.T) {
	for kind, defaults := range configs {
		for _, k := range config.Keys(kind) {
			if k.Default == "" || slices.Contains(operational, k.Sets) {
				continue
			}
			field := reflect.ValueOf(defaults).FieldByName(upperCamel(k.Sets))
			value, ok := setting(t, kind, k, k.Default)
			require.True(t, ok, "%s %s", kind, k.Name)
			require.Equal(t, field.Interface(), value, "%s %s", kind, k.Name)
		}
	}
}

func TestTheTablesRangesAreThePolicies(t *testing.T) {
	for kind, defaults := range configs {
		for _, k := range config.Keys(kind) {
			if k.Type == config.NoMeaning || k.Sets == "" || slices.Contains(operational, k.Sets) {
				continue
			}
			field, name := upperCamel(k.Sets), string(kind)+" "+k.Name
			for _, text := range []string{"-1", "0", "1", "2", "0.5", "1.5", "99", "100", "101", "1024", "1025", "1ns", "999us", "1ms",
				"2147483647", "2147483648"} {
				value, ok := setting(t, kind, k, text)
				switch {
				case ok && k.Type != config.NameList && k.Type != config.Text:
					// What is bounded by another setting is for the policy to refuse.
					if k.Name != "lease" && k.Name != "coreThreadPoolSize" {
						require.True(t, valid(defaults, field, value), "%s: %s", name, text)
					}
				case k.Type == config.Duration:
					if d, err := time.ParseDuration(text); err == nil {
						require.False(t, valid(defaults, field, d), "%s: %s", name, text)
					}
				case k.Type == config.Int:
					if n, err := strconv.Atoi(text); err == nil {
						require.False(t, valid(defaults, field, n), "%s: %s", name, text)
					}
				case k.Type == config.Float:
					if f, err := strconv.ParseFloat(text, 64); err == nil {
						require.False(t, valid(defaults, field, f), "%s: %s", name, text)
					}
				}
			}
		}
	}
}

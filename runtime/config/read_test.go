package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// load reads a text as a file of the name resil.yaml.
func load(t *testing.T, text string) (*resil.Document, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("resil.yaml", []byte(text), 0o600))
	return config.Load("resil.yaml")
}

// mustLoad is load of a text that is right.
func mustLoad(t *testing.T, text string) *resil.Document {
	t.Helper()
	document, err := load(t, text)
	require.NoError(t, err)
	require.Empty(t, document.Unknown)
	return document
}

// values are the settings of a section by their keys.
func values(s resil.Section) map[string]any {
	all := map[string]any{}
	for _, setting := range s.Settings {
		all[setting.Key] = setting.Value
	}
	return all
}

func TestNestedDottedCamelAndKebabAreOne(t *testing.T) {
	want := map[string]any{"maxAttempts": 4, "waitDuration": 20 * time.Millisecond}
	for name, text := range map[string]string{
		"nested":          "resilience4j:\n  retry:\n    instances:\n      a:\n        maxAttempts: 4\n        waitDuration: 20ms\n",
		"dotted":          "resilience4j.retry.instances.a.maxAttempts: 4\nresilience4j.retry.instances.a.waitDuration: 20ms\n",
		"kebab":           "resil:\n  retry:\n    instances:\n      a: {max-attempts: 4, wait-duration: 20ms}\n",
		"mixed":           "resilience4j.retry:\n  instances.a: {max-attempts: 4}\nresil:\n  retry.instances:\n    a.waitDuration: 20ms\n",
		"backends":        "resilience4j.retry.backends.a: {maxAttempts: 4, waitDuration: 20}\n",
		"brackets":        "resil.retry.instances[a].maxAttempts: 4\nresil.retry.instances.[a].wait_duration: PT0.02S\n",
		"JSON":            "{\"resilience4j\": {\"retry\": {\"instances\": {\"a\":\n\t{\"maxAttempts\": 4, \"waitDuration\": \"20ms\"}}}}}\n",
		"carriage return": "resil:\r\n  retry:\r\n    instances:\r\n      a:\r\n        maxAttempts: 4\r\n        waitDuration: 20ms\r\n",
		"byte order mark": "\ufeffresil.retry.instances.a: {maxAttempts: 4, waitDuration: 20ms}\n",
		"merge key":       "x-shared: &shared {max-attempts: 9, waitDuration: 20ms}\nresil.retry.instances.a: {<<: *shared, maxAttempts: 4}\n",
		"list of merges":  "x-a: &a {maxAttempts: 4}\nx-b: &b {maxAttempts: 5, waitDuration: 20ms}\nresil.retry.instances.a: {<<: [*a, *b]}\n",
		"alias":           "x-a: &a {maxAttempts: 4, waitDuration: 20ms}\nresil.retry.instances.a: *a\n",
		"aliased value":   "x-a: &a 4\nresil.retry.instances.a: {maxAttempts: *a, waitDuration: 20ms}\n",
		"quoted":          "resil.retry.instances.a: {\"maxAttempts\": \"4\", 'waitDuration': '20'}\n",
	} {
		t.Run(name, func(t *testing.T) {
			document := mustLoad(t, text)
			require.Len(t, document.Instances, 1)
			section := document.Instances[0]
			require.Equal(t, policy.Retry, section.Kind)
			require.Equal(t, "a", section.Name)
			require.Equal(t, want, values(section))
		})
	}
}

func TestAnEmptyFileSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "{}", "null", "\ufeff", "resilience4j:\n", "resil: {retry: {instances: }}",
		"resil.retry: {configs: {}}"} {
		require.Equal(t, &resil.Document{Name: "resil.yaml"}, mustLoad(t, text), "%q", text)
	}
}

func TestNamesKeepTheirDots(t *testing.T) {
	document := mustLoad(t, `
resil.retry:
  instances:
    inventory.Client.Stock: {maxAttempts: 2}
    inventory.Client.Order.maxAttempts: 3
    "[inventory.Client.Close].maxAttempts": 4
    inventory.Client.Nothing:
  configs.short.lived.maxAttempts: 5
resil.circuitbreaker.instances.a.b.recordErrors[0]: net.Error
`)
	var names []string
	for _, s := range document.Instances {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{
		"inventory.Client.Stock", "inventory.Client.Order", "inventory.Client.Close", "inventory.Client.Nothing", "a.b",
	}, names)
	require.Equal(t, "short.lived", document.Configurations[0].Name)
	require.Empty(t, document.Instances[3].Settings)
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"50s": 50 * time.Second, "10ms": 10 * time.Millisecond, "5000": 5 * time.Second, "PT10S": 10 * time.Second,
		"0": 0, "1m30s": 90 * time.Second, "1.5s": 1500 * time.Millisecond, "2d": 48 * time.Hour, "3h": 3 * time.Hour,
		"P1DT2H3M4.5S": 26*time.Hour + 3*time.Minute + 4500*time.Millisecond, "pt1m": time.Minute, "+5": 5 * time.Millisecond,
		"100us": 100 * time.Microsecond, "7ns": 7, "'250'": 250 * time.Millisecond, "10S": 10 * time.Second,
	} {
		document := mustLoad(t, "resil.bulkhead.instances.a.maxWaitDuration: "+text)
		require.Equal(t, want, values(document.Instances[0])["maxWaitDuration"], text)
	}
}

func TestValuesHaveTheTypesOfTheirFields(t *testing.T) {
	document := mustLoad(t, `
resil:
  circuitbreaker.instances.a:
    failureRateThreshold: 12.5
    slidingWindowType: time-based
    initialState: metricsOnly
    forceState: FORCED_OPEN
    enabled: off
    registerHealthIndicator: yes
    allowHealthIndicatorToFail: true
    eventConsumerBufferSize: 1_000
    minimumNumberOfCalls: 7
  ratelimiter.limiters.a:
    algorithm: smooth
    burst: 3
    backend: redis
    rateType: perClient
    onUnavailable: local
    onRateMismatch: adopt
    keepAliveTime: 1h
    shards: 4
    lease: 10
`)
	require.Equal(t, map[string]any{
		"failureRateThreshold": 12.5, "slidingWindowType": breaker.TimeBased, "initialState": breaker.MetricsOnly,
		"forceState": breaker.ForcedOpen, "enabled": false, "registerHealthIndicator": true,
		"allowHealthIndicatorToFail": true, "eventConsumerBufferSize": 1000, "minimumNumberOfCalls": 7,
	}, values(document.Instances[0]))
	require.Equal(t, map[string]any{
		"algorithm": limiter.Smooth, "burst": 3, "backend": "redis", "rateType": limiter.PerClient,
		"onUnavailable": limiter.Local, "onRateMismatch": limiter.Adopt, "keepAliveTime": time.Hour, "shards": 4, "lease": 10,
	}, values(document.Instances[1]))
}

func TestErrorsAreNamed(t *testing.T) {
	document := mustLoad(t, `
resil.circuitbreaker.instances:
  a:
    recordExceptions: [java.io.IOException, net.Error]
    recordFailurePredicate: com.example.Predicate
    recordErrors: context.DeadlineExceeded, io.EOF
    ignoreErrors: []
  b.recordExceptions[0]: one
  b.recordExceptions[1]: two
`)
	at := func(line, column int) resil.Position {
		return resil.Position{File: "resil.yaml", Line: line, Column: column}
	}
	require.Equal(t, map[string]any{
		"recordErrors": resil.Names{
			{Text: "java.io.IOException", Position: at(4, 24)},
			{Text: "net.Error", Position: at(4, 45)},
			{Text: "com.example.Predicate", Position: at(5, 29)},
			{Text: "context.DeadlineExceeded", Position: at(6, 19)},
			{Text: "io.EOF", Position: at(6, 19)},
		},
		"ignoreErrors": resil.Names{},
	}, values(document.Instances[0]))
	require.Equal(t, map[string]any{
		"recordErrors": resil.Names{{Text: "one", Position: at(8, 26)}, {Text: "two", Position: at(9, 26)}},
	}, values(document.Instances[1]))
}

func TestTenants(t *testing.T) {
	document := mustLoad(t, `
resil.tenants:
  acme:
    retry.instances.stock.maxAttempts: 2
    ratelimiter: {instances: {stock: {limitForPeriod: 5}}}
  eu.west: {retry: {instances: {stock: {maxAttempts: 3}}}}
resil.tenants.eu.north.retry.instances.stock.maxAttempts: 4
`)
	var got []string
	for _, s := range document.Instances {
		got = append(got, s.Tenant+" "+string(s.Kind)+" "+s.Name)
	}
	require.Equal(t, []string{
		"acme retry stock", "acme ratelimiter stock", "eu.west retry stock", "eu.north retry stock",
	}, got)
}

func TestLowerOrderIsFurtherOut(t *testing.T) {
	for text, want := range map[string][]policy.Kind{
		"resil: {circuitbreaker: {circuitBreakerAspectOrder: 1}, retry: {retryAspectOrder: 2}}":     {policy.CircuitBreaker, policy.Retry},
		"resil: {bulkhead: {bulkhead-aspect-order: -5}, time-limiter: {timeLimiterAspectOrder: 2}}": {policy.Bulkhead, policy.TimeLimiter},
		"resil: {ratelimiter.rateLimiterAspectOrder: 1, retry.retryAspectOrder: 1}":                 {policy.Retry, policy.RateLimiter},
		"resil: {retry: {instances: {a: }}}":                                                        nil,
	} {
		require.Equal(t, want, mustLoad(t, text).Order, text)
	}
}

func TestTheSwitchOfEverything(t *testing.T) {
	require.Nil(t, mustLoad(t, "resil.retry.instances.a:").Enabled)
	require.False(t, *mustLoad(t, "resil.enabled: false").Enabled)
	require.True(t, *mustLoad(t, "resilience4j: {enabled: true}").Enabled)
}

func TestKeysOfJavaAloneAreWarnings(t *testing.T) {
	document := mustLoad(t, `
resilience4j:
  micrometer.enabled: true
  scheduled.executor: {corePoolSize: 4}
  circuitbreaker:
    metrics: {enabled: true}
    tags: {team: blue}
    instances.a: {writableStackTraceEnabled: true, maxWaitDurationInHalfOpenState: 1s}
  thread-pool-bulkhead.instances.a.contextPropagators: [a.B, a.C]
`)
	var got []string
	for _, w := range document.Warnings {
		got = append(got, w.String())
	}
	require.Equal(t, []string{
		"resil.yaml:3:3: micrometer has no meaning here: metrics are not set by a file",
		"resil.yaml:4:3: scheduled has no meaning here: there are no thread pools to schedule on",
		"resil.yaml:6:5: metrics has no meaning here: metrics are not set by a file",
		"resil.yaml:7:5: tags has no meaning here: write resil.WithTags in code",
		"resil.yaml:8:19: writableStackTraceEnabled has no meaning here: errors of Go have no stack traces",
		"resil.yaml:9:36: contextPropagators has no meaning here: goroutines get the context of the call",
	}, got)
	require.Len(t, document.Instances, 2)
}

func TestASettingNeedsWhatItIsAboutSomewhereInItsLayers(t *testing.T) {
	for name, text := range map[string]string{
		"beside it":                    "resil.retry.instances.a: {enableExponentialBackoff: true, exponentialBackoffMultiplier: 2}",
		"switched off for now":         "resil.retry.instances.a: {enableExponentialBackoff: false, exponentialBackoffMultiplier: 2}",
		"in the default":               "resil.retry: {configs.default.enableExponentialBackoff: true, instances.a.exponentialBackoffMultiplier: 2}",
		"in the base":                  "resil.retry: {configs.b.enableExponentialBackoff: true, instances.a: {baseConfig: b, exponentialBackoffMultiplier: 2}}",
		"in the base's base":           "resil.retry: {configs: {c: {enableExponentialBackoff: true}, b: {baseConfig: c}}, instances.a: {baseConfig: b, exponentialBackoffMultiplier: 2}}",
		"in the default's base":        "resil.retry: {configs: {x: {enableExponentialBackoff: true}, default.baseConfig: x}, instances.a.exponentialBackoffMultiplier: 2}",
		"in the instance":              "resil.retry: {configs.b.exponentialBackoffMultiplier: 2, instances.a: {baseConfig: b, enableExponentialBackoff: true}}",
		"in an instance":               "resil.retry: {configs.default.exponentialBackoffMultiplier: 2, instances.a: {enableExponentialBackoff: true}}",
		"perhaps in a base in code":    "resil.retry.instances.a: {baseConfig: code, exponentialBackoffMultiplier: 2}",
		"in the base name":             "resil.retry.instances: {a: {enableExponentialBackoff: true}, a-7: {exponentialBackoffMultiplier: 2}}",
		"outside of the tenant":        "resil: {retry.instances.a: {enableExponentialBackoff: true}, tenants.t.retry.instances.a: {exponentialBackoffMultiplier: 2}}",
		"either of two":                "resil.circuitbreaker.instances.a: {enableRandomizedWait: true, exponentialMaxWaitDurationInOpenState: 2m}",
		"bases in a circle, elsewhere": "resil.retry.configs: {a: {baseConfig: b, enableExponentialBackoff: true}, b: {baseConfig: a, exponentialBackoffMultiplier: 2}}",
	} {
		t.Run(name, func(t *testing.T) { mustLoad(t, text) })
	}
}

func TestAFileThatIsNotThereIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resil.yaml")
	_, err := config.Load(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.EqualError(t, err, path+": the file can't be read: no such file or directory")
	_, err = resil.New(config.File(path))
	require.ErrorIs(t, err, os.ErrNotExist)
}

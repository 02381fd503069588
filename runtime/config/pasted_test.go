package config_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

// pasted is a block of a Spring application, as it stands there.
const pasted = `resilience4j.circuitbreaker:
    configs:
        default: {slidingWindowSize: 100, permittedNumberOfCallsInHalfOpenState: 10, waitDurationInOpenState: 10000, failureRateThreshold: 60, eventConsumerBufferSize: 10, registerHealthIndicator: true}
        someShared: {slidingWindowSize: 50, permittedNumberOfCallsInHalfOpenState: 10}
    instances:
        backendA: {baseConfig: default, waitDurationInOpenState: 5000}
        backendB: {baseConfig: someShared, slidingWindowType: TIME_BASED, minimumNumberOfCalls: 20, waitDurationInOpenState: 50s, recordFailurePredicate: io.github.robwin.exception.RecordFailurePredicate}
resilience4j.retry:
    instances:
        backendA: {maxAttempts: 3, waitDuration: 10s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 2, retryExceptions: [java.io.IOException], ignoreExceptions: [io.github.robwin.exception.BusinessException]}
resilience4j.bulkhead:
    instances:
        backendA: {maxConcurrentCalls: 10}
        backendB: {maxWaitDuration: 10ms, maxConcurrentCalls: 20}
resilience4j.thread-pool-bulkhead:
    instances:
        backendC: {maxThreadPoolSize: 1, coreThreadPoolSize: 1, queueCapacity: 1, writableStackTraceEnabled: true}
resilience4j.ratelimiter:
    instances:
        backendA: {limitForPeriod: 10, limitRefreshPeriod: 1s, timeoutDuration: 0, registerHealthIndicator: true, eventConsumerBufferSize: 100}
        backendB: {limitForPeriod: 6, limitRefreshPeriod: 500ms, timeoutDuration: 3s}
resilience4j:
  circuitbreaker: {circuitBreakerAspectOrder: 1}
  retry: {retryAspectOrder: 2}
`

var quiet = resil.WithLogger(slog.New(slog.DiscardHandler))

// newRuntime is resil.New, closed when the test ends.
func newRuntime(t *testing.T, opts ...resil.Option) *resil.Runtime {
	t.Helper()
	rt, err := resil.New(append(opts, quiet)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// places are where warnings stand, as in 7:3, each with the line's text that begins there.
func places(warnings []resil.Warning, text string) []string {
	var all []string
	lines := strings.Split(text, "\n")
	for _, w := range warnings {
		rest := lines[w.Position.Line-1][w.Position.Column-1:]
		all = append(all, rest[:strings.IndexAny(rest+"]", ":]}")])
	}
	return all
}

func TestAPastedSpringBlockWarnsOfWhatOnlyJavaHas(t *testing.T) {
	rt := newRuntime(t, config.Parse([]byte(pasted)))
	require.Equal(t, []string{
		"io.github.robwin.exception.RecordFailurePredicate", "java.io.IOException",
		"io.github.robwin.exception.BusinessException", "writableStackTraceEnabled",
	}, places(rt.Warnings(), pasted))
	for i, line := range []int{7, 10, 10, 17} {
		require.Equal(t, "configuration", rt.Warnings()[i].Position.File)
		require.Equal(t, line, rt.Warnings()[i].Position.Line)
	}

	_, err := resil.New(config.Parse([]byte(pasted)), resil.Strict(), quiet)
	require.Error(t, err)
	require.Equal(t, 4, strings.Count(err.Error(), "configuration:"), err)
}

func TestEachValueOfAPastedSpringBlockArrives(t *testing.T) {
	rt := newRuntime(t, config.Parse([]byte(pasted)))

	// What backendA says, over configs.default.
	a, ok := rt.Breaker("backendA")
	require.True(t, ok)
	want := breaker.DefaultConfig()
	want.SlidingWindowSize = 100
	want.PermittedNumberOfCallsInHalfOpenState = 10
	want.WaitDurationInOpenState = 5 * time.Second
	want.FailureRateThreshold = 60
	require.Equal(t, want, a.Config())

	// What backendB says, over someShared, over configs.default.
	b, ok := rt.Breaker("backendB")
	require.True(t, ok)
	got := b.Config()
	require.False(t, got.RecordErrors.Matches(errors.New("any")), "nothing is known as the predicate's name")
	require.False(t, got.RecordErrors.IsZero())
	got.RecordErrors = policy.ErrorRule{}
	want.SlidingWindowSize = 50
	want.SlidingWindowType = breaker.TimeBased
	want.MinimumNumberOfCalls = 20
	want.WaitDurationInOpenState = 50 * time.Second
	require.Equal(t, want, got)

	r, ok := rt.Retry("backendA")
	require.True(t, ok)
	retries := r.Config()
	require.False(t, retries.RetryErrors.IsZero())
	require.False(t, retries.RetryErrors.Matches(io.ErrUnexpectedEOF))
	require.False(t, retries.IgnoreErrors.IsZero())
	require.False(t, retries.IgnoreErrors.Matches(io.ErrUnexpectedEOF))
	retries.RetryErrors, retries.IgnoreErrors = policy.ErrorRule{}, policy.ErrorRule{}
	wantRetry := retry.DefaultConfig()
	wantRetry.MaxAttempts = 3
	wantRetry.WaitDuration = 10 * time.Second
	wantRetry.EnableExponentialBackoff = true
	wantRetry.ExponentialBackoffMultiplier = 2
	require.Equal(t, wantRetry, retries)

	for name, want := range map[string]bulkhead.Config{
		"backendA": {MaxConcurrentCalls: 10, FairCallHandlingEnabled: true, Enabled: true},
		"backendB": {
			MaxConcurrentCalls: 20, MaxWaitDuration: 10 * time.Millisecond, FairCallHandlingEnabled: true, Enabled: true,
		},
	} {
		h, ok := rt.Bulkhead(name)
		require.True(t, ok, name)
		require.Equal(t, want, h.Config(), name)
	}

	pool, ok := rt.PoolBulkhead("backendC")
	require.True(t, ok)
	wantPool := bulkhead.DefaultPoolConfig()
	wantPool.MaxThreadPoolSize, wantPool.CoreThreadPoolSize, wantPool.QueueCapacity = 1, 1, 1
	require.Equal(t, wantPool, pool.Config())

	for name, want := range map[string]limiter.Config{
		"backendA": {LimitForPeriod: 10, LimitRefreshPeriod: time.Second, Enabled: true},
		"backendB": {
			LimitForPeriod: 6, LimitRefreshPeriod: 500 * time.Millisecond, TimeoutDuration: 3 * time.Second, Enabled: true,
		},
	} {
		l, ok := rt.Limiter(name)
		require.True(t, ok, name)
		require.Equal(t, want, l.Config(), name)
	}

	var healthy []string
	for _, i := range rt.Health().Instances {
		healthy = append(healthy, string(i.Kind)+" "+i.Name)
	}
	require.Equal(t, []string{"circuitbreaker backendA", "circuitbreaker backendB", "ratelimiter backendA"}, healthy)
}

func TestThePastedBufferSizesBoundWhatIsRemembered(t *testing.T) {
	rt := newRuntime(t, config.Parse([]byte(pasted)))
	for name, want := range map[string]int{"backendA": 10, "backendB": 10} {
		b, _ := rt.Breaker(name)
		for range 15 {
			require.NoError(t, breaker.Run(t.Context(), b, nothing))
		}
		require.Len(t, rt.RecentEvents(policy.CircuitBreaker, name), want, name)
	}
	a, _ := rt.Limiter("backendA")
	for range 105 {
		_ = a.Acquire(t.Context(), 1)
	}
	require.Len(t, rt.RecentEvents(policy.RateLimiter, "backendA"), 100)
	require.Empty(t, rt.RecentEvents(policy.RateLimiter, "backendB"))
}

func TestRegisteredNamesOfAPastedSpringBlockWork(t *testing.T) {
	business, recorded := errors.New("business"), errors.New("recorded")
	rt := newRuntime(t, config.Parse([]byte(pasted)),
		resil.WithErrorName("java.io.IOException", io.ErrUnexpectedEOF),
		resil.WithErrorName("io.github.robwin.exception.BusinessException", business),
		resil.WithErrorName("io.github.robwin.exception.RecordFailurePredicate",
			func(err error) bool { return errors.Is(err, recorded) }))
	require.Equal(t, []string{"writableStackTraceEnabled"}, places(rt.Warnings(), pasted))

	r, _ := rt.Retry("backendA")
	require.True(t, r.Config().RetryErrors.Matches(io.ErrUnexpectedEOF))
	require.False(t, r.Config().RetryErrors.Matches(business))
	require.True(t, r.Config().IgnoreErrors.Matches(business))
	b, _ := rt.Breaker("backendB")
	require.True(t, b.Config().RecordErrors.Matches(recorded))
	require.False(t, b.Config().RecordErrors.Matches(business))
}

func TestThePastedOrderIsDemandedOfWrappers(t *testing.T) {
	rt := newRuntime(t, config.Parse([]byte(pasted)))
	bind := func(layers ...policy.Kind) error {
		b := resil.Bind(rt, "example.com/shop/inventory", "inventory.Client")
		var breakers resil.Ref[breaker.Breaker]
		b.Breaker(&breakers, "backendA")
		b.Order("Stock", layers...)
		return b.Err()
	}
	require.NoError(t, bind(policy.CircuitBreaker, policy.Retry, policy.RateLimiter, policy.TimeLimiter, policy.Bulkhead))
	require.ErrorContains(t, bind(policy.Retry, policy.CircuitBreaker), "resilgen -config")

	document, err := load(t, pasted)
	require.NoError(t, err)
	require.Equal(t, []policy.Kind{policy.CircuitBreaker, policy.Retry}, document.Order)
}

func TestUnknownKeysAreErrorsOrWarnings(t *testing.T) {
	text := config.Parse([]byte("resil.retry.instances.a: {maxAttempts: 2, maxAttemts: 3}"))
	_, err := resil.New(text, quiet)
	require.EqualError(t, err, `configuration:1:43: unknown key "maxAttemts" of retry "a"; did you mean maxAttempts?`)
	rt := newRuntime(t, text, resil.WithUnknownKeys(resil.Warn))
	require.Len(t, rt.Warnings(), 1)
	r, _ := rt.Retry("a")
	require.Equal(t, 2, r.Config().MaxAttempts)
}

func TestAFileSystemHasAFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/resil.yaml", []byte("resil.retry.instances.a.maxAttempts: 7"), 0o600))
	rt := newRuntime(t, config.FS(os.DirFS(dir), "resil.yaml"))
	r, ok := rt.Retry("a")
	require.True(t, ok)
	require.Equal(t, 7, r.Config().MaxAttempts)
	_, err := resil.New(config.FS(os.DirFS(dir), "other.yaml"), quiet)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = resil.New(config.FS(nil, "other.yaml"), quiet)
	require.ErrorContains(t, err, "the file system is nil")
}

package breaker_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

// options sets every field of a Config to something else than its default, by the option that is named for it.
var options = map[string]breaker.Option{
	"Enabled":                                      breaker.WithEnabled(false),
	"FailureRateThreshold":                         breaker.WithFailureRateThreshold(1),
	"SlowCallRateThreshold":                        breaker.WithSlowCallRateThreshold(1),
	"SlowCallDurationThreshold":                    breaker.WithSlowCallDurationThreshold(1),
	"SlidingWindowType":                            breaker.WithSlidingWindowType(breaker.TimeBased),
	"SlidingWindowSize":                            breaker.WithSlidingWindowSize(1),
	"MinimumNumberOfCalls":                         breaker.WithMinimumNumberOfCalls(1),
	"PermittedNumberOfCallsInHalfOpenState":        breaker.WithPermittedNumberOfCallsInHalfOpenState(1),
	"WaitDurationInOpenState":                      breaker.WithWaitDurationInOpenState(time.Second),
	"WaitIntervalFunctionInOpenState":              breaker.WithWaitIntervalFunctionInOpenState(func(int) time.Duration { return 1 }),
	"EnableExponentialBackoff":                     breaker.WithEnableExponentialBackoff(true),
	"ExponentialBackoffMultiplier":                 breaker.WithExponentialBackoffMultiplier(2),
	"ExponentialMaxWaitDurationInOpenState":        breaker.WithExponentialMaxWaitDurationInOpenState(1),
	"EnableRandomizedWait":                         breaker.WithEnableRandomizedWait(true),
	"RandomizedWaitFactor":                         breaker.WithRandomizedWaitFactor(1),
	"MaxWaitDurationInHalfOpenState":               breaker.WithMaxWaitDurationInHalfOpenState(1),
	"TransitionToStateAfterWaitDuration":           breaker.WithTransitionToStateAfterWaitDuration(breaker.Closed),
	"AutomaticTransitionFromOpenToHalfOpenEnabled": breaker.WithAutomaticTransitionFromOpenToHalfOpenEnabled(true),
	"InitialState":                                 breaker.WithInitialState(breaker.Open),
	"RecordErrors":                                 breaker.WithRecordErrors(isNotFound),
	"IgnoreErrors":                                 breaker.WithIgnoreErrors(isNotFound),
	"RecordResult":                                 breaker.WithRecordResult(func(any) bool { return true }),
	"TransitionOnResult": breaker.WithTransitionOnResult(func(any, error) breaker.Transition {
		return breaker.Stay
	}),
}

func TestEachFieldHasAnOptionThatSetsItAlone(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[breaker.Config]()
	require.Len(t, options, fields.NumField())
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		c := breaker.DefaultConfig()
		require.Contains(t, options, name)
		options[name](&c)
		require.NoError(t, c.Validate(), name)
		for other := range fields.NumField() {
			was, is := reflect.ValueOf(breaker.DefaultConfig()).Field(other), reflect.ValueOf(c).Field(other)
			require.Equal(t, i != other, same(was, is), "%s changes %s", name, fields.Field(other).Name)
		}
	}
}

func same(a, b reflect.Value) bool {
	if a.Kind() == reflect.Struct { // an ErrorRule
		return a.Field(0).IsNil() == b.Field(0).IsNil()
	}
	if a.Kind() == reflect.Func {
		return a.IsNil() == b.IsNil()
	}
	return a.Interface() == b.Interface()
}

func TestAllWrongFieldsAreNamed(t *testing.T) {
	t.Parallel()
	wrong := breaker.Config{
		FailureRateThreshold:                  math.NaN(),
		SlowCallRateThreshold:                 100.5,
		SlowCallDurationThreshold:             -1,
		SlidingWindowType:                     9,
		SlidingWindowSize:                     1 << 31,
		MinimumNumberOfCalls:                  0,
		PermittedNumberOfCallsInHalfOpenState: 0,
		WaitDurationInOpenState:               time.Millisecond - 1,
		WaitIntervalFunctionInOpenState:       func(int) time.Duration { return 1 },
		EnableExponentialBackoff:              true,
		ExponentialBackoffMultiplier:          0.9,
		ExponentialMaxWaitDurationInOpenState: -1,
		EnableRandomizedWait:                  true,
		RandomizedWaitFactor:                  math.NaN(),
		MaxWaitDurationInHalfOpenState:        -1,
		TransitionToStateAfterWaitDuration:    breaker.Disabled,
		InitialState:                          6,
	}
	require.EqualError(t, wrong.Validate(), strings.Join([]string{
		"failureRateThreshold is NaN; it must be above 0 and at most 100",
		"slowCallRateThreshold is 100.5; it must be above 0 and at most 100",
		"slowCallDurationThreshold is -1ns; it must be positive, or 0 to turn the rule off",
		"slidingWindowType is SlidingWindowType(9); it must be COUNT_BASED or TIME_BASED",
		"slidingWindowSize is 2147483648; it must be from 1 to 2147483647",
		"minimumNumberOfCalls is 0; it must be at least 1",
		"permittedNumberOfCallsInHalfOpenState is 0; it must be from 1 to 2147483647",
		"waitDurationInOpenState is 999.999µs; it must be at least 1ms",
		"waitIntervalFunctionInOpenState is set together with enableExponentialBackoff or enableRandomizedWait; " +
			"it must be the only one of them",
		"exponentialBackoffMultiplier is 0.9; it must be at least 1",
		"exponentialMaxWaitDurationInOpenState is -1ns; it must be positive, or 0 for no limit",
		"randomizedWaitFactor is NaN; it must be from 0 to 1",
		"maxWaitDurationInHalfOpenState is -1ns; it must be positive, or 0 to wait for the probes",
		"transitionToStateAfterWaitDuration is DISABLED; it must be OPEN or CLOSED",
		"initialState is State(6); it must be CLOSED, OPEN, HALF_OPEN, DISABLED, FORCED_OPEN or METRICS_ONLY",
	}, "\n"))
	require.NoError(t, breaker.DefaultConfig().Validate())
	_, err := breaker.New("testName", func(c *breaker.Config) { *c = wrong })
	require.Error(t, err)
}

func TestARuleIsNamedAfterItsFunction(t *testing.T) {
	t.Parallel()
	c := newBreaker(t, breaker.WithIgnoreErrors(isNotFound), breaker.WithRecordErrors(nil)).Config()
	require.True(t, strings.HasSuffix(c.IgnoreErrors.Text, "breaker_test.isNotFound"), c.IgnoreErrors.Text)
	require.True(t, c.RecordErrors.IsZero())
	rule := policy.ErrorRule{Match: isNotFound, Text: "ErrNotFound"}
	c = newBreaker(t, breaker.WithIgnoreErrorsRule(rule), breaker.WithRecordErrorsRule(rule)).Config()
	require.Equal(t, "ErrNotFound", c.IgnoreErrors.Text)
	require.Equal(t, "ErrNotFound", c.RecordErrors.Text)
}

func TestNamesAreThoseOfResilience4j(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range append(states[:len(states):len(states)], 6) {
		names = append(names, s.String())
	}
	require.Equal(t, []string{"CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "FORCED_OPEN", "METRICS_ONLY", "State(6)"}, names)
	require.Equal(t, "COUNT_BASED", breaker.CountBased.String())
	require.Equal(t, "TIME_BASED", breaker.TimeBased.String())
	require.Equal(t, "testName", newBreaker(t).Name())
}

func TestARefusalIsARefusal(t *testing.T) {
	t.Parallel()
	b := newBreaker(t, breaker.WithInitialState(breaker.ForcedOpen))
	err := error(requireRefused(t, b))
	require.Same(t, err, error(requireRefused(t, b)), "it is made once")
	require.ErrorIs(t, err, breaker.ErrOpen)
	require.NotErrorIs(t, err, breaker.ErrIllegalTransition)
	r, ok := errors.AsType[policy.Refusal](err)
	require.True(t, ok)
	require.Equal(t, "testName", r.Name())
	require.True(t, r.Rejected())
	_, known := r.RetryAfter()
	require.False(t, known)
	require.EqualError(t, err, `circuitbreaker "testName" is FORCED_OPEN and does not permit further calls`)
	require.Same(t, err, policy.Unmark(policy.MarkInner(err)))
}

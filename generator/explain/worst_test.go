package explain

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

// layer returns one with the settings that its directive has built in, and others in their place.
func layer(kind string, settings ...string) *resolved {
	r := &resolved{instance: instance{kind: kind}, own: &directive.Directive{Spec: directive.Lookup(kind)},
		values: make(map[string]Setting)}
	for i := 0; i < len(settings); i += 2 {
		if settings[i] == "type" {
			r.pool = settings[i+1] == "pool"
			continue
		}
		r.set(settings[i], settings[i+1], From{Source: FromAnnotation})
	}
	for _, k := range r.keys() {
		if _, said := r.values[k.Name]; !said && k.Default != "" {
			r.set(k.Name, k.Default, From{Source: FromBuiltIn})
		}
	}
	return r
}

func TestTheLongestTimeOfAChain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chain   []*resolved
		longest time.Duration // 0: nothing bounds it
		formula string
		notes   []string
	}{
		"no policy bounds the call": {
			[]*resolved{layer("circuitbreaker")}, 0, "call", []string{noLimit},
		},
		"a time limit, if the call heeds it": {
			[]*resolved{layer("timelimiter")}, time.Second, "1s", []string{heeds},
		},
		"a time limit that leaves the call behind": {
			[]*resolved{layer("timelimiter", "timeoutDuration", "2s", "detach", "true")}, 2 * time.Second, "2s", nil,
		},
		"attempts and the waits between them": {
			[]*resolved{layer("retry"), layer("timelimiter", "detach", "true")}, 4 * time.Second, "3 x 1s + 1s", nil,
		},
		"one attempt": {
			[]*resolved{layer("retry", "maxAttempts", "1"), layer("timelimiter", "detach", "true")}, time.Second, "1s", nil,
		},
		"growing waits": { // 100ms, 200ms, 400ms
			[]*resolved{
				layer("retry", "maxAttempts", "4", "waitDuration", "100ms", "enableExponentialBackoff", "true",
					"exponentialBackoffMultiplier", "2"),
				layer("timelimiter", "detach", "true"),
			}, 4700 * time.Millisecond, "4 x 1s + 700ms", nil,
		},
		"growing waits with a longest one": { // 100ms, 200ms, 250ms, 250ms
			[]*resolved{
				layer("retry", "maxAttempts", "5", "waitDuration", "100ms", "enableExponentialBackoff", "true",
					"exponentialBackoffMultiplier", "2", "exponentialMaxWaitDuration", "250ms"),
				layer("timelimiter", "detach", "true"),
			}, 5800 * time.Millisecond, "5 x 1s + 800ms", nil,
		},
		"a longest wait counts only where waits grow": {
			[]*resolved{
				layer("retry", "exponentialMaxWaitDuration", "1ms"), layer("timelimiter", "detach", "true"),
			}, 4 * time.Second, "3 x 1s + 1s", nil,
		},
		"random waits at their longest": { // twice 150ms
			[]*resolved{
				layer("retry", "waitDuration", "100ms", "enableRandomizedWait", "true"),
				layer("timelimiter", "detach", "true"),
			}, 3300 * time.Millisecond, "3 x 1s + 300ms", nil,
		},
		"growing random waits with a longest one": { // 125ms, 250ms, 300ms
			[]*resolved{
				layer("retry", "maxAttempts", "4", "waitDuration", "100ms", "enableExponentialBackoff", "true",
					"exponentialBackoffMultiplier", "2", "exponentialMaxWaitDuration", "300ms", "enableRandomizedWait", "true",
					"randomizedWaitFactor", "0.25"),
				layer("timelimiter", "detach", "true"),
			}, 4675 * time.Millisecond, "4 x 1s + 675ms", nil,
		},
		"no waits": {
			[]*resolved{layer("retry", "waitDuration", "0s"), layer("timelimiter", "detach", "true")}, 3 * time.Second,
			"3 x 1s", nil,
		},
		"maxDuration is the start of the last attempt": {
			[]*resolved{
				layer("retry", "maxAttempts", "100", "maxDuration", "10s"), layer("timelimiter", "detach", "true"),
			}, 11 * time.Second, "10s + 1s", nil,
		},
		"maxDuration that is never reached": {
			[]*resolved{layer("retry", "maxDuration", "1m"), layer("timelimiter", "detach", "true")}, 4 * time.Second,
			"3 x 1s + 1s", nil,
		},
		"waits of a function": {
			[]*resolved{layer("retry", "intervalFunction", "f"), layer("timelimiter", "detach", "true")}, 0,
			"3 x 1s + intervalFunction", []string{"nothing bounds the waits that intervalFunction gives: maxDuration would"},
		},
		"waits of a function within maxDuration": {
			[]*resolved{
				layer("retry", "intervalBiFunction", "f", "maxDuration", "5s"), layer("timelimiter", "detach", "true"),
			}, 6 * time.Second, "5s + 1s", nil,
		},
		"a wait for permits at each attempt": {
			[]*resolved{
				layer("retry", "waitDuration", "0s"), layer("ratelimiter", "timeoutDuration", "2s"),
				layer("timelimiter", "detach", "true"),
			}, 9 * time.Second, "3 x (2s + 1s)", nil,
		},
		"a wait for a place inside of the time limit": {
			[]*resolved{layer("timelimiter"), layer("bulkhead", "maxWaitDuration", "10s")}, time.Second, "1s", []string{heeds},
		},
		"a wait for a place outside of the time limit": {
			[]*resolved{layer("bulkhead", "maxWaitDuration", "10s"), layer("timelimiter", "detach", "true")},
			11 * time.Second, "10s + 1s", nil,
		},
		"a queue has no limit": {
			[]*resolved{layer("bulkhead", "type", "pool"), layer("timelimiter", "detach", "true")}, 0, "queue + 1s",
			[]string{noQueue},
		},
		"a time limit around a queue lets the caller go in any case": {
			[]*resolved{layer("timelimiter"), layer("bulkhead", "type", "pool")}, time.Second, "1s", nil,
		},
		"no queue": {
			[]*resolved{
				layer("bulkhead", "type", "pool", "queueCapacity", "0"), layer("timelimiter", "detach", "true"),
			}, time.Second, "1s", nil,
		},
		"two time limits": {
			[]*resolved{layer("timelimiter", "timeoutDuration", "3s"), layer("timelimiter", "detach", "true")}, time.Second,
			"1s", nil,
		},
		"what is switched off takes no time": {
			[]*resolved{layer("retry", "enabled", "false"), layer("timelimiter", "detach", "true")}, time.Second, "1s",
			[]string{"the retry is switched off"},
		},
		"a time limit that is switched off": {
			[]*resolved{layer("retry", "waitDuration", "1s"), layer("timelimiter", "enabled", "false")}, 0, "3 x call + 2s",
			[]string{noLimit, "the timelimiter is switched off"},
		},
		"too long to tell": {
			[]*resolved{
				layer("retry", "maxAttempts", "2147483647", "waitDuration", "1000000h"), layer("timelimiter", "detach", "true"),
			}, 0, "2147483647 x 1s + " + time.Duration(math.MaxInt64).String(), []string{"it comes to more than 292 years"},
		},
		"growth that does not grow": {
			[]*resolved{
				layer("retry", "maxAttempts", "2147483647", "waitDuration", "1ms", "enableExponentialBackoff", "true",
					"exponentialBackoffMultiplier", "1"),
				layer("timelimiter", "timeoutDuration", "1ms", "detach", "true"),
			}, 4294967293 * time.Millisecond, "2147483647 x 1ms + 596h31m23.646s", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := worst(c.chain).told()
			require.Equal(t, c.formula, l.Formula)
			require.Equal(t, c.longest > 0, l.Bounded)
			require.Equal(t, int64(c.longest), l.Nanoseconds)
			require.Equal(t, c.notes, l.Notes)
		})
	}
}

func TestBaseNamesAndWhatTheyMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template, base string
		matches, other []string
	}{
		{"inventory", "inventory", []string{"inventory"}, []string{"inventory-a", "inventor"}},
		{"inventory-{tenant}", "inventory", []string{"inventory-a", "inventory-a-b"}, []string{"inventory", "inventory-"}},
		{"{tenant}-inventory", "inventory", []string{"a-inventory"}, []string{"-inventory", "inventory"}},
		{"a.{sku}.b", "a.b", []string{"a.1.b"}, []string{"a..b", "a.b"}},
		{"{tenant}/{sku}", "tenant-sku", []string{"a/b"}, []string{"/b", "a/", "ab"}},
		{"{scope}", "", nil, []string{""}},
		{"a{{b-{0}", "a{b", []string{"a{b-7"}, []string{"a{{b-7"}},
		{"x{a}{b}", "x", []string{"x12"}, []string{"x1"}},
	} {
		n := cut(c.template)
		require.Equal(t, c.base, n.base(), c.template)
		for _, text := range c.matches {
			require.True(t, n.matches(text), "%s %s", c.template, text)
		}
		for _, text := range c.other {
			require.False(t, n.matches(text), "%s %s", c.template, text)
		}
	}
}

package breaker_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

var (
	errFailed   = errors.New("failed")
	errNotFound = errors.New("not found")
	background  = context.Background()
)

func isNotFound(err error) bool { return errors.Is(err, errNotFound) }

func newBreaker(tb testing.TB, opts ...breaker.Option) *breaker.Breaker {
	tb.Helper()
	b, err := breaker.New("testName", opts...)
	require.NoError(tb, err)
	return b
}

// counting returns a breaker with a window of size calls, which all have to be there before it is judged, without a clock.
func counting(tb testing.TB, size int, opts ...breaker.Option) *breaker.Breaker {
	tb.Helper()
	return newBreaker(tb, append([]breaker.Option{
		breaker.WithSlidingWindowSize(size),
		breaker.WithMinimumNumberOfCalls(size),
		breaker.WithPermittedNumberOfCallsInHalfOpenState(size),
		breaker.WithSlowCallDurationThreshold(0),
		breaker.WithWaitDurationInOpenState(time.Second),
	}, opts...)...)
}

// inBubble runs a parallel subtest whose time is virtual.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

func begin(t *testing.T, b *breaker.Breaker) breaker.Call {
	t.Helper()
	call, err := b.Begin()
	require.NoError(t, err)
	return call
}

// call makes a call that takes d and returns err.
func call(t *testing.T, b *breaker.Breaker, d time.Duration, err error) {
	t.Helper()
	call := begin(t, b)
	time.Sleep(d)
	call.End(background, err)
}

// calls makes calls that take no time: S succeeds, E fails, I is ignored.
func calls(t *testing.T, b *breaker.Breaker, outcomes string) {
	t.Helper()
	for _, o := range outcomes {
		call(t, b, 0, map[rune]error{'S': nil, 'E': errFailed, 'I': errNotFound}[o])
	}
}

func requireRefused(t *testing.T, b *breaker.Breaker) *breaker.OpenError {
	t.Helper()
	_, err := b.Begin()
	refusal, ok := errors.AsType[*breaker.OpenError](err)
	require.True(t, ok, "not refused")
	return refusal
}

func requireState(t *testing.T, want breaker.State, b *breaker.Breaker) {
	t.Helper()
	require.Equal(t, want.String(), b.State().String())
}

// counts are what a state shows: buffered, failed, slow, not permitted.
func requireCounts(t *testing.T, b *breaker.Breaker, buffered, failed, slow, notPermitted int) {
	t.Helper()
	m := b.Metrics()
	require.Equal(t, [...]int{buffered, failed, slow, notPermitted}, [...]int{m.Buffered, m.Failed, m.Slow, m.NotPermitted},
		"buffered, failed, slow, not permitted")
	require.Equal(t, buffered-failed, m.Successful)
}

func transition(t *testing.T, b *breaker.Breaker, states ...breaker.State) {
	t.Helper()
	for _, s := range states {
		require.NoError(t, b.TransitionTo(s))
	}
}

// A journal keeps the events of a breaker.
type journal struct {
	mu     sync.Mutex
	events []policy.Event
}

func listen(b *breaker.Breaker) *journal {
	j := new(journal)
	b.Subscribe(func(e policy.Event) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.events = append(j.events, e)
	})
	return j
}

func (j *journal) types() []policy.EventType {
	j.mu.Lock()
	defer j.mu.Unlock()
	types := make([]policy.EventType, len(j.events))
	for i, e := range j.events {
		types[i] = e.Type
	}
	return types
}

// count returns how many of the events are of the type.
func (j *journal) count(t policy.EventType) int {
	return len(slices.DeleteFunc(j.types(), func(other policy.EventType) bool { return other != t }))
}

// transitions returns the transitions, as in "CLOSED>OPEN".
func (j *journal) transitions() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []string
	for _, e := range j.events {
		if e.Type == policy.StateTransition {
			list = append(list, e.From+">"+e.To)
		}
	}
	return list
}

var states = []breaker.State{
	breaker.Closed, breaker.Open, breaker.HalfOpen, breaker.Disabled, breaker.ForcedOpen, breaker.MetricsOnly,
}

// seconds returns a breaker in METRICS_ONLY with a window of so many seconds, in which calls over half a second are slow.
func seconds(t *testing.T, size int) *breaker.Breaker {
	t.Helper()
	return newBreaker(t, breaker.WithInitialState(breaker.MetricsOnly), breaker.WithSlidingWindowType(breaker.TimeBased),
		breaker.WithSlidingWindowSize(size), breaker.WithMinimumNumberOfCalls(1),
		breaker.WithSlowCallDurationThreshold(500*time.Millisecond))
}

// settle lets timers that are due have their effect.
func settle(t *testing.T) {
	t.Helper()
	synctest.Wait()
}

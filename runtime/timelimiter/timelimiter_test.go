package timelimiter_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

const ms = time.Millisecond

var errBoom = errors.New("boom")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newLimiter(t testing.TB, options ...timelimiter.Option) *timelimiter.TimeLimiter {
	t.Helper()
	l, err := timelimiter.New("test", options...)
	require.NoError(t, err)
	return l
}

// record collects the events of l without their time.
func record(l *timelimiter.TimeLimiter) *[]policy.Event {
	events := new([]policy.Event)
	var mu sync.Mutex // abandoned work publishes on its own goroutine
	l.Subscribe(func(e policy.Event) {
		mu.Lock()
		defer mu.Unlock()
		e.Time = time.Time{}
		*events = append(*events, e)
	})
	return events
}

func types(events []policy.Event) []policy.EventType {
	var all []policy.EventType
	for _, e := range events {
		all = append(all, e.Type)
	}
	return all
}

// takes returns a call of the given length that heeds its context.
func takes(d time.Duration) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		select {
		case <-time.After(d):
			return 7, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// heedless returns a call of the given length that does not, and ends in err.
func heedless(d time.Duration, err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		time.Sleep(d)
		return 7, err
	}
}

// requireTimeout requires that err is a *TimeoutError in every way in which one asks.
func requireTimeout(t testing.TB, err error) *timelimiter.TimeoutError {
	t.Helper()
	timeout, ok := err.(*timelimiter.TimeoutError)
	require.True(t, ok, "%T: %v", err, err)
	require.ErrorIs(t, err, timelimiter.ErrTimeout)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.True(t, timeout.Timeout())
	return timeout
}

// refusal is what a policy further in turns a call away with.
type refusal struct{}

func (refusal) Error() string                     { return "refused" }
func (refusal) Name() string                      { return "inner" }
func (refusal) RetryAfter() (time.Duration, bool) { return 0, false }
func (refusal) Rejected() bool                    { return true }

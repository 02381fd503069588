package retry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

var (
	errBoom  = errors.New("boom")
	errOther = errors.New("other")
)

func newRetry(t testing.TB, options ...retry.Option) *retry.Retry {
	t.Helper()
	r, err := retry.New("test", options...)
	require.NoError(t, err)
	return r
}

// call is a call that comes to the given errors, one an attempt and the last one for ever, and counts its attempts.
type call struct {
	errs  []error
	calls int
}

func failing(errs ...error) *call { return &call{errs: errs} }

func (c *call) do(context.Context) (int, error) {
	err := c.errs[min(c.calls, len(c.errs)-1)]
	c.calls++
	return c.calls, err
}

func (c *call) run(ctx context.Context) error {
	_, err := c.do(ctx)
	return err
}

// results is a call that comes to its number, without an error.
type results struct{ calls int }

func (c *results) do(context.Context) (int, error) {
	c.calls++
	return c.calls, nil
}

// record collects the events of r without their time.
func record(r *retry.Retry) *[]policy.Event {
	events := new([]policy.Event)
	r.Subscribe(func(e policy.Event) {
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

func elapsed(from time.Time) time.Duration { return time.Since(from) }

func bad(any) bool { return true }

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// refusal is what a policy further in turns a call away with.
type refusal struct{ after time.Duration }

func (refusal) Error() string                       { return "refused" }
func (refusal) Name() string                        { return "inner" }
func (r refusal) RetryAfter() (time.Duration, bool) { return r.after, r.after > 0 }
func (refusal) Rejected() bool                      { return true }

// throttled is a client's error with the plain form of RetryAfter.
type throttled struct{ after time.Duration }

func (throttled) Error() string               { return "throttled" }
func (t throttled) RetryAfter() time.Duration { return t.after }

package policy_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
)

func TestEventReadsAsOneLine(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom\nand more")
	tests := []struct {
		event policy.Event
		want  string
	}{
		{policy.Event{Kind: policy.CircuitBreaker, Name: "db", Type: policy.StateTransition, From: "CLOSED", To: "OPEN"},
			`circuitbreaker "db" STATE_TRANSITION from CLOSED to OPEN`},
		{policy.Event{Kind: policy.CircuitBreaker, Name: "db", Type: policy.FailureRateExceeded, Rate: 200.0 / 3},
			`circuitbreaker "db" FAILURE_RATE_EXCEEDED rate=66.67%`},
		{policy.Event{Kind: policy.CircuitBreaker, Name: "db", Type: policy.SlowCallRateExceeded},
			`circuitbreaker "db" SLOW_CALL_RATE_EXCEEDED rate=0%`},
		{policy.Event{Kind: policy.Retry, Name: "a \"b\"", Type: policy.RetryScheduled, Attempt: 1, Err: boom},
			`retry "a \"b\"" RETRY attempt=1 wait=0s error="boom\nand more"`},
		{policy.Event{Kind: policy.TimeLimiter, Name: "db", Type: policy.Success, Duration: 20 * time.Millisecond},
			`timelimiter "db" SUCCESS duration=20ms`},
		{policy.Event{Kind: policy.TimeLimiter, Name: "db", Type: policy.Panicked, Panic: boom, Stack: []byte("stack")},
			`timelimiter "db" PANIC panic="boom\nand more"`},
		{policy.Event{Kind: policy.Fallback, Name: "db", Type: policy.Answered, Handler: "stockMissing", Err: boom},
			`fallback "db" ANSWERED handler=stockMissing error="boom\nand more"`},
	}
	for _, test := range tests {
		require.Equal(t, test.want, test.event.String())
	}
}

func TestInstantsSubtractAndAddAlsoInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := policy.Now()
		require.Negative(t, int64(start), "the bubble's clock stands before the base")
		time.Sleep(3 * time.Second)
		require.Equal(t, 3*time.Second, policy.Now().Sub(start))
		require.Equal(t, policy.Now(), start.Add(3*time.Second))
	})
}

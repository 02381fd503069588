package bulkhead_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/policy"
)

// The facts of Resilience4j's tests, by their numbers in this project's list; the package's doc has a row for each in
// which this package differs.

func TestFact55TwoOfThreeCallsAreLetIn(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(2))
	seen := listening(b.Subscribe)
	first, second := begun(t, b), begun(t, b)
	_, err := b.Begin(t.Context())
	require.ErrorIs(t, err, bulkhead.ErrFull)
	require.EqualError(t, err, `bulkhead "testName" is full and does not permit further calls`)
	first.End()
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
	second.End()
	require.Equal(t, 2, b.Metrics().AvailableConcurrentCalls)
	begun(t, b)
	require.Equal(t, []policy.EventType{
		policy.CallPermitted, policy.CallPermitted, policy.CallRejected,
		policy.CallFinished, policy.CallFinished, policy.CallPermitted,
	}, seen.types())
}

func TestFact56WaitEndsAfterMaxWaitDurationOrWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(50*time.Millisecond))
		defer begun(t, b).End()
		start := time.Now()
		_, err := b.Begin(t.Context())
		require.ErrorIs(t, err, bulkhead.ErrFull)
		require.Equal(t, 50*time.Millisecond, time.Since(start))

		cause := errors.New("the user has left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*time.Millisecond, func() { cancel(cause) })
		start = time.Now()
		_, err = b.Begin(ctx)
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		require.ErrorIs(t, err, cause)
		require.ErrorIs(t, err, context.Canceled)
		require.EqualError(t, err, `bulkhead "testName" was interrupted: context canceled: the user has left`)
		_, err = b.Begin(ctx)
		require.ErrorIs(t, err, cause, "whoever has gone does not begin to wait")
		require.Zero(t, b.Metrics().WaitingCalls)
	})
}

// Theirs takes 0 in code, which rejects every call, and from 1 on in files.
func TestFact57DiffersLimitOfNothingIsAnError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		option bulkhead.Option
		want   string
	}{
		{bulkhead.WithMaxConcurrentCalls(0), "maxConcurrentCalls is 0; it must be from 1 to 2147483647"},
		{bulkhead.WithMaxConcurrentCalls(-1), "maxConcurrentCalls is -1; it must be from 1 to 2147483647"},
		{bulkhead.WithMaxConcurrentCalls(1 << 31), "maxConcurrentCalls is 2147483648; it must be from 1 to 2147483647"},
		{bulkhead.WithMaxWaitDuration(-1), "maxWaitDuration is -1ns; it must not be negative"},
	} {
		_, err := bulkhead.New("x", test.option)
		require.EqualError(t, err, `bulkhead "x": `+test.want)
	}
	_, err := bulkhead.New("x", bulkhead.WithMaxConcurrentCalls(0), bulkhead.WithMaxWaitDuration(-1))
	require.ErrorContains(t, err, "maxConcurrentCalls is 0")
	require.ErrorContains(t, err, "maxWaitDuration is -1ns")
	_, err = bulkhead.New("")
	require.EqualError(t, err, "bulkhead: the name is empty; an instance needs one")
	require.NoError(t, bulkhead.DefaultConfig().Validate())
	require.Equal(t, bulkhead.Config{MaxConcurrentCalls: 25, FairCallHandlingEnabled: true, Enabled: true},
		bulkhead.DefaultConfig())
}

// Theirs blocks whoever lowers the limit until enough calls have ended.
func TestFact58DiffersLoweringNeverBlocks(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(3))
	for _, limit := range []int{5, 2} {
		change(t, b, bulkhead.WithMaxConcurrentCalls(limit))
		require.Equal(t, limit, b.Metrics().AvailableConcurrentCalls)
	}
	change(t, b, bulkhead.WithMaxConcurrentCalls(1))
	first := begun(t, b)
	change(t, b, bulkhead.WithMaxConcurrentCalls(2))
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
	second := begun(t, b)
	change(t, b, bulkhead.WithMaxConcurrentCalls(1))
	m := b.Metrics()
	require.Equal(t, 1, m.MaxAllowedConcurrentCalls)
	require.Equal(t, 2, m.ConcurrentCalls)
	require.Equal(t, 0, m.AvailableConcurrentCalls)
	first.End()
	_, err := b.Begin(t.Context())
	require.ErrorIs(t, err, bulkhead.ErrFull, "one is under way still")
	second.End()
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
}

func TestFact59HigherLimitLetsWaitersInAndShorterWaitDoesNotTouchThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(t, bulkhead.WithMaxConcurrentCalls(1), bulkhead.WithMaxWaitDuration(time.Hour))
		defer begun(t, b).End()
		waiting := beginning(t.Context(), b)
		synctest.Wait()
		time.Sleep(time.Minute)
		change(t, b, bulkhead.WithMaxWaitDuration(0))
		synctest.Wait()
		require.Equal(t, 1, b.Metrics().WaitingCalls)
		change(t, b, bulkhead.WithMaxConcurrentCalls(2))
		end := <-waiting
		require.NoError(t, end.err)
		require.Equal(t, time.Minute, end.after)
		end.call.End()
	})
}

func TestFact60SlotIsGivenBackOnceAndNothingIsCalledWithoutOne(t *testing.T) {
	t.Parallel()
	b := made(t, bulkhead.WithMaxConcurrentCalls(2))
	defer begun(t, b).End()
	call := begun(t, b)
	_, err := bulkhead.Do(t.Context(), b, func(context.Context) (int, error) { panic("called") })
	require.ErrorIs(t, err, bulkhead.ErrFull)
	require.ErrorIs(t, bulkhead.Run(t.Context(), b, func(context.Context) error { panic("called") }), bulkhead.ErrFull)
	call.End()
	call.End()
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
	require.PanicsWithValue(t, "of the call", func() {
		_ = bulkhead.Run(t.Context(), b, func(context.Context) error { panic("of the call") })
	})
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
	var none bulkhead.Call
	none.End()
	require.Equal(t, 1, b.Metrics().AvailableConcurrentCalls)
}

// Theirs has the core size as a number, so that a setting of the largest size alone is wrong on large machines.
func TestFact61DiffersCoreFollowsTheLargestSize(t *testing.T) {
	t.Parallel()
	config := bulkhead.DefaultPoolConfig()
	require.NoError(t, config.Validate())
	require.Equal(t, bulkhead.PoolConfig{
		MaxThreadPoolSize: runtime.GOMAXPROCS(0), QueueCapacity: 100, KeepAliveDuration: 20 * time.Millisecond, Enabled: true,
	}, config)
	m := pooled(t, bulkhead.WithMaxThreadPoolSize(1)).Metrics()
	require.Equal(t, 1, m.CoreThreadPoolSize)
	m = pooled(t, bulkhead.WithMaxThreadPoolSize(1<<20)).Metrics()
	require.Equal(t, max(runtime.GOMAXPROCS(0)-1, 1), m.CoreThreadPoolSize)
	require.Equal(t, 100, m.RemainingQueueCapacity)
	for _, test := range []struct {
		options []bulkhead.PoolOption
		want    string
	}{
		{[]bulkhead.PoolOption{bulkhead.WithMaxThreadPoolSize(0)}, "maxThreadPoolSize is 0; it must be from 1 to 2147483647"},
		{
			[]bulkhead.PoolOption{bulkhead.WithMaxThreadPoolSize(2), bulkhead.WithCoreThreadPoolSize(3)},
			"coreThreadPoolSize is 3; it must be from 1 to maxThreadPoolSize, 2, or 0 for one less than the processors",
		},
		{[]bulkhead.PoolOption{bulkhead.WithQueueCapacity(-1)}, "queueCapacity is -1; it must be from 0 to 2147483647"},
		{[]bulkhead.PoolOption{bulkhead.WithKeepAliveDuration(-1)}, "keepAliveDuration is -1ns; it must not be negative"},
	} {
		_, err := bulkhead.NewPool("x", test.options...)
		require.EqualError(t, err, `bulkhead "x": `+test.want)
	}
	_, err := bulkhead.NewPool("")
	require.EqualError(t, err, "bulkhead: the name is empty; an instance needs one")
}

func TestFact61ContextCrossesToThePool(t *testing.T) {
	t.Parallel()
	p := pooled(t)
	defer p.Close()
	type key struct{}
	v, err := bulkhead.Submit(context.WithValue(t.Context(), key{}, "value"), p, func(ctx context.Context) (any, error) {
		return ctx.Value(key{}), nil
	})
	require.NoError(t, err)
	require.Equal(t, "value", v)
}

// The order in which a pool takes calls: core, queue, beyond the core, refusal.
func TestPoolOfCore1Max2Queue1AcceptsThreeAndRefusesTheFourth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooled(t, bulkhead.WithMaxThreadPoolSize(2), bulkhead.WithCoreThreadPoolSize(1), bulkhead.WithQueueCapacity(1))
		defer p.Close()
		seen := listening(p.Subscribe)
		first, second, third := working(t.Context(), p), working(t.Context(), p), working(t.Context(), p)
		m := p.Metrics()
		require.Equal(t, 2, m.ActiveThreadCount)
		require.Equal(t, 0, m.AvailableThreadCount)
		require.Equal(t, 1, m.QueueDepth)
		require.Equal(t, 0, m.RemainingQueueCapacity)
		start := time.Now()
		err := bulkhead.RunPool(t.Context(), p, func(context.Context) error { panic("called") })
		require.ErrorIs(t, err, bulkhead.ErrFull)
		require.Zero(t, time.Since(start))
		require.True(t, p.Refused(err))
		require.Equal(t, []policy.EventType{policy.CallPermitted, policy.CallPermitted, policy.CallRejected}, seen.types(),
			"of the one in the queue nothing is heard until it begins")
		first.finish()
		require.Contains(t, seen.types(), policy.CallFinished)
		second.finish()
		third.finish()
		require.Equal(t, 2, p.Metrics().ThreadPoolSize)
		time.Sleep(20*time.Millisecond + 1)
		synctest.Wait()
		require.Equal(t, 1, p.Metrics().ThreadPoolSize, "the one beyond the core has ended")
		require.Zero(t, p.Metrics().ActiveThreadCount)

		change := p.Config()
		change.QueueCapacity = 0
		require.NoError(t, p.Reconfigure(change))
		first, second = working(t.Context(), p), working(t.Context(), p)
		require.ErrorIs(t, bulkhead.RunPool(t.Context(), p, nil), bulkhead.ErrFull)
		first.finish()
		second.finish()
	})
}

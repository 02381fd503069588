package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
)

// The facts of Resilience4j's tests, by their numbers in this project's list; the package's doc has a row for each in
// which this package differs.

const c = 250 * time.Millisecond

func TestFact41PermitOfAnUnusedCycleIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c)
		time.Sleep(c - 10)
		require.EqualValues(t, 1, l.Metrics().AvailablePermits)
	})
}

func TestFact42EachCycleHasItsPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(0))
		time.Sleep(c)
		for range 2 {
			require.NoError(t, l.Acquire(t.Context(), 1))
			m := l.Metrics()
			require.EqualValues(t, 0, m.AvailablePermits)
			require.Equal(t, c, m.TimeToWait)
			require.ErrorIs(t, l.Acquire(t.Context(), 1), limiter.ErrExceeded)
			time.Sleep(c)
		}
	})
}

func TestFact43WaitingCallHasReservedThePermitOfTheNextCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(c))
		time.Sleep(c)
		require.NoError(t, l.Acquire(t.Context(), 1))
		second := acquiring(t.Context(), l, 1)
		synctest.Wait()
		m := l.Metrics()
		require.EqualValues(t, -1, m.AvailablePermits)
		require.Equal(t, 2*c, m.TimeToWait)
		require.Equal(t, 1, m.WaitingCalls)

		time.Sleep(c + 10)
		require.Equal(t, outcome{nil, c}, <-second)
		m = l.Metrics()
		require.EqualValues(t, 0, m.AvailablePermits)
		require.Equal(t, c-10, m.TimeToWait)
		require.Zero(t, m.WaitingCalls)
	})
}

func TestFact44ReservationsAreRefusedBeyondTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(c))
		time.Sleep(c)
		first, err := l.Reserve(1)
		require.NoError(t, err)
		require.Zero(t, first.Wait())
		second, err := l.Reserve(1)
		require.NoError(t, err)
		require.Equal(t, c, second.Wait())
		_, err = l.Reserve(1)
		require.ErrorIs(t, err, limiter.ErrExceeded)
		m := l.Metrics()
		require.EqualValues(t, -1, m.AvailablePermits)
		require.Equal(t, 2*c, m.TimeToWait)

		time.Sleep(5*c + 10)
		m = l.Metrics()
		require.EqualValues(t, 1, m.AvailablePermits)
		require.Zero(t, m.TimeToWait)
	})
}

func TestFact45MorePermitsThanTheLimitAreSavedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(5*c))
		r, err := l.Reserve(3)
		require.NoError(t, err)
		require.Equal(t, 2*c, r.Wait())
	})
}

func TestPermitsAcrossCyclesAreResilience4jsArithmetic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 10, time.Second, limiter.WithTimeoutDuration(5*time.Second))
		r, err := l.Reserve(25)
		require.NoError(t, err)
		require.Equal(t, 2*time.Second, r.Wait())
		require.EqualValues(t, -15, l.Metrics().AvailablePermits)
		time.Sleep(500 * time.Millisecond)
		r, err = l.Reserve(1)
		require.NoError(t, err)
		require.Equal(t, 1500*time.Millisecond, r.Wait())
		time.Sleep(500 * time.Millisecond)
		require.EqualValues(t, -6, l.Metrics().AvailablePermits)
		time.Sleep(time.Second)
		require.EqualValues(t, 4, l.Metrics().AvailablePermits)
	})
}

func TestFact46RefusalLeavesTheCycleAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(0))
		time.Sleep(c)
		require.True(t, l.TryAcquire(1))
		_, err := l.Reserve(1)
		require.ErrorIs(t, err, limiter.ErrExceeded)
		time.Sleep(c - 1)
		m := l.Metrics()
		require.EqualValues(t, 0, m.AvailablePermits)
		require.EqualValues(t, 1, m.TimeToWait)
	})
}

// Theirs keeps the reservation: available stays -1.
func TestFact47DiffersInterruptedCallGivesItsReservationBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(c))
		require.True(t, l.TryAcquire(1))
		cause := errors.New("the user has left")
		ctx, cancel := context.WithCancelCause(t.Context())
		waiting := acquiring(ctx, l, 1)
		synctest.Wait()
		require.EqualValues(t, -1, l.Metrics().AvailablePermits)
		cancel(cause)
		end := <-waiting
		require.Zero(t, end.after)
		require.ErrorIs(t, end.err, cause)
		require.ErrorIs(t, end.err, context.Canceled)
		require.EqualError(t, end.err, `ratelimiter "testName" was interrupted: context canceled: the user has left`)
		m := l.Metrics()
		require.EqualValues(t, 0, m.AvailablePermits)
		require.Equal(t, c, m.TimeToWait)
	})
}

// Theirs lets the waiter go at the start of the next cycle.
func TestFact48DiffersHigherLimitHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 1, c, limiter.WithTimeoutDuration(c))
		require.True(t, l.TryAcquire(1))
		waiting := acquiring(t.Context(), l, 1)
		synctest.Wait()
		time.Sleep(c / 2)
		change(t, l, limiter.WithLimitForPeriod(2))
		require.Equal(t, outcome{nil, c / 2}, <-waiting)
		require.EqualValues(t, 0, l.Metrics().AvailablePermits)
		time.Sleep(c/2 + 10)
		require.EqualValues(t, 2, l.Metrics().AvailablePermits)
	})
}

// Theirs keeps the 10 permits of the running cycle.
func TestLowerLimitHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 10, c, limiter.WithTimeoutDuration(0))
		change(t, l, limiter.WithLimitForPeriod(3))
		require.EqualValues(t, 3, l.Metrics().AvailablePermits)
		time.Sleep(c)
		require.EqualValues(t, 3, l.Metrics().AvailablePermits)
	})
}

func TestFact49WaitsAreExactToTheNanosecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const c = 10 * time.Millisecond
		l := made(t, 3, c, limiter.WithTimeoutDuration(12*time.Millisecond))
		time.Sleep(c)
		for i, want := range []time.Duration{0, 0, 0, c - 4, c - 5, c - 6, -1, -1, -1} {
			time.Sleep(time.Nanosecond)
			r, err := l.Reserve(1)
			if want < 0 {
				require.ErrorIs(t, err, limiter.ErrExceeded, "reservation %d", i+1)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want, r.Wait(), "reservation %d", i+1)
		}
	})
}

func TestFact50ChangeOfOneFieldKeepsTheOthers(t *testing.T) {
	t.Parallel()
	l := made(t, 7, time.Minute, limiter.WithTimeoutDuration(time.Second))
	before := l.Config()
	change(t, l, limiter.WithTimeoutDuration(2*time.Second))
	after := l.Config()
	require.Equal(t, 2*time.Second, after.TimeoutDuration)
	after.TimeoutDuration = before.TimeoutDuration
	require.Equal(t, before, after)
}

func TestFact51SeveralPermitsPerCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, calls := range [][]int{{5, 5, -1}, {1, 5, -5, 4}} {
			l := made(t, 10, c, limiter.WithTimeoutDuration(0))
			for _, n := range calls {
				require.Equal(t, n > 0, l.TryAcquire(max(n, -n)))
			}
			time.Sleep(c)
			require.True(t, l.TryAcquire(5))
		}
	})
}

func TestFact52DrainedCycleHasNothingLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := made(t, 10, c, limiter.WithTimeoutDuration(0))
		seen := events(l)
		require.True(t, l.TryAcquire(3))
		l.Drain()
		require.False(t, l.TryAcquire(1))
		time.Sleep(c)
		require.True(t, l.TryAcquire(1))
		require.Equal(t, policy.Drained, (*seen)[1].Type)
		require.Equal(t, 7, (*seen)[1].Permits)
	})
}

// Theirs also has an error for a duration beyond 292 years, which no time.Duration is.
func TestFact53WrongSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		option limiter.Option
		want   string
	}{
		{limiter.WithLimitForPeriod(0), "limitForPeriod is 0; it must be from 1 to 2147483647"},
		{limiter.WithLimitForPeriod(1 << 31), "limitForPeriod is 2147483648; it must be from 1 to 2147483647"},
		{limiter.WithLimitRefreshPeriod(0), "limitRefreshPeriod is 0s; it must be at least 1ns"},
		{limiter.WithLimitRefreshPeriod(-1), "limitRefreshPeriod is -1ns; it must be at least 1ns"},
		{limiter.WithTimeoutDuration(-1), "timeoutDuration is -1ns; it must not be negative, and 0 means no wait"},
		{limiter.WithAlgorithm(9), "algorithm is Algorithm(9); it must be CYCLE, SLIDING or SMOOTH"},
		{limiter.WithBurst(-1), "burst is -1; it must be from 0 to 2147483647, and 0 means 1"},
	} {
		_, err := limiter.New("x", test.option)
		require.EqualError(t, err, `ratelimiter "x": `+test.want)
		require.Error(t, made(t, 1, 1).Reconfigure(configured(test.option)))
	}
	_, err := limiter.New("x", limiter.WithLimitForPeriod(0), limiter.WithBurst(-1))
	require.ErrorContains(t, err, "limitForPeriod is 0")
	require.ErrorContains(t, err, "burst is -1")
	_, err = limiter.New("")
	require.EqualError(t, err, "ratelimiter: the name is empty; an instance needs one")
}

func TestWhatOnlyABackendServesIsRefusedWithoutOne(t *testing.T) {
	t.Parallel()
	for key, option := range map[string]limiter.Option{
		"rateType":       limiter.WithRateType(limiter.PerClient),
		"onUnavailable":  limiter.WithOnUnavailable(limiter.Allow),
		"onRateMismatch": limiter.WithOnRateMismatch(limiter.Adopt),
		"keepAliveTime":  limiter.WithKeepAliveTime(time.Minute),
		"shards":         limiter.WithShards(2),
		"lease":          limiter.WithLease(2),
	} {
		want := `ratelimiter "x": ` + key + " has no effect without a backend; name one, as in backend=redis, or leave it out"
		_, err := limiter.New("x", option)
		require.EqualError(t, err, want)
		require.Error(t, made(t, 1, 1).Reconfigure(configured(option)))
		l, err := limiter.NewWithBackend("x", &far{}, option)
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

func TestWrongSettingsOfABackendAreNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		option limiter.Option
		want   string
	}{
		{limiter.WithRateType(3), "rateType is RateType(3); it must be OVERALL or PER_CLIENT"},
		{limiter.WithOnUnavailable(-1), "onUnavailable is OnUnavailable(-1); it must be DENY, ALLOW or LOCAL"},
		{limiter.WithOnRateMismatch(3), "onRateMismatch is OnRateMismatch(3); it must be OVERWRITE or ADOPT"},
		{limiter.WithKeepAliveTime(-1), "keepAliveTime is -1ns; it must not be negative, and 0 leaves it to the backend"},
		{limiter.WithShards(1025), "shards is 1025; it must be from 0 to 1024, and 0 means 1"},
		{limiter.WithLease(13), "lease is 13; it must be from 0 to a quarter of limitForPeriod, which is 12"},
	} {
		_, err := limiter.NewWithBackend("x", &far{}, test.option)
		require.EqualError(t, err, `ratelimiter "x": `+test.want)
	}
	require.Equal(t, "DEFAULT OVERALL PER_CLIENT", fmt.Sprint(limiter.RateType(0), limiter.Overall, limiter.PerClient))
	require.Equal(t, "DENY ALLOW LOCAL", fmt.Sprint(limiter.Deny, limiter.Allow, limiter.Local))
	require.Equal(t, "OVERWRITE ADOPT", fmt.Sprint(limiter.Overwrite, limiter.Adopt))
}

func configured(option limiter.Option) limiter.Config {
	config := limiter.DefaultConfig()
	option(&config)
	return config
}

func TestDefaultsAreResilience4js(t *testing.T) {
	t.Parallel()
	config := limiter.DefaultConfig()
	require.NoError(t, config.Validate())
	require.Equal(t, limiter.Config{
		LimitForPeriod: 50, LimitRefreshPeriod: 500, TimeoutDuration: 5 * time.Second, Enabled: true,
	}, config)
}

func TestFact54ResultOrErrorMayDrainThePermits(t *testing.T) {
	t.Parallel()
	tooMany := errors.New("429")
	l := made(t, 10, time.Hour, limiter.WithTimeoutDuration(0),
		limiter.WithDrainPermissionsOnResult(func(result any, err error) bool { return result == 429 || err == tooMany }))
	answer := func(n int, err error) {
		t.Helper()
		got, gotErr := limiter.Do(t.Context(), l, func(context.Context) (int, error) { return n, err })
		require.Equal(t, n, got)
		require.Equal(t, err, gotErr)
	}
	fill := func() {
		change(t, l, limiter.WithLimitForPeriod(l.Config().LimitForPeriod+10))
		require.EqualValues(t, 10, l.Metrics().AvailablePermits)
	}
	answer(200, nil)
	answer(0, errors.New("500"))
	require.EqualValues(t, 8, l.Metrics().AvailablePermits, "the predicate is not met")
	answer(429, nil)
	require.EqualValues(t, 0, l.Metrics().AvailablePermits, "met by a result")
	fill()
	answer(0, tooMany)
	require.EqualValues(t, 0, l.Metrics().AvailablePermits, "met by an error")
	fill()
	require.Equal(t, tooMany, limiter.Run(t.Context(), l, func(context.Context) error { return tooMany }))
	require.EqualValues(t, 0, l.Metrics().AvailablePermits, "met by an error of a call without a result")
}

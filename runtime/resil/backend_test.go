package resil_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
)

var errAway = errors.New("away")

// A scriptedBackend makes deciders that grant everything until they are closed, and fail where it is told to.
type scriptedBackend struct {
	made                      []*scriptedDecider
	making, changing, closing error
}

func (b *scriptedBackend) Decider(name string, config limiter.Config) (limiter.Decider, error) {
	if b.making != nil {
		return nil, b.making
	}
	d := &scriptedDecider{backend: b, name: name, config: config}
	b.made = append(b.made, d)
	return d, nil
}

type scriptedDecider struct {
	backend          *scriptedBackend
	name             string
	config           limiter.Config
	acquired, closed int
}

func (d *scriptedDecider) Acquire(_ context.Context, n int, _ time.Duration) (limiter.Answer, error) {
	d.acquired += n
	return limiter.Answer{Granted: true}, nil
}
func (d *scriptedDecider) Available(context.Context) (int64, error) { return 0, nil }
func (d *scriptedDecider) Drain(context.Context) (int64, error)     { return 0, nil }
func (d *scriptedDecider) Close() error                             { d.closed++; return d.backend.closing }
func (d *scriptedDecider) Reconfigure(config limiter.Config) error {
	if d.backend.changing != nil {
		return d.backend.changing
	}
	d.config = config
	return nil
}

// bindLimiter does what the constructor of a wrapper with one rate limiter does, for the interface Client of package
// example.com/shop/pkg.
func bindLimiter(rt *resil.Runtime, pkg, name string, opts ...limiter.Option) (*resil.Ref[limiter.Limiter], error) {
	ref := &resil.Ref[limiter.Limiter]{}
	b := resil.Bind(rt, "example.com/shop/"+pkg, pkg+".Client")
	b.Limiter(ref, name, opts...)
	return ref, b.Err()
}

func TestNamedBackendDecides(t *testing.T) {
	t.Parallel()
	redis := &scriptedBackend{}
	rt := newRuntime(t,
		resil.WithLimiterConfig("default", limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Hour),
			limiter.WithTimeoutDuration(0)),
		resil.WithLimiterBackend("redis", redis))
	shared, err := bindLimiter(rt, "orders", "reserve", limiter.WithBackend("redis"))
	require.NoError(t, err)
	local, err := bindLimiter(rt, "orders", "local")
	require.NoError(t, err)
	require.Len(t, redis.made, 1)
	require.Equal(t, "reserve", redis.made[0].name)
	require.Equal(t, 1, redis.made[0].config.LimitForPeriod)
	for range 3 {
		require.NoError(t, shared.For(t.Context()).Acquire(t.Context(), 2))
	}
	require.Equal(t, 6, redis.made[0].acquired)
	require.NoError(t, local.For(t.Context()).Acquire(t.Context(), 1))
	require.ErrorIs(t, local.For(t.Context()).Acquire(t.Context(), 1), limiter.ErrExceeded)

	_, err = bindLimiter(rt, "billing", "reserve", limiter.WithLimitForPeriod(5))
	require.NoError(t, err)
	require.Equal(t, 5, redis.made[0].config.LimitForPeriod, "what is added reaches the backend")
}

func TestUnregisteredBackendIsAnErrorThatSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	rt := newRuntime(t)
	_, err := bindLimiter(rt, "orders", "reserve", limiter.WithBackend("redis"))
	require.EqualError(t, err, `ratelimiter "reserve" of example.com/shop/orders.Client: backend is "redis"; `+
		`none is registered; write resil.WithLimiterBackend("redis", ...) in resil.New`)
	_, ok := rt.Limiter("reserve")
	require.False(t, ok)

	rt = newRuntime(t, resil.WithLimiterBackend("redis", &scriptedBackend{}),
		resil.WithLimiterBackend("quota", &scriptedBackend{}))
	_, err = bindLimiter(rt, "orders", "reserve", limiter.WithBackend("memcached"))
	require.EqualError(t, err, `ratelimiter "reserve" of example.com/shop/orders.Client: backend is "memcached"; `+
		`registered are quota, redis; write resil.WithLimiterBackend("memcached", ...) in resil.New`)
	_, err = bindLimiter(rt, "orders", "reserve", limiter.WithBackend("rediss"), limiter.WithLimitForPeriod(0))
	require.EqualError(t, err, `ratelimiter "reserve" of example.com/shop/orders.Client: limitForPeriod is 0; `+
		"it must be from 1 to 2147483647\n"+
		`ratelimiter "reserve" of example.com/shop/orders.Client: backend is "rediss"; did you mean "redis"? `+
		`registered are quota, redis`)

	_, err = bindLimiter(resil.Passthrough(), "orders", "reserve", limiter.WithBackend("redis"))
	require.NoError(t, err, "a passthrough runtime asks no backend")
}

func TestNewReportsWhatIsWrongWithBackends(t *testing.T) {
	t.Parallel()
	_, err := resil.New(
		resil.WithLimiterConfig("shared", limiter.WithBackend("redis")),
		resil.WithLimiterBackend("", &scriptedBackend{}),
		resil.WithLimiterBackend("none", nil),
		resil.WithLimiterBackend("quota", &scriptedBackend{}),
		resil.WithLimiterBackend("quota", &scriptedBackend{}))
	require.EqualError(t, err, "a backend of rate limiters has no name; give it one\n"+
		`the backend "none" of rate limiters is nil; register one that decides`+"\n"+
		`two backends of rate limiters are named "quota"; give them two names`+"\n"+
		`ratelimiter configuration "shared": backend is "redis"; registered are quota; `+
		`write resil.WithLimiterBackend("redis", ...) in resil.New`)
}

func TestBackendThatCannotServeALimiterMakesItsConstructorFail(t *testing.T) {
	t.Parallel()
	redis := &scriptedBackend{making: errAway}
	rt := newRuntime(t, resil.WithLimiterBackend("redis", redis))
	_, err := bindLimiter(rt, "orders", "reserve", limiter.WithBackend("redis"))
	require.EqualError(t, err, `ratelimiter "reserve" of example.com/shop/orders.Client: away`)
	require.ErrorIs(t, err, errAway)
	redis.making = nil
	_, err = bindLimiter(rt, "orders", "reserve", limiter.WithBackend("redis"))
	require.NoError(t, err)

	redis.changing = errAway
	_, err = bindLimiter(rt, "billing", "reserve", limiter.WithLimitForPeriod(5))
	require.EqualError(t, err, `ratelimiter "reserve" of example.com/shop/billing.Client: away`)
}

// TestBackendMayBeNamedByAnyOfTheSharers: keys are merged whatever the order of the constructors, though a rate limiter
// keeps its backend for life.
func TestBackendMayBeNamedByAnyOfTheSharers(t *testing.T) {
	t.Parallel()
	redis := &scriptedBackend{}
	rt := newRuntime(t, resil.WithLimiterBackend("redis", redis))
	first, err := bindLimiter(rt, "orders", "reserve")
	require.NoError(t, err)
	second, err := bindLimiter(rt, "billing", "reserve", limiter.WithBackend("redis"))
	require.NoError(t, err)
	require.Same(t, first.For(t.Context()), second.For(t.Context()))
	require.NoError(t, first.For(t.Context()).Acquire(t.Context(), 1))
	require.Equal(t, 1, redis.made[0].acquired)

	_, err = rt.Limiters().GetOrCreate("local")
	require.NoError(t, err)
	_, err = bindLimiter(rt, "orders", "local", limiter.WithBackend("redis"))
	require.EqualError(t, err, `ratelimiter "local" of example.com/shop/orders.Client: backend is "redis", but an `+
		`instance whose backend is "" is in use already; name the backend where that is made`)
}

func TestClosingEndsEachDeciderOnceAndReportsItsError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	redis := &scriptedBackend{closing: errAway}
	rt, err := resil.New(resil.WithLimiterBackend("redis", redis),
		resil.WithLimiterConfig("default", limiter.WithBackend("redis")), resil.WithLimiter("a"), resil.WithLimiter("b"),
		resil.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	require.True(t, rt.Limiters().Remove("a"))
	require.Contains(t, log.String(), `msg="resil: closing an instance failed" kind=ratelimiter name=a error=away`)
	require.EqualError(t, rt.Close(), `ratelimiter "b": away`)
	require.NoError(t, rt.Close(), "a second Close")
	for _, d := range redis.made {
		require.Equal(t, 1, d.closed, d.name)
	}
}

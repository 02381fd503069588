package redislimiter_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
)

func client(t testing.TB) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: redistest.Node(t).Addr(), Protocol: 2})
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

var (
	suffix    = strconv.FormatUint(rand.Uint64(), 36)
	givenMu   sync.Mutex
	givenName = map[testing.TB]string{}
)

// named returns the name of the test's limiter, which no other test has, nor the same one when it runs again.
func named(t testing.TB) string {
	givenMu.Lock()
	defer givenMu.Unlock()
	if givenName[t] == "" {
		givenName[t] = t.Name() + "-" + strconv.Itoa(len(givenName)) + "-" + suffix
	}
	return givenName[t]
}

// patience is for machines that have other things to do.
var patience = redislimiter.WithCallTimeout(20 * time.Second)

// made returns a limiter that is closed when the test ends.
func made(t testing.TB, c redis.UniversalClient, name string, options ...redislimiter.Option) *redislimiter.RateLimiter {
	t.Helper()
	l, err := redislimiter.New(c, name, append([]redislimiter.Option{patience}, options...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// rate returns the options of a limit.
func rate(n int, interval time.Duration, more ...redislimiter.Option) []redislimiter.Option {
	return append([]redislimiter.Option{
		redislimiter.WithLimitForPeriod(n), redislimiter.WithLimitRefreshPeriod(interval),
	}, more...)
}

// A dial is a server's clock that a test turns.
type dial struct {
	mu  sync.Mutex
	now time.Time
}

// dialled returns a clock that shows 0 ms.
func dialled() *dial { return &dial{now: time.UnixMilli(1_800_000_000_000)} }

func (d *dial) read() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *dial) add(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by).Truncate(time.Microsecond)
}

// to turns the clock to so many ms after where it began.
func (d *dial) to(ms int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = time.UnixMilli(1_800_000_000_000 + int64(ms))
}

func (d *dial) option() redislimiter.Option { return redislimiter.WithServerClock(d.read) }

func try(t testing.TB, l *redislimiter.RateLimiter, n int) bool {
	t.Helper()
	ok, err := l.TryAcquire(t.Context(), n)
	require.NoError(t, err)
	return ok
}

func left(t testing.TB, l *redislimiter.RateLimiter) int {
	t.Helper()
	n, err := l.AvailablePermits(t.Context())
	require.NoError(t, err)
	return int(n)
}

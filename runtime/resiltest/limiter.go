package resiltest

import (
	"sync"
	"testing"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// never is a period that no test outlasts, not even in a bubble of testing/synctest. It is less than what a count of
// nanoseconds can hold by enough for a limiter to reckon with.
const never = 100 * 365 * 24 * time.Hour

// Exhaust takes all permits of the rate limiter of that name, and lets none come back: every call gets a
// [*limiter.ExceededError] at once, since it cannot get its permits within any timeoutDuration. Calls that wait already
// are refused too.
//
// Until release is called the limiter's settings are one permit in a hundred years. Release, which may be called more
// than once and is called when the test ends, puts those back that it had, unless somebody has changed them since. With
// the algorithm CYCLE a cycle begins then, in which the permits are missing that were taken before, at least one; with
// the others permits come back one after the other. One limitRefreshPeriod later all are there.
func Exhaust(t testing.TB, rt *resil.Runtime, name string) (release func()) {
	t.Helper()
	l, ok := rt.Limiter(name)
	if !ok {
		missing(t, rt, "rate limiter", name, namesOf(rt.Limiters()), policy.RateLimiter)
	}
	before := l.Config()
	if !before.Enabled {
		off(t, "rate limiter", name)
	}
	empty := before
	empty.LimitForPeriod, empty.LimitRefreshPeriod, empty.Burst, empty.Lease = 1, never, 0, 0
	reconfigure(t, l, empty)
	l.Drain()
	release = sync.OnceFunc(func() {
		if l.Config().LimitRefreshPeriod == never {
			reconfigure(t, l, before)
		}
	})
	t.Cleanup(release)
	return release
}

func reconfigure(t testing.TB, l *limiter.Limiter, config limiter.Config) {
	t.Helper()
	if err := l.Reconfigure(config); err != nil {
		t.Fatalf("resiltest: %v", err)
	}
}

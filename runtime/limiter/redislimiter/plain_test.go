package redislimiter_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// A limiter that knows its client's id has the whole script decide always, and one that does not what stands in front of
// it, where it can.
func TestPlainDecisionsAreThoseOfTheWholeScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rate     int64
		interval time.Duration
	}{
		{"few permits", 5, 40 * time.Millisecond},
		{"many buckets in use", 3000, time.Second},
		{"long buckets", 5000, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(4, uint64(c.rate)))
			d := dialled()
			options := rate(int(c.rate), c.interval, d.option(), redislimiter.WithKeepAliveTime(3*c.interval))
			plain := made(t, client(t), named(t), options...)
			whole := made(t, client(t), named(t)+"-whole", append(options, redislimiter.WithClientID("me"))...)
			both := []*redislimiter.RateLimiter{plain, whole}
			for step := range 2500 {
				switch random.IntN(12) {
				case 0:
					d.add(time.Duration(random.Int64N(int64(c.interval) * 5 / 4)))
				case 1, 2, 3, 4, 5, 6, 7:
					d.add(time.Duration(random.Int64N(int64(c.interval) / 300)))
				case 8:
					n := int(random.Int64N(c.rate/8 + 2))
					for _, l := range both {
						require.NoError(t, l.Release(t.Context(), n))
					}
				case 9:
					if random.IntN(20) == 0 {
						changed := redislimiter.Config{Rate: 1 + random.Int64N(c.rate), Interval: c.interval}
						for _, l := range both {
							require.NoError(t, l.SetRate(t.Context(), changed, redislimiter.KeepState))
						}
					}
				}
				requests, permits := 1+random.Int64N(3), 1+random.Int64N(max(c.rate/50, 2))
				one, err := redislimiter.AskEach(t.Context(), plain, permits, int(requests))
				require.NoError(t, err)
				other, err := redislimiter.AskEach(t.Context(), whole, permits, int(requests))
				require.NoError(t, err)
				require.Equal(t, other, one, "step %d: %d times %d permits", step, requests, permits)
				require.Equal(t, left(t, whole), left(t, plain), "step %d", step)
			}
		})
	}
}

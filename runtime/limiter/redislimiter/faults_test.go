package redislimiter_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
)

// layouts are the options of both layouts.
var layouts = map[string][]redislimiter.Option{
	"own layout":        nil,
	"Redisson's layout": {redislimiter.RedissonCompatible()},
}

func inEachLayout(t *testing.T, test func(t *testing.T, options ...redislimiter.Option)) {
	t.Parallel()
	for name, options := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, options...)
		})
	}
}

func TestServerThatStandsStillForTwoSeconds(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		s := redistest.Start(t)
		f := startLoad(t, single(s.Addr()), options...)
		s.Freeze(t)
		time.Sleep(2 * time.Second)
		s.Thaw(t)
		f.recovers()
		f.verdict(loadRate)
		require.Positive(t, f.failed)
	})
}

func TestCallWithoutAnswerIsNotSentAgain(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		s := redistest.Start(t)
		c := redis.NewClient(&redis.Options{Addr: s.Addr(), ReadTimeout: 100 * time.Millisecond, MaxRetries: 5})
		t.Cleanup(func() { c.Close() })
		options = append(options, redislimiter.WithCallTimeout(400*time.Millisecond))
		l := made(t, c, named(t), rate(100, time.Hour, options...)...)
		require.True(t, try(t, l, 1))
		s.Freeze(t)
		_, err := l.TryAcquire(t.Context(), 1)
		require.ErrorIs(t, err, redislimiter.ErrUnknownOutcome)
		time.Sleep(500 * time.Millisecond)
		s.Thaw(t)
		require.Eventually(t, func() bool {
			_, err := l.AvailablePermits(t.Context())
			return err == nil
		}, recovery, 10*time.Millisecond)
		require.Contains(t, []int{98, 99}, left(t, l), "it takes its permit once at most")
	})
}

func TestServerThatIsKilledAndStartsAgain(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		s := redistest.Start(t)
		f := startLoad(t, single(s.Addr()), options...)
		s.Kill(t)
		f.fails()
		s.Restart(t)
		f.recovers()
		f.verdict(2 * loadRate) // the server has forgotten what was taken
	})
}

func TestMasterIsReplacedBySentinels(t *testing.T) {
	t.Parallel()
	g := redistest.Sentinel(t)
	f := startLoad(t, func() redis.UniversalClient { return redis.NewFailoverClient(g.Options()) })
	g.Nodes[0].Kill(t)
	f.fails()
	f.recovers()
	f.verdict(2 * loadRate) // as the replica need not have what was taken last
}

func TestSlotMovesAndMasterOfClusterDies(t *testing.T) {
	t.Parallel()
	r := redistest.Cluster(t)
	key := redislimiter.Keys("resil:", named(t), "", 1)[0]
	cluster := redis.NewClusterClient(r.Options())
	t.Cleanup(func() { cluster.Close() })
	namesWithBraces(t, cluster)
	connect := func() redis.UniversalClient { return redis.NewClusterClient(r.Options()) }
	both := []*load{startLoad(t, connect), startLoad(t, connect, redislimiter.RedissonCompatible())} // in one slot
	each := func(do func(f *load)) {
		for _, f := range both {
			do(f)
		}
	}
	from := r.Owner(t, key)
	to := (from + 1) % 3
	r.Move(t, key, from, to)
	each((*load).recovers)
	r.Move(t, key, to, from)
	each((*load).recovers)
	each(func(f *load) {
		f.mu.Lock()
		moved := append([]grant(nil), f.grants...)
		f.mu.Unlock()
		most := mostWithin(moved, loadInterval-time.Millisecond)
		require.LessOrEqual(t, most, loadRate, "a slot moves with what is in it")
	})
	r.Masters[from].Kill(t)
	each((*load).recovers)
	each(func(f *load) {
		f.verdict(2 * loadRate) // as the replica need not have what was taken last
		require.Positive(t, f.failed)
	})
}

func TestKeysThatAreEvicted(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		s := redistest.Start(t, "--maxmemory", "6mb", "--maxmemory-policy", "allkeys-random")
		f := startLoad(t, single(s.Addr()), options...)
		fill(t, s, 3000)
		require.NotContains(t, s.Client().Info(t.Context(), "stats").Val(), "evicted_keys:0\r")
		f.recovers()
		require.NoError(t, s.Client().ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
		require.NoError(t, s.Client().ConfigSet(t.Context(), "maxmemory", "1mb").Err())
		f.fails()
		require.NoError(t, s.Client().ConfigSet(t.Context(), "maxmemory", "100mb").Err())
		f.recovers()
		f.end()
		f.strange = slices.DeleteFunc(f.strange, func(err error) bool {
			return errors.Is(err, redislimiter.ErrNotInitialized) // evicted again between being made anew and being used
		})
		require.Empty(t, f.strange, "a limiter that has lost a key is a fresh one, and not broken")
		require.Less(t, f.longest, budget+slack)
	})
}

// fill writes keys of 4 KB.
func fill(t *testing.T, s *redistest.Server, keys int) {
	t.Helper()
	for i := range keys {
		require.NoError(t, s.Client().Set(t.Context(), "junk:"+strconv.Itoa(i), strings.Repeat("y", 4096), 0).Err())
	}
}

func TestConnectionsThatTheServerEnds(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		s := redistest.Start(t)
		f := startLoad(t, single(s.Addr()), options...)
		for range 15 {
			require.NoError(t, s.Client().ClientKillByFilter(t.Context(), "TYPE", "normal").Err())
			time.Sleep(40 * time.Millisecond)
		}
		f.recovers()
		f.verdict(loadRate)
	})
}

func TestConnectionOnWhichNothingComesAnyMore(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		p := redistest.Through(t, redistest.Node(t))
		f := startLoad(t, single(p.Addr()), options...)
		p.Silence()
		f.fails()
		time.Sleep(time.Second)
		p.Speak()
		f.recovers()
		f.verdict(loadRate)
	})
}

package redistest_test

import (
	"context"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
)

const patience = 40 * time.Second

func TestMain(m *testing.M) {
	logging.Disable()
	m.Run()
}

func requireTimeout(t *testing.T, err error) {
	t.Helper()
	var silence net.Error
	require.ErrorAs(t, err, &silence)
	require.True(t, silence.Timeout(), err)
}

func TestServerFreezesDiesAndComesBack(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	require.NoError(t, s.Client().Set(t.Context(), "k", "v", 0).Err())
	s.Freeze(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	impatient := redis.NewClient(&redis.Options{Addr: s.Addr(), ContextTimeoutEnabled: true, MaxRetries: -1})
	defer impatient.Close()
	requireTimeout(t, impatient.Ping(ctx).Err())
	s.Thaw(t)
	require.Equal(t, "v", s.Client().Get(t.Context(), "k").Val())
	s.Kill(t)
	require.Error(t, impatient.Ping(t.Context()).Err())
	s.Restart(t)
	require.Zero(t, s.Client().Exists(t.Context(), "k").Val(), "nothing is kept")
}

func TestServerEndsWithTheProcessThatStartedIt(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	pid := strings.TrimSpace(s.Client().InfoMap(t.Context(), "server").Item("Server", "process_id"))
	parent := func() string {
		out, err := exec.Command("ps", "-o", "ppid=", "-p", pid).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	guard, err := strconv.Atoi(parent())
	require.NoError(t, err)
	require.Greater(t, guard, 1, "a guard stands between, which sees the end of this process")
}

func TestGroupReplacesItsMaster(t *testing.T) {
	t.Parallel()
	g := redistest.Sentinel(t)
	c := redis.NewFailoverClient(g.Options())
	defer c.Close()
	require.NoError(t, c.Set(t.Context(), "k", "v", 0).Err())
	g.Nodes[0].Kill(t)
	require.Eventually(t, func() bool { return c.Set(t.Context(), "k", "w", 0).Err() == nil }, patience, 50*time.Millisecond)
}

func TestClusterMovesSlotsAndReplacesMasters(t *testing.T) {
	t.Parallel()
	r := redistest.Cluster(t)
	c := redis.NewClusterClient(r.Options())
	defer c.Close()
	for _, key := range []string{"a", "b", "c", "d"} {
		require.NoError(t, c.Set(t.Context(), key, key, 0).Err())
	}
	from := r.Owner(t, "a")
	to := (from + 1) % 3
	r.Move(t, "a", from, to)
	require.Equal(t, "a", c.Get(t.Context(), "a").Val())
	require.Equal(t, "a", r.Masters[to].Client().Get(t.Context(), "a").Val())
	r.Masters[to].Kill(t)
	require.Eventually(t, func() bool { return c.Set(t.Context(), "a", "w", 0).Err() == nil }, patience, 50*time.Millisecond)
}

func TestSilentProxyKeepsConnectionsOpen(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	p := redistest.Through(t, s)
	c := redis.NewClient(&redis.Options{Addr: p.Addr(), ContextTimeoutEnabled: true, MaxRetries: -1})
	defer c.Close()
	require.NoError(t, c.Ping(t.Context()).Err())
	p.Silence()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	requireTimeout(t, c.Ping(ctx).Err())
	p.Speak()
	require.Eventually(t, func() bool { return c.Ping(t.Context()).Err() == nil }, 10*time.Second, 5*time.Millisecond)
}

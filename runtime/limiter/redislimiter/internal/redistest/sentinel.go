package redistest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// MasterName is what sentinels call the master.
const MasterName = "limits"

// A Group is a master with two replicas, under three sentinels that replace it soon after it has failed.
type Group struct {
	Nodes     []*Server // the first master is the first
	Sentinels []*Server
}

// Sentinel starts a group.
func Sentinel(t testing.TB) *Group {
	t.Helper()
	g := &Group{Nodes: []*Server{Start(t)}}
	host, port, err := net.SplitHostPort(g.Nodes[0].Addr())
	require.NoError(t, err)
	for range 2 {
		g.Nodes = append(g.Nodes, Start(t, "--replicaof", host+" "+port))
	}
	for _, replica := range g.Nodes[1:] {
		require.Eventually(t, func() bool { return follows(t, replica) }, patience, 20*time.Millisecond)
	}
	for range 3 {
		g.Sentinels = append(g.Sentinels, watcher(t, host, port))
	}
	for _, s := range g.Sentinels {
		require.Eventually(t, func() bool {
			master, err := s.client.Do(t.Context(), "sentinel", "master", MasterName).Result()
			seen := fmt.Sprint(master)
			return err == nil && strings.Contains(seen, "num-slaves:2") && strings.Contains(seen, "num-other-sentinels:2")
		}, patience, 20*time.Millisecond, "the sentinels do not see the group")
	}
	return g
}

// watcher starts a sentinel, whose settings stand in a file that it writes to.
func watcher(t testing.TB, host, port string) *Server {
	t.Helper()
	own, err := freePort()
	require.NoError(t, err)
	s := &Server{dir: t.TempDir(), addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(own))}
	file := filepath.Join(s.dir, "sentinel.conf")
	settings := fmt.Appendf(nil, "bind 127.0.0.1\nport %d\ndir %s\nsentinel monitor %s %s %s 2\n"+
		"sentinel down-after-milliseconds %[3]s 500\nsentinel failover-timeout %[3]s 3000\n",
		own, s.dir, MasterName, host, port)
	require.NoError(t, os.WriteFile(file, settings, 0o600))
	s.args = []string{file, "--sentinel"}
	require.NoError(t, s.run())
	t.Cleanup(func() { require.NoError(t, s.stop()) })
	return s
}

// follows reports whether a replica has what its master has.
func follows(t testing.TB, replica *Server) bool {
	info, err := replica.client.Info(t.Context(), "replication").Result()
	return err == nil && strings.Contains(info, "role:slave") && strings.Contains(info, "master_link_status:up")
}

// Options returns what a client of the group needs.
func (g *Group) Options() *redis.FailoverOptions {
	o := &redis.FailoverOptions{MasterName: MasterName}
	for _, s := range g.Sentinels {
		o.SentinelAddrs = append(o.SentinelAddrs, s.addr)
	}
	return o
}

package redistest

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

const slots = 16384

// A Ring is a cluster of three masters that share the slots, each with a replica.
type Ring struct {
	Masters, Replicas []*Server // replicas stand where their masters do
}

// Cluster starts a cluster. A master that fails is replaced after a second or two.
func Cluster(t testing.TB) *Ring {
	t.Helper()
	var all []*Server
	for range 6 {
		all = append(all, Start(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
			"--cluster-replica-validity-factor", "0"))
	}
	r := &Ring{Masters: all[:3], Replicas: all[3:]}
	for i, s := range r.Masters {
		require.NoError(t, s.client.ClusterAddSlotsRange(t.Context(), i*slots/3, (i+1)*slots/3-1).Err())
	}
	for i, s := range all {
		require.NoError(t, s.client.Do(t.Context(), "cluster", "set-config-epoch", i+1).Err())
		for _, other := range all[:i] { // each meets each, as gossip takes its time
			host, port, err := net.SplitHostPort(other.addr)
			require.NoError(t, err)
			require.NoError(t, s.client.ClusterMeet(t.Context(), host, port).Err())
		}
	}
	for _, s := range all {
		r.await(t, s, "cluster_state:ok", "cluster_known_nodes:6")
	}
	for i, s := range r.Replicas {
		require.NoError(t, s.client.ClusterReplicate(t.Context(), ID(t, r.Masters[i])).Err())
	}
	for i, s := range r.Replicas {
		require.Eventually(t, func() bool { return follows(t, s) }, patience, 20*time.Millisecond, "replica %d", i)
	}
	for _, s := range all { // all have heard who follows whom
		require.Eventually(t, func() bool {
			nodes, err := s.client.ClusterNodes(t.Context()).Result()
			return err == nil && strings.Count(nodes, "slave ") == 3
		}, patience, 20*time.Millisecond)
	}
	return r
}

func (r *Ring) await(t testing.TB, s *Server, texts ...string) {
	t.Helper()
	require.Eventually(t, func() bool {
		info, err := s.client.ClusterInfo(t.Context()).Result()
		for _, text := range texts {
			if err != nil || !strings.Contains(info, text) {
				return false
			}
		}
		return true
	}, patience, 20*time.Millisecond, "%v on %s", texts, s.addr)
}

// ID returns what the cluster calls a node.
func ID(t testing.TB, s *Server) string {
	t.Helper()
	id, err := s.client.ClusterMyID(t.Context()).Result()
	require.NoError(t, err)
	return id
}

// Options returns what a client of the cluster needs.
func (r *Ring) Options() *redis.ClusterOptions {
	o := &redis.ClusterOptions{}
	for _, s := range append(append([]*Server(nil), r.Masters...), r.Replicas...) {
		o.Addrs = append(o.Addrs, s.addr)
	}
	return o
}

// Owner returns which of the masters has the slot of a key.
func (r *Ring) Owner(t testing.TB, key string) int {
	t.Helper()
	slot, err := r.Masters[0].client.ClusterKeySlot(t.Context(), key).Result()
	require.NoError(t, err)
	for i := range r.Masters {
		if int(slot) < (i+1)*slots/3 {
			return i
		}
	}
	panic(fmt.Sprintf("there is no slot %d", slot))
}

// Move moves the slot of a key, with what is in it, from one master to another, as an operator would.
func (r *Ring) Move(t testing.TB, key string, from, to int) {
	t.Helper()
	source, target := r.Masters[from], r.Masters[to]
	slot, err := source.client.ClusterKeySlot(t.Context(), key).Result()
	require.NoError(t, err)
	set := func(s *Server, words ...any) {
		require.NoError(t, s.client.Do(t.Context(), append([]any{"cluster", "setslot", slot}, words...)...).Err())
	}
	set(target, "importing", ID(t, source))
	set(source, "migrating", ID(t, target))
	host, port, err := net.SplitHostPort(target.addr)
	require.NoError(t, err)
	for {
		keys, err := source.client.ClusterGetKeysInSlot(t.Context(), int(slot), 100).Result()
		require.NoError(t, err)
		if len(keys) == 0 {
			break
		}
		for _, k := range keys {
			require.NoError(t, source.client.Migrate(t.Context(), host, port, k, 0, patience).Err())
		}
	}
	for _, s := range []*Server{target, source} {
		set(s, "node", ID(t, target))
	}
}

package redislimiter_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

// restore carries out the commands of a file of testdata.
func restore(s *scene, file string) {
	s.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(s, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		var words []any
		for line != "" {
			quoted, err := strconv.QuotedPrefix(line)
			require.NoError(s, err, line)
			word, err := strconv.Unquote(quoted)
			require.NoError(s, err, line)
			words = append(words, strings.ReplaceAll(word, "NAME", s.name))
			line = strings.TrimSpace(line[len(quoted):])
		}
		require.NoError(s, s.client.Do(s.Context(), words...).Err())
	}
}

func TestLimitersOfRedissonGoOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file      string
		random    int // bytes of the random part of members that are added
		client    string
		keepAlive time.Duration
	}{
		{"redisson-3.13.3.txt", 16, "", 0},
		{"redisson-3.16.txt", 8, "", 0},
		{"redisson-4.7.txt", 16, "", 0},
		{"redisson-4.7-keepalive.txt", 16, "", time.Minute},
		{"redisson-4.7-perclient.txt", 16, ":me", 0},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, true)
			restore(s, c.file)
			set, number := "{"+s.name+"}:permits"+c.client, "{"+s.name+"}:value"+c.client
			l := s.limiter()
			config, err := l.Config(t.Context())
			require.NoError(t, err)
			want := settings(10, 10*time.Second)
			want.KeepAliveTime = c.keepAlive
			if c.client != "" {
				want.RateType = redislimiter.PerClient
			}
			require.Equal(t, want, config)
			s.to(5000)
			s.want(l, 5)
			s.take(l, 4)
			members, err := s.client.ZRangeArgs(t.Context(), takenAt(set, 5000)).Result()
			require.NoError(t, err)
			require.Len(t, members, 1)
			require.Len(t, members[0], 1+c.random+4)
			require.EqualValues(t, c.random, members[0][0])
			require.Equal(t, "\x04\x00\x00\x00", members[0][1+c.random:])
			require.Equal(t, "1", s.client.Get(t.Context(), number).Val())
			ok, wait, err := redislimiter.Ask(t.Context(), l, 2)
			require.NoError(t, err)
			require.False(t, ok)
			require.Equal(t, 5*time.Second, wait)
			for _, at := range []struct{ ms, left int }{
				{9999, 1}, {10_000, 4}, {13_999, 4}, {14_000, 6}, {14_999, 6}, {15_000, 10},
			} {
				s.to(at.ms)
				s.want(l, at.left)
			}
			s.take(l, 10)
			require.EqualValues(t, 1, s.client.ZCard(t.Context(), set).Val(), "what is back is swept")
			require.Equal(t, "0", s.client.Get(t.Context(), number).Val())
			for _, key := range []string{s.name, set, number} {
				left := s.client.PTTL(t.Context(), key).Val()
				if c.keepAlive == 0 {
					require.Equal(t, time.Duration(-1), left, "%s stays for ever, as Redisson has it", key)
				} else {
					require.Greater(t, left, c.keepAlive/2)
				}
			}
		})
	}
}

func TestFixedWindowOfOldRedissonIsRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, true)
	restore(s, "redisson-3.13.2.txt")
	l := s.limiter()
	_, err := l.TryAcquire(t.Context(), 1)
	require.ErrorIs(t, err, redislimiter.ErrFixedWindow)
	require.ErrorContains(t, err, "a fixed window of Redisson 3.13.2 or older")
	_, err = l.AvailablePermits(t.Context())
	require.ErrorIs(t, err, redislimiter.ErrFixedWindow)
	err = l.SetRate(t.Context(), settings(10, time.Second), redislimiter.KeepState)
	require.ErrorIs(t, err, redislimiter.ErrFixedWindow)
	require.Equal(t, "5", s.client.Get(t.Context(), "{"+s.name+"}:value").Val(), "it is left as it is")
	s.set(l, settings(10, time.Second))
	s.take(l, 10)
}

func TestKeysThatAreNotOfRedissonAreLeftAlone(t *testing.T) {
	t.Parallel()
	for i, words := range [][]any{
		{"set", "NAME", "mine"},
		{"set", "{NAME}:value", "mine"},
		{"set", "{NAME}:value", "0.5"},
		{"set", "{NAME}:permits", "mine"},
		{"zadd", "{NAME}:permits", "1", "mine"},
	} {
		s := newScene(t, true)
		s.name += strconv.Itoa(i)
		if words[1] != "NAME" {
			s.set(s.limiter(), settings(10, time.Second))
		}
		for i, word := range words {
			words[i] = strings.ReplaceAll(word.(string), "NAME", s.name)
		}
		require.NoError(t, s.client.Do(t.Context(), words...).Err())
		before := s.client.Dump(t.Context(), words[1].(string)).Val()
		_, err := s.limiter().TryAcquire(t.Context(), 1)
		require.ErrorIs(t, err, redislimiter.ErrForeignKey, words)
		_, err = s.limiter().AvailablePermits(t.Context())
		require.ErrorIs(t, err, redislimiter.ErrForeignKey, words)
		require.Equal(t, before, s.client.Dump(t.Context(), words[1].(string)).Val())
	}
}

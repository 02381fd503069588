package redislimiter_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter/internal/redistest"
)

// The environment of a process that these tests start.
const (
	processServer = "REDISLIMITER_TEST_SERVER" // its address
	processName   = "REDISLIMITER_TEST_NAME"
	processLayout = "REDISLIMITER_TEST_REDISSON"
)

const (
	processInterval = 500 * time.Millisecond
	processTime     = 2500 * time.Millisecond
)

// acquireInProcess takes what it can of 3 permits in 500 ms, and prints when it did: from when to when each took, in
// microseconds of the clock that the processes share.
func acquireInProcess() error {
	client := redis.NewClient(&redis.Options{Addr: os.Getenv(processServer)})
	defer client.Close()
	options := rate(3, processInterval)
	if os.Getenv(processLayout) != "" {
		options = append(options, redislimiter.RedissonCompatible())
	}
	l, err := redislimiter.New(client, os.Getenv(processName), options...)
	if err != nil {
		return err
	}
	defer l.Close()
	for end := time.Now().Add(processTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		began := time.Now()
		ok, err := l.TryAcquire(context.Background(), 1)
		if err != nil {
			return err
		}
		if ok {
			fmt.Println(began.UnixMicro(), time.Now().UnixMicro())
		}
	}
	return nil
}

func TestTwoProcessesTogetherNeverExceedTheLimit(t *testing.T) {
	inEachLayout(t, func(t *testing.T, options ...redislimiter.Option) {
		var processes [2]*exec.Cmd
		var output [2]strings.Builder
		for i := range processes {
			p := exec.CommandContext(t.Context(), os.Args[0])
			p.Env = append(os.Environ(), processServer+"="+redistest.Node(t).Addr(), processName+"="+named(t))
			if options != nil {
				p.Env = append(p.Env, processLayout+"=yes")
			}
			p.Stdout, p.Stderr = &output[i], os.Stderr
			require.NoError(t, p.Start())
			processes[i] = p
		}
		var all []grant
		for i, p := range processes {
			require.NoError(t, p.Wait())
			for line := range strings.Lines(output[i].String()) {
				var began, ended int64
				_, err := fmt.Sscan(line, &began, &ended)
				require.NoError(t, err)
				all = append(all, grant{time.UnixMicro(began), time.UnixMicro(ended), 1})
			}
		}
		require.Greater(t, len(all), 3, "permits come back")
		require.LessOrEqual(t, mostWithin(all, processInterval-time.Millisecond), 3)
	})
}

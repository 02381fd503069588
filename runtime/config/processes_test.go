package config_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/resil"
)

// follow is what a process of the fleet does: it prints the state of its circuit breaker whenever that is another one,
// with the time in nanoseconds, until its input ends.
func follow(path string) {
	rt, err := resil.New(config.File(path, config.Watch()))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}()
	b, _ := rt.Breaker("stock")
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for last := ""; ; {
		if state := b.State().String(); state != last {
			last = state
			fmt.Println(state, time.Now().UnixNano())
		}
		select {
		case <-ended:
			if err := rt.Close(); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			return
		case <-ticker.C:
		}
	}
}

func TestTwoProcessesFollowOneFile(t *testing.T) {
	path := newFile(t, closedYAML)
	states := make([]*bufio.Scanner, 2)
	for i := range states {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CONFIG_TEST_FOLLOW="+path)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			require.NoError(t, in.Close())
			require.NoError(t, cmd.Wait())
		})
		states[i] = bufio.NewScanner(out)
	}
	// next returns the state that a process prints, and when it saw it.
	next := func(s *bufio.Scanner) (state string, at time.Time) {
		require.True(t, s.Scan(), s.Err())
		var nanoseconds int64
		_, err := fmt.Sscan(s.Text(), &state, &nanoseconds)
		require.NoError(t, err, s.Text())
		return state, time.Unix(0, nanoseconds)
	}
	for _, s := range states {
		state, _ := next(s)
		require.Equal(t, breaker.Closed.String(), state)
	}
	for _, text := range []string{forcedYAML, closedYAML, forcedYAML} {
		want := breaker.Closed
		if strings.Contains(text, "FORCED_OPEN") {
			want = breaker.ForcedOpen
		}
		write(t, path+".new", text)
		changed := time.Now()
		require.NoError(t, os.Rename(path+".new", path))
		for _, s := range states {
			state, at := next(s)
			require.Equal(t, want.String(), state)
			t.Logf("%s after %v", state, at.Sub(changed).Round(time.Millisecond))
			require.Less(t, at.Sub(changed), 2*time.Second)
		}
	}
}

// Package redistest starts real Redis servers for tests, on free ports of the loopback interface and with nothing kept on
// disk: one node, a group under Sentinel, and a cluster. They end with the test, and in any case with its process.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// patience is how long servers get for what takes them a moment, on a slow machine too.
const patience = 40 * time.Second

// A Server is a server process that listens on a port of its own, also after it was killed and started again.
type Server struct {
	dir, addr string
	args      []string
	process   *process
	client    *redis.Client
}

// Start starts a server for one test, with further settings, as in "--maxmemory", "10mb".
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(t.TempDir(), settings)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the server did not end: %v\n%s", err, said(s.dir))
		}
	})
	return s
}

var shared struct {
	sync.Mutex
	server *Server
}

// Node returns the server that all tests of this process share, each with names of its own. [Stop] ends it.
func Node(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		dir, err := os.MkdirTemp("", "redistest")
		require.NoError(t, err)
		shared.server, err = start(dir, nil)
		require.NoError(t, err)
	}
	return shared.server
}

// Stop ends the shared server; TestMain calls it.
func Stop() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	s := shared.server
	shared.server = nil
	if err := s.stop(); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}

func start(dir string, settings []string) (*Server, error) {
	var failed error
	for range 5 { // another process may have taken the port
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		s := &Server{dir: dir, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
		s.args = append([]string{"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no",
			"--dir", dir, "--daemonize", "no", "--repl-diskless-sync-delay", "0"}, settings...)
		if failed = s.run(); failed == nil {
			return s, nil
		}
	}
	return nil, failed
}

// run starts the process and waits until it answers.
func (s *Server) run() (err error) {
	if s.process, err = launch(s.dir, s.args); err != nil {
		return err
	}
	s.client = redis.NewClient(&redis.Options{Addr: s.addr, MaxRetries: -1, DialerRetries: 1})
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if err = s.client.Ping(context.Background()).Err(); err == nil {
			return nil
		}
		if s.process.signal(0) != nil || time.Now().After(end) {
			_ = s.stop()
			return fmt.Errorf("the server on %s did not start: %w\n%s", s.addr, err, said(s.dir))
		}
	}
}

func (s *Server) stop() error {
	if s.process == nil {
		return nil
	}
	_ = s.client.Close()
	err := s.process.end()
	s.process = nil
	return err
}

// Addr returns host and port.
func (s *Server) Addr() string { return s.addr }

// Client returns a client for looking at the server and setting it up. It is closed with the server.
func (s *Server) Client() *redis.Client { return s.client }

// Freeze stops the process, so that connections stay and nothing is answered, until Thaw.
func (s *Server) Freeze(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.signal(syscall.SIGSTOP))
}

// Thaw lets the process go on.
func (s *Server) Thaw(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.signal(syscall.SIGCONT))
}

// Kill ends the process as a crash would, with all it holds.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, s.stop())
}

// Restart starts a killed server again, empty, where it was.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	require.NoError(t, s.run())
}

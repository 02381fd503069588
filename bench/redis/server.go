package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A server is a redis-server process of this run's own, which keeps nothing on disk.
type server struct {
	process *exec.Cmd
	folder  string
	address string
}

// startServer starts a redis-server on a free port, as a replica of another one if that is given.
func startServer(ctx context.Context, primary *server) (*server, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errors.New("there is no redis-server; install it, as in apt-get install redis-server, or run make redis")
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "bench-redis-")
	if err != nil {
		return nil, err
	}
	args := []string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder,
		"--repl-diskless-sync-delay", "0",
	}
	if primary != nil {
		host, port, _ := net.SplitHostPort(primary.address)
		args = append(args, "--replicaof", host, port)
	}
	s := &server{process: exec.Command(path, args...), folder: folder, address: fmt.Sprintf("127.0.0.1:%d", port)}
	if err := s.process.Start(); err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	client := s.client(1)
	defer client.Close()
	for wait := time.Millisecond; ; wait *= 2 {
		if err = client.Ping(ctx).Err(); err == nil {
			return s, nil
		}
		if wait > 2*time.Second {
			s.stop()
			return nil, fmt.Errorf("redis-server does not answer: %w", err)
		}
		time.Sleep(wait)
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	_ = os.RemoveAll(s.folder)
}

// client returns a client with a pool of that many connections.
func (s *server) client(connections int) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.address, PoolSize: connections, ContextTimeoutEnabled: true})
}

// usage is what the server has spent since it started.
type usage struct {
	cpu    time.Duration // of the main thread
	calls  int64         // of scripts
	script time.Duration // inside scripts
}

func (u usage) since(before usage) usage {
	return usage{u.cpu - before.cpu, u.calls - before.calls, u.script - before.script}
}

// read returns the server's usage so far.
func (s *server) read(ctx context.Context, client *redis.Client) (usage, error) {
	var u usage
	cpu, err := client.Info(ctx, "cpu").Result()
	if err != nil {
		return u, err
	}
	for _, key := range []string{"used_cpu_sys_main_thread", "used_cpu_user_main_thread"} {
		seconds, err := strconv.ParseFloat(field(cpu, key), 64)
		if err != nil {
			return u, fmt.Errorf("INFO cpu has no %s: %w", key, err)
		}
		u.cpu += time.Duration(seconds * float64(time.Second))
	}
	stats, err := client.Info(ctx, "commandstats").Result()
	if err != nil {
		return u, err
	}
	for _, command := range []string{"eval", "evalsha"} {
		for pair := range strings.SplitSeq(field(stats, "cmdstat_"+command), ",") {
			key, value, _ := strings.Cut(pair, "=")
			n, _ := strconv.ParseInt(value, 10, 64)
			switch key {
			case "calls":
				u.calls += n
			case "usec":
				u.script += time.Duration(n) * time.Microsecond
			}
		}
	}
	return u, nil
}

// replicated returns how many bytes the server has written for its replicas.
func replicated(ctx context.Context, client *redis.Client) (int64, error) {
	info, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(field(info, "master_repl_offset"), 10, 64)
}

// field returns the value of a line "key:value" of INFO.
func field(info, key string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memory returns what the keys that match take.
func memory(ctx context.Context, client *redis.Client, pattern string) (int64, error) {
	keys, err := client.Keys(ctx, pattern).Result()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, key := range keys {
		bytes, err := client.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			return 0, err
		}
		sum += bytes
	}
	return sum, nil
}

package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// errNoServer says what to do where there is no server to start.
var errNoServer = errors.New("these tests need real servers, and neither redis-server nor valkey-server is on the PATH; " +
	"run make redis, or install one: apt-get install redis-server, dnf install redis, apk add redis, " +
	"pacman -S redis, zypper install redis, brew install redis")

// guard starts a server and says which process that is. It ends the server when its own input ends, as it does when the
// process of the tests is gone, however that came about.
const guard = `"$@" >>output 2>&1 </dev/null & p=$!; echo $p; read x; kill -9 $p; wait $p 2>/dev/null; exit 0`

func binary() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoServer
}

// A process is a server process.
type process struct {
	guard *exec.Cmd
	input io.Closer
	pid   int
}

// launch starts a server in a directory.
func launch(dir string, args []string) (*process, error) {
	server, err := binary()
	if err != nil {
		return nil, err
	}
	p := &process{guard: exec.Command("sh", append([]string{"-c", guard, "guard", server}, args...)...)}
	p.guard.Dir = dir
	if p.input, err = p.guard.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := p.guard.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.guard.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err == nil {
		p.pid, err = strconv.Atoi(strings.TrimSpace(line))
	}
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

func (p *process) signal(s syscall.Signal) error { return syscall.Kill(p.pid, s) }

// end kills the server, if it still runs, and waits until it is gone.
func (p *process) end() error {
	return errors.Join(p.input.Close(), p.guard.Wait())
}

// freePort returns a port of this machine on which nobody listens, nor on the one of the cluster bus, 10000 above.
func freePort() (int, error) {
	for range 100 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := first.Addr().(*net.TCPAddr).Port
		if port < 55_000 {
			var second net.Listener
			if second, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+10_000)); err == nil {
				err = second.Close()
			}
		} else {
			err = errors.New("too high for a cluster's port")
		}
		if err = errors.Join(err, first.Close()); err == nil {
			return port, nil
		}
	}
	return 0, errors.New("no free port was found")
}

// said returns the end of what a server has written.
func said(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "output"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

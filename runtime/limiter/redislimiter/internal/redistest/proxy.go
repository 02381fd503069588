package redistest

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Proxy passes connections on to a server. It can stop doing so without a word, as a firewall or a cable does.
type Proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	silent  bool
	closed  bool
	conns   []net.Conn
	running sync.WaitGroup
}

// Through starts a proxy for a server.
func Through(t testing.TB, s *Server) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{listener: listener, target: s.addr}
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Addr returns host and port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Silence drops what comes from either side from now on; the connections stay, and new ones are taken, until
// [Proxy.Speak].
func (p *Proxy) Silence() { p.set(true) }

// Speak passes on what comes from now on. The connections that were there stay dead.
func (p *Proxy) Speak() { p.set(false) }

func (p *Proxy) set(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = silent
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		p.mu.Lock()
		if err != nil || p.closed {
			near.Close()
			if err == nil {
				far.Close()
			}
			p.mu.Unlock()
			continue
		}
		p.conns = append(p.conns, near, far)
		cut := new(bool)
		p.mu.Unlock()
		p.running.Go(func() { p.pass(far, near, cut) })
		p.running.Go(func() { p.pass(near, far, cut) })
	}
}

// pass passes on what one side says, until the proxy is silent; then the connection stays cut.
func (p *Proxy) pass(to, from net.Conn, cut *bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		*cut = *cut || p.silent
		dropped := *cut
		p.mu.Unlock()
		if n > 0 && !dropped {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err == io.EOF || !dropped {
				to.Close()
			}
			return
		}
	}
}

func (p *Proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// Todo is a gateway to an external todo API. It starts both on loopback, and shows what the gateway's callers get from
// it: first with one circuit breaker for all of them, then with one for each tenant.
//
//	go run ./examples/todo
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/resilgen/resilgen/examples/todo/todo"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "todo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	external := new(api)
	url, stop, err := serve(external)
	if err != nil {
		return err
	}
	defer stop()
	if err := forAll(ctx, out, external, url); err != nil {
		return err
	}
	return perTenant(ctx, out, external, url)
}

// forAll shows one circuit breaker, jsonPlaceholder, in front of the API.
func forAll(ctx context.Context, out io.Writer, external *api, url string) error {
	fmt.Fprintln(out, "One circuit breaker for all")
	s, err := open(out, url)
	if err != nil {
		return err
	}
	defer s.close()

	s.scene("The API is well.")
	s.get(ctx, "/todos/1", "")
	s.scene("It hangs. After 3 s the gateway gives up: 1 of 2 calls failed, the circuit breaker opens.")
	external.hang(true)
	s.get(ctx, "/todos/2", "")
	s.scene("While it is open the API is not asked. Callers are told at once when to come again.")
	s.get(ctx, "/todos/1", "")
	external.hang(false)
	return s.err
}

// perTenant shows the same wrapper in a runtime in which each tenant has a circuit breaker of its own.
func perTenant(ctx context.Context, out io.Writer, external *api, url string) error {
	fmt.Fprintln(out, "\nA circuit breaker for each tenant")
	s, err := open(out, url, resil.PerTenant(policy.CircuitBreaker))
	if err != nil {
		return err
	}
	defer s.close()

	s.scene("The API fails for tenant-a, and for nobody else.")
	external.failFor("tenant-a")
	s.get(ctx, "/todos/1", "tenant-a")
	s.get(ctx, "/todos/1", "tenant-a")
	s.get(ctx, "/todos/1", "tenant-a")
	s.get(ctx, "/todos/1", "tenant-b")
	s.get(ctx, "/todos/3", "tenant-b")
	s.get(ctx, "/todos/2", "")
	s.scene("So only its circuit breaker is open.")
	for b := range s.runtime.Breakers().All() {
		fmt.Fprintf(out, "  %-26s %s\n", b.Name(), b.State())
	}
	return s.err
}

// A show runs a gateway and prints what its callers get.
type show struct {
	out     io.Writer
	runtime *resil.Runtime
	url     string
	close   func()
	err     error // the first of a request that found no gateway
}

// open starts a gateway to the API at that address. These few lines are what a program needs: a runtime, and the
// wrapper around the client that it has already.
func open(out io.Writer, apiURL string, opts ...resil.Option) (*show, error) {
	rt, err := resil.New(opts...)
	if err != nil {
		return nil, err
	}
	client, err := todo.NewResilientClient(&todo.HTTPClient{BaseURL: apiURL}, rt)
	if err != nil {
		rt.Close()
		return nil, err
	}
	url, stop, err := serve(&gateway{client})
	if err != nil {
		rt.Close()
		return nil, err
	}
	s := &show{out: out, runtime: rt, url: url, close: func() { stop(); rt.Close() }}
	rt.Subscribe(s.hear)
	return s, nil
}

// serve serves GET /todos/{id} on loopback, until stop is called.
func serve(handler http.Handler) (url string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /todos/{id}", handler)
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	return "http://" + listener.Addr().String(), func() { server.Close() }, nil
}

func (s *show) scene(text string) { fmt.Fprintf(s.out, "\n%s\n", text) }

// hear prints the transitions. The call that brings one about is not over yet, so nothing else is printing.
func (s *show) hear(e policy.Event) {
	if e.Type == policy.StateTransition {
		fmt.Fprintf(s.out, "  %s: %s -> %s\n", e.Name, e.From, e.To)
	}
}

// get asks the gateway as a caller of that tenant, or of none.
func (s *show) get(ctx context.Context, path, tenant string) {
	began := time.Now()
	status, body, err := fetch(ctx, s.url+path, tenant)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return
	}
	fmt.Fprintf(s.out, "  GET %s  %-8s  %s  %5d ms  %s\n", path, tenant, status, time.Since(began).Milliseconds(), body)
}

func fetch(ctx context.Context, url, tenant string) (status, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", "", err
	}
	if tenant != "" {
		request.Header.Set(todo.TenantHeader, tenant)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	body = strings.TrimSpace(string(text))
	if after := response.Header.Get("Retry-After"); after != "" {
		body += "; again in " + after + " s"
	}
	return fmt.Sprint(response.StatusCode), body, err
}

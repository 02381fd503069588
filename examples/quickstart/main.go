// Quickstart shows a generated wrapper at work: it starts a small HTTP service, lets it fail, slow down and recover by
// script, and prints what every call through inventory.ResilientClient met.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/resilgen/resilgen/examples/quickstart/inventory"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	service := new(warehouse)
	server := &http.Server{Handler: service}
	go server.Serve(listener)
	defer server.Close()

	// These lines are all that a program needs: a runtime, and the wrapper around the client that it has already.
	rt, err := resil.New()
	if err != nil {
		return err
	}
	defer rt.Close()
	known := new(inventory.LastKnown)
	plain := &inventory.HTTPClient{BaseURL: "http://" + listener.Addr().String(), Known: known}
	client, err := inventory.NewResilientClient(plain, known, rt)
	if err != nil {
		return err
	}

	show := &show{out: out, colours: isTerminal(out), client: client, began: time.Now()}
	defer rt.Subscribe(show.hear)()
	show.play(ctx, service)
	return nil
}

// play is the script.
func (s *show) play(ctx context.Context, service *warehouse) {
	s.scene("The service is healthy.")
	service.order(healthy)
	s.call(ctx, "anvil")
	s.call(ctx, "anvil")
	s.call(ctx, "anvil")

	s.scene("One request fails; the retry hides it.")
	service.order(broken, healthy)
	s.call(ctx, "anvil")

	s.scene("A sku that does not exist is an answer: no retry, no failure, and a fallback turns it into 0.")
	s.call(ctx, "portable hole")

	s.scene("One request hangs; the time limit cuts it off, and the retry hides that too.")
	service.order(slow, healthy)
	s.call(ctx, "anvil")

	s.scene("The service breaks down. Half of the last 10 requests failed: the circuit breaker opens.")
	service.order(broken)
	s.call(ctx, "anvil")

	s.scene("While it is open no request is sent. The last known stock answers at once.")
	s.call(ctx, "anvil")
	s.call(ctx, "anvil")

	s.scene("The service recovers. After a second the circuit breaker lets two probes through, and closes.")
	service.order(healthy)
	s.call(ctx, "anvil")
	time.Sleep(1100 * time.Millisecond)
	s.call(ctx, "anvil")
	s.call(ctx, "anvil")
	s.call(ctx, "anvil")
}

// A show prints what calls meet. Listeners run on the goroutine of their call, so it needs no lock.
type show struct {
	out     io.Writer
	colours bool
	client  inventory.Client
	began   time.Time

	verdict string   // on the call that is running: ok, retried, failed or refused
	met     []string // what it met so far
	answer  string   // the fallback that answered it
}

// colour gives the ANSI colour of each verdict.
var colour = map[string]int{"ok": 32, "retried": 33, "failed": 31, "refused": 36}

func (s *show) paint(colour int, text string) string {
	if !s.colours {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

func (s *show) scene(text string) { fmt.Fprintf(s.out, "\n%s\n", s.paint(1, text)) }

func (s *show) line(format string, args ...any) {
	fmt.Fprintf(s.out, "  %5.2fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

func (s *show) call(ctx context.Context, sku string) {
	s.verdict, s.met, s.answer = "ok", nil, ""
	began := time.Now()
	units, err := s.client.Stock(ctx, sku)
	switch {
	case err != nil:
		s.verdict = "failed"
	case s.answer != "":
		s.met = append(s.met, fmt.Sprintf("%s answers %d", s.answer, units))
	default:
		s.met = append(s.met, fmt.Sprintf("%d units", units))
	}
	verdict := s.paint(colour[s.verdict], fmt.Sprintf("%-7s", s.verdict))
	s.line("%-21s  %s  %-48s %4d ms", "Stock("+sku+")", verdict, strings.Join(s.met, " > "), time.Since(began).Milliseconds())
}

// hear receives the events of all policies.
func (s *show) hear(e policy.Event) {
	switch {
	case e.Type == policy.RetryScheduled:
		s.verdict, s.met = "retried", append(s.met, brief(e.Err))
	case e.Kind == policy.Retry && e.Type == policy.Error:
		s.verdict, s.met = "failed", append(s.met, brief(e.Err))
	case e.Type == policy.NotPermitted:
		s.verdict, s.met = "refused", append(s.met, "not sent")
	case e.Type == policy.Answered:
		s.answer = e.Handler
	case e.Type == policy.StateTransition:
		s.line("%s", s.paint(35, fmt.Sprintf("%s %s: %s -> %s", e.Kind, e.Name, e.From, e.To)))
	}
}

// brief says in a word or two what an attempt met.
func brief(err error) string {
	if status, ok := errors.AsType[*inventory.StatusError](err); ok {
		return strconv.Itoa(status.Code)
	}
	if errors.Is(err, timelimiter.ErrTimeout) {
		return "no answer in time"
	}
	return err.Error()
}

// isTerminal reports whether out is a terminal that may be given colours (https://no-color.org).
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

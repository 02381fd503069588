package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/resilgen/resilgen/examples/tenants/catalog"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
)

// A show prints what tenants get.
type show struct {
	out     io.Writer
	runtime *resil.Runtime
	service *service
	client  catalog.Client
}

func (s *show) scene(text string) { fmt.Fprintf(s.out, "\n%s\n", text) }

func (s *show) line(who, format string, args ...any) {
	fmt.Fprintf(s.out, "  %-14s  %s\n", who, fmt.Sprintf(format, args...))
}

// state returns the state of a circuit breaker.
func (s *show) state(name string) string {
	b, ok := s.runtime.Breaker(name)
	if !ok {
		return "missing"
	}
	return b.State().String()
}

// A tally counts what calls came to.
type tally struct{ answered, failed, open, exceeded int }

// ask makes n calls for a tenant. The tenant's id is in the context, where middleware has put it.
func ask(ctx context.Context, client catalog.Client, tenant string, n int) tally {
	var t tally
	ctx = resil.ContextWithTenant(ctx, tenant)
	for range n {
		_, err := client.Price(ctx, "anvil")
		switch {
		case err == nil:
			t.answered++
		case errors.Is(err, breaker.ErrOpen):
			t.open++
		case errors.Is(err, limiter.ErrExceeded):
			t.exceeded++
		default:
			t.failed++
		}
	}
	return t
}

func (t *tally) add(other tally) {
	t.answered += other.answered
	t.failed += other.failed
	t.open += other.open
	t.exceeded += other.exceeded
}

func (t tally) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{t.answered, "answered"},
		{t.failed, "failed"},
		{t.open, "refused by the circuit breaker"},
		{t.exceeded, "over the limit"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	return strings.Join(parts, ", ")
}

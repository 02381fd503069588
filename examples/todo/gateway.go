package main

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/resilgen/resilgen/examples/todo/todo"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// A gateway answers GET /todos/{id} with what the todo API says. It knows the interface alone.
type gateway struct{ todos todo.Client }

// ServeHTTP implements http.Handler. The tenant's id goes from the request's header into the context; a request without
// one belongs to no tenant.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		http.Error(w, "the id of a todo is a number", http.StatusBadRequest)
		return
	}
	ctx := r.Context()
	if tenant := r.Header.Get(todo.TenantHeader); tenant != "" {
		ctx = resil.ContextWithTenant(ctx, tenant)
	}
	found, err := g.todos.GetTodo(ctx, id)
	if err != nil {
		g.fail(w, err)
		return
	}
	answer(w, http.StatusOK, found)
}

// fail says with the status whose fault it is, and to whom the circuit breaker refused to listen when to come again.
func (g *gateway) fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, todo.ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, timelimiter.ErrTimeout):
		http.Error(w, "the todo API did not answer in time", http.StatusGatewayTimeout)
	case errors.Is(err, breaker.ErrOpen):
		if after, known := retryAfter(err); known {
			w.Header().Set("Retry-After", strconv.Itoa(seconds(after)))
		}
		http.Error(w, "the todo API is not asked at the moment", http.StatusServiceUnavailable)
	default:
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
}

func retryAfter(err error) (time.Duration, bool) {
	open, ok := errors.AsType[*breaker.OpenError](err)
	if !ok {
		return 0, false
	}
	return open.RetryAfter()
}

// seconds rounds up, so that nobody comes too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

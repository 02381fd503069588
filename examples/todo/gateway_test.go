package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/examples/todo/todo"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

// A fake is a todo.Client that does what the test says.
type fake func(ctx context.Context, id int) (todo.Todo, error)

func (f fake) GetTodo(ctx context.Context, id int) (todo.Todo, error) { return f(ctx, id) }

// get sends the gateway a request without a network.
func get(t *testing.T, todos todo.Client, path, tenant string) *http.Response {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	if tenant != "" {
		request.Header.Set(todo.TenantHeader, tenant)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /todos/{id}", &gateway{todos})
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	return recorder.Result()
}

func TestGatewayPassesTheAnswerOn(t *testing.T) {
	t.Parallel()
	well := fake(func(_ context.Context, id int) (todo.Todo, error) {
		return todo.Todo{UserID: 4, ID: id, Title: "mend the fence", Completed: true}, nil
	})
	response := get(t, well, "/todos/3", "")
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	body := make([]byte, 100)
	n, _ := response.Body.Read(body)
	require.JSONEq(t, `{"userId":4,"id":3,"title":"mend the fence","completed":true}`, string(body[:n]))
}

func TestGatewayTellsWhoseFaultItIs(t *testing.T) {
	t.Parallel()
	failing := func(err error) fake { return func(context.Context, int) (todo.Todo, error) { return todo.Todo{}, err } }
	require.Equal(t, http.StatusBadRequest, get(t, failing(nil), "/todos/one", "").StatusCode)
	require.Equal(t, http.StatusNotFound, get(t, failing(todo.ErrNotFound), "/todos/1", "").StatusCode)
	require.Equal(t, http.StatusBadGateway, get(t, failing(errors.New("connection reset")), "/todos/1", "").StatusCode)

	rt := resiltest.New(t)
	client, err := todo.NewResilientClient(failing(nil), rt)
	require.NoError(t, err)
	resiltest.ForceOpen(t, rt, "jsonPlaceholder")
	response := get(t, client, "/todos/1", "")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Empty(t, response.Header.Get("Retry-After"), "nobody knows when FORCED_OPEN ends")
}

func TestTodoThatDoesNotExistIsNoFailure(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t)
	client, err := todo.NewResilientClient(fake(func(context.Context, int) (todo.Todo, error) {
		return todo.Todo{}, todo.ErrNotFound
	}), rt)
	require.NoError(t, err)
	for range 5 {
		require.Equal(t, http.StatusNotFound, get(t, client, "/todos/9", "").StatusCode)
	}
	b, _ := rt.Breaker("jsonPlaceholder")
	require.Equal(t, breaker.Closed, b.State())
}

// TestApiThatHangsIsAskedAgainAfterTenSeconds tells the whole story, of which the program has no time for the end.
func TestApiThatHangsIsAskedAgainAfterTenSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := false
		rt := resiltest.New(t)
		client, err := todo.NewResilientClient(fake(func(ctx context.Context, id int) (todo.Todo, error) {
			if hangs {
				<-ctx.Done()
			}
			return todo.Todo{ID: id}, ctx.Err()
		}), rt)
		require.NoError(t, err)
		b, _ := rt.Breaker("jsonPlaceholder")
		require.Equal(t, http.StatusOK, get(t, client, "/todos/1", "").StatusCode)

		hangs = true
		began := time.Now()
		require.Equal(t, http.StatusGatewayTimeout, get(t, client, "/todos/1", "").StatusCode)
		require.Equal(t, 3*time.Second, time.Since(began))
		require.Equal(t, breaker.Open, b.State(), "1 of 2 calls failed")
		response := get(t, client, "/todos/1", "")
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.Equal(t, "10", response.Header.Get("Retry-After"))

		hangs = false
		time.Sleep(10 * time.Second)
		require.Equal(t, http.StatusOK, get(t, client, "/todos/1", "").StatusCode)
		require.Equal(t, breaker.HalfOpen, b.State())
	})
}

// TestTenantsAreNamedAfterTheHeader holds for several tenants, for none, and for what is no tenant's id.
func TestTenantsAreNamedAfterTheHeader(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.PerTenant(policy.CircuitBreaker))
	client, err := todo.NewResilientClient(fake(func(ctx context.Context, id int) (todo.Todo, error) {
		if resil.TenantFromContext(ctx) == "tenant-a" {
			return todo.Todo{}, errors.New("connection reset")
		}
		return todo.Todo{ID: id}, nil
	}), rt)
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, http.StatusBadGateway, get(t, client, "/todos/1", "tenant-a").StatusCode)
	}
	require.Equal(t, http.StatusServiceUnavailable, get(t, client, "/todos/1", "tenant-a").StatusCode)
	require.Equal(t, http.StatusOK, get(t, client, "/todos/1", "tenant-b").StatusCode)
	require.Equal(t, http.StatusOK, get(t, client, "/todos/1", "").StatusCode)
	require.Equal(t, http.StatusOK, get(t, client, "/todos/1", "no such/tenant").StatusCode)

	states := map[string]breaker.State{}
	for b := range rt.Breakers().All() {
		states[b.Name()] = b.State()
	}
	require.Equal(t, map[string]breaker.State{
		"jsonPlaceholder-tenant-a": breaker.Open,
		"jsonPlaceholder-tenant-b": breaker.Closed,
		"jsonPlaceholder-default":  breaker.Closed,
		"jsonPlaceholder-other":    breaker.Closed,
	}, states)
}

package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/resilgen/resilgen/runtime/resil"
)

// TenantHeader carries the tenant's id from the caller to the gateway and on to the API.
const TenantHeader = "X-Tenant-Id"

// HTTPClient is the Client that asks the API over HTTP.
type HTTPClient struct{ BaseURL string }

// GetTodo implements Client. It tells the API for whom it asks.
func (c *HTTPClient) GetTodo(ctx context.Context, id int) (Todo, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/todos/%d", c.BaseURL, id), nil)
	if err != nil {
		return Todo{}, err
	}
	if tenant := resil.TenantFromContext(ctx); tenant != "" {
		request.Header.Set(TenantHeader, tenant)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Todo{}, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		return Todo{}, ErrNotFound
	}
	if response.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 4096)) // so that the connection can be used again
		return Todo{}, &StatusError{Code: response.StatusCode}
	}
	var todo Todo
	if err := json.NewDecoder(response.Body).Decode(&todo); err != nil {
		return Todo{}, fmt.Errorf("todo %d: %w", id, err)
	}
	return todo, nil
}

// A StatusError is an answer of the API that is not the todo.
type StatusError struct{ Code int }

func (e *StatusError) Error() string { return fmt.Sprintf("the todo API answered %d", e.Code) }

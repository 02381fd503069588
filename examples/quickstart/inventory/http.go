package inventory

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// HTTPClient is the Client that asks the service over HTTP.
type HTTPClient struct {
	BaseURL string
	Known   *LastKnown // is told every stock
}

// Stock implements Client.
func (c *HTTPClient) Stock(ctx context.Context, sku string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+"/stock/"+url.PathEscape(sku), nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return 0, ErrNotFound
	default:
		return 0, &StatusError{response.StatusCode}
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 64))
	if err != nil {
		return 0, err
	}
	units, err := strconv.Atoi(strings.TrimSpace(string(body)))
	if err != nil {
		return 0, fmt.Errorf("reading the stock of %s: %w", sku, err)
	}
	c.Known.Remember(sku, units)
	return units, nil
}

// A StatusError is an answer of the service that is none.
type StatusError struct{ Code int }

func (e *StatusError) Error() string { return strconv.Itoa(e.Code) + " " + http.StatusText(e.Code) }

// LastKnown remembers the last stock that the service told. The zero value knows nothing. It is safe for use by several
// goroutines.
type LastKnown struct{ stock sync.Map }

// Remember notes the stock of sku.
func (k *LastKnown) Remember(sku string, units int) { k.stock.Store(sku, units) }

// Recall returns the last stock of sku, or Unknown.
func (k *LastKnown) Recall(sku string) int {
	if units, ok := k.stock.Load(sku); ok {
		return units.(int)
	}
	return Unknown
}

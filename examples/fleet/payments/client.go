// Package payments talks to a payment provider, which lets a merchant make so many requests a second, wherever they come
// from.
package payments

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

//go:generate go tool resilgen

// Client talks to the payment provider.
type Client interface {
	// Charge asks the provider to charge an order, which it does once however often it is asked. The limit is that of all
	// processes together: they share it in Redis. Without Redis no call is made, since the provider locks out who exceeds
	// the limit.
	//
	//resil:retry name=payments maxAttempts=3 waitDuration=50ms
	//resil:circuitbreaker name=payments
	//resil:ratelimiter name=payments backend=redis limitForPeriod=100 limitRefreshPeriod=1s timeoutDuration=3s onUnavailable=DENY
	Charge(ctx context.Context, order string) error
}

// HTTPClient is the Client that makes the requests.
type HTTPClient struct {
	BaseURL string
	Node    string       // who asks, for the provider's account
	HTTP    *http.Client // nil means http.DefaultClient
}

// Charge implements [Client].
func (c *HTTPClient) Charge(ctx context.Context, order string) error {
	address := c.BaseURL + "/charge?" + url.Values{"order": {order}, "node": {c.Node}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the provider answers %s", response.Status)
	}
	return nil
}

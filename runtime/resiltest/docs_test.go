package resiltest_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/examples/quickstart/inventory"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

// TestGuideShowsCodeThatIsTested: the Go code of docs/testing.md is what stands below.
func TestGuideShowsCodeThatIsTested(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/testing.md")
	require.NoError(t, err)
	source, err := os.ReadFile("docs_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(guide, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		require.Contains(t, string(source), string(block[1]))
	}
}

// A Shop sells what is on the shelf. It depends on the interface.
type Shop struct{ Inventory inventory.Client }

// Offer returns what the page of a product says.
func (s *Shop) Offer(ctx context.Context, sku string) string {
	units, err := s.Inventory.Stock(ctx, sku)
	switch {
	case err != nil, units == inventory.Unknown:
		return "ask us"
	case units == 0:
		return "sold out"
	}
	return "in stock"
}

// A fakeInventory is an inventory.Client that does what the test says.
type fakeInventory func(ctx context.Context, sku string) (int, error)

func (f fakeInventory) Stock(ctx context.Context, sku string) (int, error) { return f(ctx, sku) }

func TestOfferOfWhatIsSoldOut(t *testing.T) {
	empty := fakeInventory(func(context.Context, string) (int, error) { return 0, nil })
	shop := &Shop{Inventory: empty}
	require.Equal(t, "sold out", shop.Offer(t.Context(), "anvil"))
}

func TestOfferWhileTheCircuitBreakerIsOpen(t *testing.T) {
	rt := resiltest.New(t)
	known := new(inventory.LastKnown)
	known.Remember("anvil", 42)
	asked := 0
	fake := fakeInventory(func(context.Context, string) (int, error) { asked++; return 7, nil })
	client, err := inventory.NewResilientClient(fake, known, rt)
	require.NoError(t, err)
	shop := &Shop{Inventory: client}

	release := resiltest.ForceOpen(t, rt, "inventory")
	require.Equal(t, "in stock", shop.Offer(t.Context(), "anvil")) // LastKnown.WhenOpen answers
	require.Equal(t, "ask us", shop.Offer(t.Context(), "rope"))    // of which nobody knows anything
	require.Zero(t, asked)

	release()
	require.Equal(t, "in stock", shop.Offer(t.Context(), "rope"))
	require.Equal(t, 1, asked)
}

func TestOfferWithTheWholeChainOff(t *testing.T) {
	fake := fakeInventory(func(context.Context, string) (int, error) { return 7, nil })
	client, err := inventory.NewResilientClient(fake, new(inventory.LastKnown), resil.Passthrough())
	require.NoError(t, err)
	shop := &Shop{Inventory: client}
	require.Equal(t, "in stock", shop.Offer(t.Context(), "anvil"))
}

func TestTwoFailuresAreHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := resiltest.New(t)
		events := resiltest.Events(t, rt)
		attempts := 0
		fake := fakeInventory(func(context.Context, string) (int, error) {
			if attempts++; attempts <= 2 {
				return 0, errors.New("connection reset")
			}
			return 7, nil
		})
		client, err := inventory.NewResilientClient(fake, new(inventory.LastKnown), rt)
		require.NoError(t, err)

		began := time.Now()
		units, err := client.Stock(t.Context(), "anvil")
		require.NoError(t, err)
		require.Equal(t, 7, units)
		require.Equal(t, 200*time.Millisecond, time.Since(began)) // two waits, which took no time
		require.Equal(t, 2, events.Named("inventory").OfType(policy.RetryScheduled).Len())
	})
}

func TestServiceThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := fakeInventory(func(ctx context.Context, _ string) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		rt := resiltest.New(t, resil.WithBreaker("inventory", breaker.WithMinimumNumberOfCalls(3)))
		client, err := inventory.NewResilientClient(hanging, new(inventory.LastKnown), rt)
		require.NoError(t, err)
		shop := &Shop{Inventory: client}

		began := time.Now()
		require.Equal(t, "ask us", shop.Offer(t.Context(), "anvil"))
		require.Equal(t, 3*400*time.Millisecond+2*100*time.Millisecond, time.Since(began))
		b, _ := rt.Breaker("inventory")
		require.Equal(t, breaker.Open, b.State())
	})
}

package resiltest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/examples/quickstart/inventory"
	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

func TestOneTenantIsForcedOpenAfterItsFirstCall(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t, resil.PerTenant())
	fake := fakeInventory(func(context.Context, string) (int, error) { return 7, nil })
	client, err := inventory.NewResilientClient(fake, new(inventory.LastKnown), rt)
	require.NoError(t, err)
	stock := func(tenant string) int {
		units, err := client.Stock(resil.ContextWithTenant(t.Context(), tenant), "anvil")
		require.NoError(t, err)
		return units
	}
	const early = `resiltest: the runtime has no circuit breaker "inventory-tenant-a"; an instance of "inventory" exists ` +
		`from the first call for its tenant on, so make one with that context`
	require.Equal(t, early, try(t, func(t testing.TB) { resiltest.ForceOpen(t, rt, "inventory-tenant-a") }))
	require.Equal(t, 7, stock("tenant-b"))
	require.Equal(t, early+`; did you mean "inventory-tenant-b"?`,
		try(t, func(t testing.TB) { resiltest.ForceOpen(t, rt, "inventory-tenant-a") }))

	require.Equal(t, 7, stock("tenant-a"))
	resiltest.ForceOpen(t, rt, "inventory-tenant-a")
	require.Equal(t, inventory.Unknown, stock("tenant-a"))
	require.Equal(t, 7, stock("tenant-b"))
}

func TestScopeHasNamesOfItsOwn(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t)
	eu := rt.Scope("eu")
	_, err := eu.Breakers().GetOrCreate("inventory")
	require.NoError(t, err)
	_, err = rt.Breakers().GetOrCreate("inventory")
	require.NoError(t, err)
	resiltest.ForceOpen(t, eu, "inventory")
	inEU, ok := rt.Breaker("inventory-eu")
	require.True(t, ok)
	require.Equal(t, breaker.ForcedOpen, inEU.State())
	home, _ := rt.Breaker("inventory")
	require.Equal(t, breaker.Closed, home.State())
}

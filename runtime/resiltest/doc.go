// Package resiltest helps tests of code that calls other services through generated wrappers. It brings about, without
// a failing service, what such code has to be ready for:
//
//	rt := resiltest.New(t)
//	client, err := inventory.NewResilientClient(fake, rt)
//	...
//	resiltest.ForceOpen(t, rt, "inventory") // the circuit breaker refuses every call
//	resiltest.Exhaust(t, rt, "reserve")     // the rate limiter has no permits left
//	resiltest.Fill(t, rt, "inventory")      // the bulkhead, or the pool, has no room
//
// Each of the three lasts until the function that it returns is called, or the test ends. A name that the runtime does
// not know ends the test with the name that was probably meant; so does an instance that is switched off, as all of
// [resil.Passthrough] are, since it would refuse nothing. The instance of a name such as inventory-{tenant} exists from
// the tenant's first call on.
//
// [Events] records what the policies did. All of it works in a bubble of testing/synctest, where the waits of retries,
// limits and open circuit breakers pass at once, if the runtime is made in the bubble.
//
// Most tests need none of this: code that depends on the interface is tested with a mock of the interface.
package resiltest

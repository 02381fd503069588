package resiltest

import (
	"sync"
	"testing"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// ForceOpen puts the circuit breaker of that name into FORCED_OPEN: every call gets a [*breaker.OpenError], however long
// the test waits. Release, which may be called more than once and is called when the test ends, sets it back to CLOSED
// with an empty window, unless somebody has changed its state since.
func ForceOpen(t testing.TB, rt *resil.Runtime, name string) (release func()) {
	t.Helper()
	b, ok := rt.Breaker(name)
	if !ok {
		missing(t, rt, "circuit breaker", name, namesOf(rt.Breakers()), policy.CircuitBreaker)
	}
	if !b.Config().Enabled {
		off(t, "circuit breaker", name)
	}
	if err := b.TransitionTo(breaker.ForcedOpen); err != nil {
		t.Fatalf("resiltest: %v", err)
	}
	release = sync.OnceFunc(func() {
		if b.State() == breaker.ForcedOpen {
			b.Reset()
		}
	})
	t.Cleanup(release)
	return release
}

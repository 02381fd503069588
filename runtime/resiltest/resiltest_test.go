package resiltest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/resiltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A trial is a test whose end is looked at. It runs its cleanups when told to.
type trial struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (t *trial) Helper()          {}
func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *trial) Errorf(format string, args ...any) {
	t.said = append(t.said, fmt.Sprintf(format, args...))
}
func (t *trial) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

// end runs the cleanups as the end of a test does.
func (t *trial) end() {
	for len(t.cleanups) > 0 {
		last := t.cleanups[len(t.cleanups)-1]
		t.cleanups = t.cleanups[:len(t.cleanups)-1]
		last()
	}
}

// try runs test to its end, which Fatalf may bring about, and returns what it said.
func try(t *testing.T, test func(t testing.TB)) string {
	trial := &trial{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer trial.end()
		test(trial)
	}()
	<-done
	return strings.Join(trial.said, "\n")
}

func TestNewRuntimeIsClosedWhenTheTestEnds(t *testing.T) {
	t.Parallel()
	var rt *resil.Runtime
	require.Empty(t, try(t, func(t testing.TB) {
		rt = resiltest.New(t, resil.WithBreaker("inventory", breaker.WithFailureRateThreshold(20)))
		b, ok := rt.Breaker("inventory")
		require.True(t, ok)
		require.EqualValues(t, 20, b.Config().FailureRateThreshold)
		_, err := rt.Breakers().GetOrCreate("orders")
		require.NoError(t, err)
	}))
	_, err := rt.Breakers().GetOrCreate("payments")
	require.ErrorIs(t, err, resil.ErrClosed)
}

func TestNewEndsTheTestWhereOptionsAreWrong(t *testing.T) {
	t.Parallel()
	said := try(t, func(t testing.TB) {
		resiltest.New(t, resil.WithBreaker("inventory", breaker.WithFailureRateThreshold(120)))
		panic("not reached")
	})
	require.Contains(t, said, `resiltest: resil.New: circuitbreaker "inventory": `)
	require.Contains(t, said, "120")
}

// TestNameThatIsNotThereEndsTheTest holds for each of the functions that take one.
func TestNameThatIsNotThereEndsTheTest(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t,
		resil.WithBreaker("inventory"), resil.WithBreaker("orders"),
		resil.WithLimiter("reserve"),
		resil.WithBulkhead("inventory"), resil.WithPoolBulkhead("reports"))
	for _, c := range []struct {
		cause func(t testing.TB)
		says  string
	}{
		{func(t testing.TB) { resiltest.ForceOpen(t, rt, "inventry") },
			`resiltest: the runtime has no circuit breaker "inventry"; did you mean "inventory"?`},
		{func(t testing.TB) { resiltest.ForceOpen(t, rt, "payments") },
			`resiltest: the runtime has no circuit breaker "payments"; there is inventory, orders`},
		{func(t testing.TB) { resiltest.Exhaust(t, rt, "reverse") },
			`resiltest: the runtime has no rate limiter "reverse"; did you mean "reserve"?`},
		{func(t testing.TB) { resiltest.Fill(t, rt, "report") },
			`resiltest: the runtime has no bulkhead "report"; did you mean "reports"?`},
		{func(t testing.TB) { resiltest.Exhaust(t, resiltest.New(t), "reserve") },
			`resiltest: the runtime has no rate limiter "reserve"; construct the wrapper that names it first`},
	} {
		require.Equal(t, c.says, try(t, c.cause))
	}
}

func TestUnknownNameAmongManyIsToldWithAFew(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t)
	for i := range 25 {
		_, err := rt.Breakers().GetOrCreate(fmt.Sprintf("inventory-%02d", i))
		require.NoError(t, err)
	}
	said := try(t, func(t testing.TB) { resiltest.ForceOpen(t, rt, "payments") })
	require.Contains(t, said, "there is inventory-00, inventory-01,")
	require.Contains(t, said, "inventory-09, and 15 more")
	require.NotContains(t, said, "inventory-10")
}

// TestInstanceThatIsOffEndsTheTest: nothing would be refused, and the test would prove something else than it says.
func TestInstanceThatIsOffEndsTheTest(t *testing.T) {
	t.Parallel()
	rt := resiltest.New(t,
		resil.WithBreaker("inventory", breaker.WithEnabled(false)),
		resil.WithLimiter("inventory", limiter.WithEnabled(false)),
		resil.WithBulkhead("inventory", bulkhead.WithEnabled(false)),
		resil.WithPoolBulkhead("reports", bulkhead.WithPoolEnabled(false)))
	for what, cause := range map[string]func(t testing.TB){
		`circuit breaker "inventory"`:    func(t testing.TB) { resiltest.ForceOpen(t, rt, "inventory") },
		`rate limiter "inventory"`:       func(t testing.TB) { resiltest.Exhaust(t, rt, "inventory") },
		`bulkhead "inventory"`:           func(t testing.TB) { resiltest.Fill(t, rt, "inventory") },
		`bulkhead with a pool "reports"`: func(t testing.TB) { resiltest.Fill(t, rt, "reports") },
	} {
		require.Contains(t, try(t, cause), "resiltest: the "+what+" is switched off and refuses nothing; enable it")
	}
	passthrough := resil.Passthrough()
	_, err := passthrough.Breakers().GetOrCreate("inventory")
	require.NoError(t, err)
	said := try(t, func(t testing.TB) { resiltest.ForceOpen(t, passthrough, "inventory") })
	require.Contains(t, said, "resil.Passthrough")
}

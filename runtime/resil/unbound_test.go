package resil_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func TestNameThatNobodyUsesIsReportedOnceAfterAMinute(t *testing.T) {
	t.Parallel()
	var log journal
	inBubble(t, func(t *testing.T, rt *resil.Runtime) {
		_, err := bindBreaker(rt, "inventory", "", "inventory")
		require.NoError(t, err)
		bindTenants(t, rt, "orders-{tenant}")
		_, ok := rt.Breaker("looked-up")
		require.True(t, ok)
		time.Sleep(time.Minute - time.Nanosecond)
		require.Empty(t, log.take())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		var lines []string
		for line := range strings.Lines(log.take()) {
			_, message, _ := strings.Cut(strings.TrimSpace(line), "msg=")
			lines = append(lines, strings.ReplaceAll(strings.Trim(message, `"`), `\"`, `"`))
		}
		require.Equal(t, []string{
			`resil: resil.yaml:10:1: circuitbreaker "inventroy": nobody uses this name; did you mean "inventory"?`,
			`resil: resil.yaml:20:1: circuitbreaker "payments-and-more": nobody uses this name; name it in an annotation, or take it out`,
			`resil: resil.yaml:70:1: circuitbreaker "odrers": nobody uses this name; did you mean "orders"?`,
			`resil: RESIL_ORDRES: circuitbreaker "ORDRES": nobody uses this name; did you mean "ORDERS"?`,
		}, lines)
		require.NoError(t, rt.Apply(from(said(policy.CircuitBreaker, "inventroy", 10), said(policy.CircuitBreaker, "latest", 11))))
		time.Sleep(time.Hour)
		synctest.Wait()
		later := log.take()
		require.Equal(t, 1, strings.Count(later, "nobody uses"), "each is reported once")
		require.Contains(t, later, "latest")
	},
		from(said(policy.CircuitBreaker, "inventory", 1), said(policy.CircuitBreaker, "inventroy", 10),
			said(policy.CircuitBreaker, "payments-and-more", 20), said(policy.CircuitBreaker, "looked-up", 30),
			said(policy.CircuitBreaker, "orders", 40), said(policy.CircuitBreaker, "orders-acme", 45),
			ofEnvironment(said(policy.CircuitBreaker, "INVENTORY", 50)),
			ofTenant("acme", said(policy.CircuitBreaker, "orders", 60)), ofTenant("acme", said(policy.CircuitBreaker, "odrers", 70)),
			ofEnvironment(said(policy.CircuitBreaker, "ORDRES", 80))),
		logTo(&log))
}

func TestNobodyWaitsForUnusedNamesAfterClose(t *testing.T) {
	t.Parallel()
	var log journal
	inBubble(t, func(t *testing.T, rt *resil.Runtime) {
		require.NoError(t, rt.Close())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Empty(t, log.take())
	}, from(said(policy.CircuitBreaker, "inventory", 1)), logTo(&log))
}

package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/resil"
)

func TestTheEnvironmentIsStrongerThanTheFile(t *testing.T) {
	t.Setenv("RESIL_RETRY_INSTANCES_BACKENDA_MAXATTEMPTS", "7")
	t.Setenv("RESIL_RETRY_INSTANCES_BACKEND_A_WAIT_DURATION", "3s")
	t.Setenv("RESIL_CIRCUIT_BREAKER_CONFIGS_DEFAULT_SLIDING_WINDOW_SIZE", "33")
	t.Setenv("RESIL_CIRCUITBREAKER_INSTANCES_BACKENDB_FORCESTATE", "forced-open")
	t.Setenv("RESIL_THREAD_POOL_BULKHEAD_INSTANCES_BACKENDC_QUEUECAPACITY", "9")
	t.Setenv("RESIL_CONFIG_FILE", "somebody else's")
	rt := newRuntime(t, config.Parse([]byte(pasted)))
	r, _ := rt.Retry("backendA")
	require.Equal(t, 7, r.Config().MaxAttempts)
	require.Equal(t, 3*time.Second, r.Config().WaitDuration)
	b, _ := rt.Breaker("backendB")
	require.Equal(t, breaker.ForcedOpen, b.State())
	p, _ := rt.PoolBulkhead("backendC")
	require.Equal(t, 9, p.Config().QueueCapacity)
}

func TestTheEnvironmentNeedsNoFile(t *testing.T) {
	t.Setenv("RESIL_CIRCUITBREAKER_CONFIGS_DEFAULT_SLIDINGWINDOWSIZE", "33")
	rt := newRuntime(t, config.Environment(), resil.WithBreaker("a"))
	b, _ := rt.Breaker("a")
	require.Equal(t, 33, b.Config().SlidingWindowSize)
}

func TestTheEnvironmentSwitchesAllOff(t *testing.T) {
	t.Setenv("RESIL_ENABLED", "false")
	rt := newRuntime(t, config.Parse([]byte(pasted)))
	b, _ := rt.Breaker("backendA")
	require.False(t, b.Config().Enabled)
	l, _ := rt.Limiter("backendB")
	require.False(t, l.Config().Enabled)
}

func TestMistakesInTheEnvironment(t *testing.T) {
	for variable, want := range map[string]struct{ value, problem string }{
		"RESIL_ENABLED":                                     {"ja", "it is ja; it must be true or false"},
		"RESIL_RETRY_INSTANCES_A_MAXATTEMPTS":               {"0", "maxAttempts is 0; it must be a whole number of at least 1"},
		"RESIL_RETRY_INSTANCES_A_MAX_ATTEMTS":               {"1", "unknown key of retry; did you mean MAXATTEMPTS?"},
		"RESIL_RETRY_INSTANCES_MAXATTEMPTS":                 {"1", "the name is missing; write RESIL_<POLICY>_<CONFIGS|INSTANCES>_<NAME>_<KEY>"},
		"RESIL_CIRCUITBRAKER_INSTANCES_A_SLIDINGWINDOWSIZE": {"1", "no policy is named so; write RESIL_<POLICY>_<CONFIGS|INSTANCES>_<NAME>_<KEY>, with a policy of RETRY, CIRCUITBREAKER, RATELIMITER, TIMELIMITER, BULKHEAD and THREADPOOLBULKHEAD"},
		"RESIL_TENANTS_ACME_RETRY_INSTANCES_A_MAXATTEMPTS":  {"1", "the environment has no settings of tenants; write them into the file"},
		"RESIL_RETRY_INSTANCES_A_RETRYERRORS":               {"a,,b", "a name in retryErrors is empty; it must be one word, such as net.Error"},
		"RESIL_BULKHEAD_INSTANCES_A_B_MAXWAITDURATION":      {"10 s", "maxWaitDuration is \"10 s\"; it must be a duration that is not negative, such as 50s, 10ms, PT10S, or 5000 for milliseconds; did you mean 10s?"},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, want.value)
			_, err := resil.New(config.Environment(), quiet)
			require.EqualError(t, err, "environment variable "+variable+": "+want.problem)
		})
	}
}

func TestTwoSpellingsOfOneVariableAreAnError(t *testing.T) {
	t.Setenv("RESIL_RETRY_INSTANCES_A_MAXATTEMPTS", "1")
	t.Setenv("RESIL_RETRY_INSTANCES_A_MAX_ATTEMPTS", "2")
	_, err := resil.New(config.Environment(), quiet)
	require.EqualError(t, err, "environment variable RESIL_RETRY_INSTANCES_A_MAX_ATTEMPTS: another variable says the same in "+
		"another spelling; keep one of them")
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/examples/quickstart/inventory"
	"github.com/resilgen/resilgen/generator/explain"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

const layered = `
resilience4j:
  retry:
    configs:
      default: {maxAttempts: 7, waitDuration: 9s, maxDuration: 1m}
      base: {enableRandomizedWait: true, exponentialBackoffMultiplier: 3, waitDuration: 4s}
      patient: {baseConfig: base, enableExponentialBackoff: true, waitDuration: 3s, randomizedWaitFactor: 0.25}
    instances:
      inventory: {baseConfig: patient, waitDuration: 20}
  circuitbreaker:
    configs:
      default: {slidingWindowSize: 50, minimumNumberOfCalls: 20, slidingWindowType: TIME_BASED}
    instances:
      inventory: {baseConfig: default, waitDurationInOpenState: PT7S}
  timelimiter:
    configs:
      default: {timeoutDuration: 5s, cancelRunningFuture: false}
`

// TestExplainTellsWhatARuntimeHasInForce compares every setting that is told with that of the instance of a program with
// the same annotations and the same file.
func TestExplainTellsWhatARuntimeHasInForce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "resil.yaml")
	require.NoError(t, os.WriteFile(file, []byte(layered), 0o600))

	rt, err := resil.New(config.File(file))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	_, err = inventory.NewResilientClient(&inventory.HTTPClient{}, &inventory.LastKnown{}, rt)
	require.NoError(t, err)
	retry, ok := rt.Retry("inventory")
	require.True(t, ok)
	breaker, ok := rt.Breaker("inventory")
	require.True(t, ok)
	limiter, ok := rt.TimeLimiter("inventory")
	require.True(t, ok)
	inForce := map[string]any{
		string(policy.Retry): retry.Config(), string(policy.CircuitBreaker): breaker.Config(),
		string(policy.TimeLimiter): limiter.Config(),
	}

	var stdout, stderr bytes.Buffer
	args := []string{"explain", "-all", "-json", "-config", file, "../../examples/quickstart/inventory"}
	require.Equal(t, exitOK, run(context.Background(), args, &stdout, &stderr), stderr.String())
	var report explain.Report
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	compared := 0
	for _, layer := range report.Interfaces[0].Methods[0].Chain {
		for _, s := range layer.Settings {
			field := reflect.ValueOf(inForce[layer.Kind]).FieldByName(strings.ToUpper(s.Key[:1]) + s.Key[1:])
			if !field.IsValid() { // a key of the directive alone, such as replayable
				continue
			}
			compared++
			if annotated(field.Interface()) != s.Value {
				require.Equal(t, read(t, s.Value, field.Type()).Interface(), field.Interface(), "%s %s", layer.Kind, s.Key)
			}
		}
	}
	require.Greater(t, compared, 25)
}

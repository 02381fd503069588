package resiltest

import (
	"log/slog"
	"testing"

	"github.com/resilgen/resilgen/runtime/resil"
)

// New returns a runtime with these options, which is closed when the test and all its subtests have ended. An error of
// [resil.New] ends the test. What the runtime has to report goes to the test's log, unless [resil.WithLogger] is among
// the options. New starts no goroutine.
func New(t testing.TB, opts ...resil.Option) *resil.Runtime {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	rt, err := resil.New(append([]resil.Option{resil.WithLogger(log)}, opts...)...)
	if err != nil {
		t.Fatalf("resiltest: resil.New: %v", err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Errorf("resiltest: closing the runtime: %v", err)
		}
	})
	return rt
}

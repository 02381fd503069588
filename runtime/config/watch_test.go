package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("CONFIG_TEST_FOLLOW"); path != "" {
		follow(path)
		return
	}
	goleak.VerifyTestMain(m)
}

func nothing(context.Context) error { return nil }

const (
	closedYAML = "resil.circuitbreaker.instances.stock: {slidingWindowSize: 20}\n"
	forcedYAML = "resil.circuitbreaker.instances.stock: {slidingWindowSize: 20, forceState: FORCED_OPEN}\n"
)

// A followed is a runtime that watches a file, and what it has published of its settings.
type followed struct {
	*resil.Runtime
	mu     sync.Mutex
	events []policy.Event
}

// watch makes a runtime that looks at a file every few milliseconds.
func watch(t *testing.T, path string) *followed {
	t.Helper()
	f := &followed{Runtime: newRuntime(t, config.File(path, config.WatchEvery(5*time.Millisecond)))}
	f.Subscribe(func(e policy.Event) {
		if e.Kind == resil.Settings {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.events = append(f.events, e)
		}
	})
	return f
}

// published returns the settings' events so far.
func (f *followed) published(of policy.EventType) (events []policy.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		if e.Type == of {
			events = append(events, e)
		}
	}
	return events
}

// becomes waits until the circuit breaker is in a state.
func (f *followed) becomes(t *testing.T, want breaker.State) {
	t.Helper()
	b, ok := f.Breaker("stock")
	require.True(t, ok)
	require.Eventually(t, func() bool { return b.State() == want }, time.Minute, time.Millisecond)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func newFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resil.yaml")
	write(t, path, text)
	return path
}

func TestAFileWrittenInPlaceIsFollowed(t *testing.T) {
	path := newFile(t, closedYAML)
	f := watch(t, path)
	f.becomes(t, breaker.Closed)
	for range 3 {
		write(t, path, forcedYAML)
		f.becomes(t, breaker.ForcedOpen)
		write(t, path, closedYAML)
		f.becomes(t, breaker.Closed)
	}
	require.Empty(t, f.published(resil.SettingsRefused))
}

func TestAChangeOfTheSameSizeAndTimeIsSeen(t *testing.T) {
	text := func(size string) string {
		return "resil.circuitbreaker.instances.stock.slidingWindowSize: " + size + "\n"
	}
	path := newFile(t, text("11"))
	f := watch(t, path)
	b, _ := f.Breaker("stock")
	for _, size := range []string{"12", "13", "14", "15"} {
		before, err := os.Stat(path)
		require.NoError(t, err)
		write(t, path, text(size))
		require.NoError(t, os.Chtimes(path, before.ModTime(), before.ModTime()))
		require.Eventually(t, func() bool { return size == itoa(b.Config().SlidingWindowSize) }, time.Minute, time.Millisecond)
	}
}

func itoa(n int) string { return string(rune('0'+n/10)) + string(rune('0'+n%10)) }

func TestAFileThatIsReplacedByAnotherIsFollowed(t *testing.T) {
	path := newFile(t, closedYAML)
	f := watch(t, path)
	for _, text := range []string{forcedYAML, closedYAML, forcedYAML} {
		write(t, path+".new", text)
		require.NoError(t, os.Rename(path+".new", path))
		f.becomes(t, map[string]breaker.State{closedYAML: breaker.Closed, forcedYAML: breaker.ForcedOpen}[text])
	}
}

// An editor moves the file away and writes a new one.
func TestAFileThatIsMissingForAMomentChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newFile(t, forcedYAML)
		f := watch(t, path)
		f.becomes(t, breaker.ForcedOpen)
		require.NoError(t, os.Rename(path, path+"~"))
		time.Sleep(time.Second) // many looks at it
		f.becomes(t, breaker.ForcedOpen)
		write(t, path, closedYAML)
		f.becomes(t, breaker.Closed)
		require.Empty(t, f.published(resil.SettingsRefused))
	})
}

func TestAFileThatIsGoneIsReportedOnceAndFollowedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newFile(t, forcedYAML)
		f := watch(t, path)
		require.NoError(t, os.Remove(path))
		require.Eventually(t, func() bool { return len(f.published(resil.SettingsRefused)) > 0 }, time.Minute, time.Millisecond)
		time.Sleep(time.Minute)
		refused := f.published(resil.SettingsRefused)
		require.Len(t, refused, 1)
		require.ErrorIs(t, refused[0].Err, os.ErrNotExist)
		f.becomes(t, breaker.ForcedOpen)
		write(t, path, closedYAML)
		f.becomes(t, breaker.Closed)
	})
}

// Kubernetes mounts a config map as links: resil.yaml -> ..data/resil.yaml, ..data -> ..one. It makes another directory,
// and a link to it which it renames to ..data.
func TestASwapOfKubernetesLinksIsFollowed(t *testing.T) {
	dir := t.TempDir()
	mount := func(name, text string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "resil.yaml"), text)
		require.NoError(t, os.Symlink(name, filepath.Join(dir, "..tmp")))
		require.NoError(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
	}
	path := filepath.Join(dir, "resil.yaml")
	mount("..one", closedYAML)
	require.NoError(t, os.Symlink(filepath.Join("..data", "resil.yaml"), path))
	f := watch(t, path)
	f.becomes(t, breaker.Closed)
	mount("..two", forcedYAML)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "..one")))
	f.becomes(t, breaker.ForcedOpen)
	mount("..three", closedYAML)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "..two")))
	f.becomes(t, breaker.Closed)
	require.Empty(t, f.published(resil.SettingsRefused))
}

func TestABadFileChangesNothingAndIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newFile(t, forcedYAML)
		f := watch(t, path)
		write(t, path, "resil.circuitbreaker.instances.stock: {slidingWindowSize: 20, forceSta")
		require.Eventually(t, func() bool { return len(f.published(resil.SettingsRefused)) > 0 }, time.Minute, time.Millisecond)
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
		time.Sleep(time.Minute)
		refused := f.published(resil.SettingsRefused)
		require.Len(t, refused, 1)
		require.ErrorContains(t, refused[0].Err, path+":1:")
		f.becomes(t, breaker.ForcedOpen)

		write(t, path, "resil.circuitbreaker.instances.stock: {slidingWindowSize: 0, forceState: CLOSED}")
		require.Eventually(t, func() bool { return len(f.published(resil.SettingsRefused)) == 2 }, time.Minute, time.Millisecond)
		f.becomes(t, breaker.ForcedOpen)
		write(t, path, closedYAML)
		f.becomes(t, breaker.Closed)
		require.Len(t, f.published(resil.SettingsRefused), 2)
	})
}

func TestAFileIsNotFollowedWithoutWatch(t *testing.T) {
	path := newFile(t, closedYAML)
	rt := newRuntime(t, config.File(path, nil))
	write(t, path, forcedYAML)
	b, _ := rt.Breaker("stock")
	require.Equal(t, breaker.Closed, b.State())
	require.NoError(t, rt.Apply(config.File(path)))
	require.Equal(t, breaker.ForcedOpen, b.State())
}

func TestTwoRuntimesMayShareAnOption(t *testing.T) {
	path := newFile(t, closedYAML)
	option := config.File(path, config.WatchEvery(5*time.Millisecond))
	one, two := &followed{Runtime: newRuntime(t, option)}, &followed{Runtime: newRuntime(t, option)}
	write(t, path, forcedYAML)
	one.becomes(t, breaker.ForcedOpen)
	two.becomes(t, breaker.ForcedOpen)
}

func TestAnIntervalMustBePositive(t *testing.T) {
	_, err := resil.New(config.File(newFile(t, closedYAML), config.WatchEvery(0)), quiet)
	require.EqualError(t, err, "config.WatchEvery(0s): the interval must be positive")
}

var errTest = errors.New("test")

func TestALiveChangeKeepsState(t *testing.T) {
	path := newFile(t, "resil.circuitbreaker.instances.stock: {slidingWindowSize: 4, waitDurationInOpenState: 1h}\n")
	f := watch(t, path)
	b, _ := f.Breaker("stock")
	for range 4 {
		require.ErrorIs(t, breaker.Run(t.Context(), b, func(context.Context) error { return errTest }), errTest)
	}
	require.Equal(t, breaker.Open, b.State())
	write(t, path, "resil.circuitbreaker.instances.stock: {slidingWindowSize: 4, waitDurationInOpenState: 2h}\n")
	require.Eventually(t, func() bool { return b.Config().WaitDurationInOpenState == 2*time.Hour }, time.Minute, time.Millisecond)
	require.Equal(t, breaker.Open, b.State())
}

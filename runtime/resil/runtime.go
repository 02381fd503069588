package resil

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// A Runtime holds the instances of the policies by their names and configures them. Generated constructors are given
// one; wrappers of one runtime that use one name share the instance. Make one with [New], [Default] or [Passthrough];
// all its methods may be called by several goroutines at once, also by a listener.
type Runtime struct {
	logger      *slog.Logger
	passthrough bool
	listeners   policy.Listeners

	// mu guards what follows, and the contents of the registries. It is never held while a listener runs. A call
	// through a wrapper does not touch it.
	mu          sync.Mutex
	closed      bool
	subscribers int

	breakers     *registry[*breaker.Breaker, breaker.Config]
	retries      *registry[*retry.Retry, retry.Config]
	timeLimiters *registry[*timelimiter.TimeLimiter, timelimiter.Config]
	fallbacks    *registry[*fallback.Fallback, noConfig]
}

// New returns a Runtime with the instances and named configurations that the options describe. It fails if one of them
// is not valid, with all that is wrong in one error, and then leaves nothing behind.
func New(opts ...Option) (*Runtime, error) {
	rt := newRuntime()
	c := construction{runtime: rt}
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	rt.listeners.SetLogger(rt.logger)
	errs := c.errs
	var coded []change
	for _, r := range rt.registries() {
		errs = append(errs, r.checkConfigurations()...)
		coded = append(coded, r.coding())
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if err := rt.change(coded...); err != nil {
		return nil, err
	}
	return rt, nil
}

func newRuntime() *Runtime {
	rt := &Runtime{}
	rt.breakers = newRegistry(rt, policy.CircuitBreaker, breaker.DefaultConfig, breaker.New,
		func(c *breaker.Config) { c.Enabled = false })
	rt.retries = newRegistry(rt, policy.Retry, retry.DefaultConfig, retry.New,
		func(c *retry.Config) { c.Enabled = false })
	rt.timeLimiters = newRegistry(rt, policy.TimeLimiter, timelimiter.DefaultConfig, timelimiter.New,
		func(c *timelimiter.Config) { c.Enabled = false })
	rt.fallbacks = newPlainRegistry(rt, policy.Fallback, fallback.New)
	return rt
}

var defaultRuntime = sync.OnceValue(newRuntime)

// Default returns the Runtime of the process, the same on every call: one without options, made when it is first asked
// for. It suits programs whose annotations say all there is to say. Once closed it stays closed.
func Default() *Runtime { return defaultRuntime() }

// Passthrough returns a new Runtime, for tests of code that uses wrappers, whose policies are all off: every call goes
// to the wrapped client exactly once, and is neither refused, limited nor counted. What annotations say is compared but
// has no effect, and every named configuration is taken as known. Fallbacks still answer: what a method returns for an
// error is part of what it promises.
func Passthrough() *Runtime {
	rt := newRuntime()
	rt.passthrough = true
	return rt
}

// Close ends what the instances have running and wakes the calls that wait inside them, which return [ErrClosed] at
// once. Calls in flight finish and are counted; later calls are judged as before but never wait. Constructors that are
// given a closed runtime fail with ErrClosed. A second Close does nothing and returns nil.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	closed := rt.closed
	rt.closed = true
	rt.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	for _, r := range rt.registries() {
		errs = append(errs, r.close()...)
	}
	return errors.Join(errs...)
}

// Subscribe calls receive for each event of each instance, also of those that are made later, until unsubscribe is
// called, which may be done more than once. What [policy.Listeners] says of listeners holds here: receive runs on the
// goroutine of the call that the event is about. A nil receive panics.
//
// Instances of a runtime to which nobody listens build no events.
func (rt *Runtime) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	remove := rt.listeners.Subscribe(receive)
	rt.count(+1)
	return sync.OnceFunc(func() {
		remove()
		rt.count(-1)
	})
}

// count changes the number of subscribers, and starts the forwarding with the first one and ends it with the last.
func (rt *Runtime) count(d int) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.subscribers += d
	for _, r := range rt.registries() {
		r.listen(rt.subscribers > 0)
	}
}

// anyRegistry is a registry as far as those of all policies are treated alike.
type anyRegistry interface {
	checkConfigurations() []error
	coding() change
	listen(on bool)
	close() []error
}

func (rt *Runtime) registries() []anyRegistry {
	return []anyRegistry{rt.breakers, rt.retries, rt.timeLimiters, rt.fallbacks}
}

// change makes all of the changes, or none of them and returns what is wrong.
func (rt *Runtime) change(changes ...change) error {
	after, err := rt.commit(changes)
	if err != nil {
		return err
	}
	var errs []error
	for _, step := range after {
		errs = append(errs, step())
	}
	return errors.Join(errs...)
}

func (rt *Runtime) commit(changes []change) (after []func() error, err error) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return nil, ErrClosed
	}
	committed := false
	defer func() {
		if committed {
			return
		}
		for _, c := range changes { // also when an option of the user's own panics
			c.abandon()
		}
	}()
	var errs []error
	for _, c := range changes {
		errs = append(errs, c.merge()...)
	}
	if len(errs) == 0 {
		for _, c := range changes {
			errs = append(errs, c.prepare()...)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	committed = true
	for _, c := range changes {
		after = append(after, c.commit()...)
	}
	return after, nil
}

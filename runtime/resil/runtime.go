package resil

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/bulkhead"
	"github.com/resilgen/resilgen/runtime/fallback"
	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
	"github.com/resilgen/resilgen/runtime/timelimiter"
)

// A Runtime holds the instances of the policies by their names and configures them. Generated constructors are given
// one; wrappers of one runtime that use one name share the instance. Make one with [New], [Default] or [Passthrough];
// all its methods may be called by several goroutines at once, also by a listener.
//
// [Runtime.Scope] returns views of a runtime, which share all it has.
type Runtime struct {
	*core
	scope string // what names end in; empty where they do not
}

// core is what a runtime and its views share.
type core struct {
	logger         *slog.Logger
	passthrough    bool
	tags           map[string]string          // of all instances
	backends       map[string]limiter.Backend // of rate limiters
	naming         naming                     // how the instances of calls are told apart
	listeners      policy.Listeners           // to what happens in instances
	entryListeners policy.Listeners           // to what happens to them

	// mu guards what follows, and the contents of the stores. It is never held while a listener runs. A call through a
	// wrapper does not touch it.
	errorNames  map[string]func(error) bool // by which documents name errors
	unknownKeys UnknownKeys
	strict      bool

	mu          sync.Mutex
	closed      bool
	stand       stand
	following   []*followed     // sources
	ordered     []layered       // methods of wrappers
	expecting   *time.Timer     // until unused names are reported
	reported    map[string]bool // the reports that were made
	subscribers int             // to listeners
	undelivered []policy.Event  // for entryListeners
	delivering  bool

	breakers     *store[breaker.Breaker, breaker.Config]
	retries      *store[retry.Retry, retry.Config]
	limiters     *store[limiter.Limiter, limiter.Config]
	timeLimiters *store[timelimiter.TimeLimiter, timelimiter.Config]
	bulkheads    *store[bulkhead.Bulkhead, bulkhead.Config]
	pools        *store[bulkhead.Pool, bulkhead.PoolConfig]
	fallbacks    *store[fallback.Fallback, noConfig]
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
	rt.entryListeners.SetLogger(rt.logger)
	v := &revision{runtime: rt, errs: c.errs}
	if err := v.load(c.sources).make(); err != nil {
		return nil, err
	}
	return rt, nil
}

func newRuntime() *Runtime {
	rt := &Runtime{core: &core{tags: map[string]string{}, backends: map[string]limiter.Backend{}, naming: defaultNaming(),
		errorNames: builtinErrors(), reported: map[string]bool{}}}
	rt.breakers = newBreakerStore(rt)
	rt.retries = newRetryStore(rt)
	rt.limiters = newLimiterStore(rt)
	rt.timeLimiters = newStore(rt, policy.TimeLimiter, timelimiter.DefaultConfig, timelimiter.New,
		func(c *timelimiter.Config) { c.Enabled = false })
	rt.bulkheads = newBulkheadStore(rt)
	rt.pools = newPoolStore(rt)
	rt.fallbacks = newPlainStore(rt, policy.Fallback, fallback.New)
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
	rt.followSources()
	rt.expect()
	var errs []error
	for _, s := range rt.stores() {
		errs = append(errs, s.close()...)
	}
	return errors.Join(errs...)
}

func (rt *Runtime) isClosed() bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.closed
}

// log returns where the runtime reports what nobody else can be told.
func (rt *Runtime) log() *slog.Logger {
	if rt.logger == nil {
		return slog.Default()
	}
	return rt.logger
}

// Subscribe calls receive for each event of each instance, also of those that are made later or replace others, until
// unsubscribe is called, which may be done more than once. What [policy.Listeners] says of listeners holds here: receive
// runs on the goroutine of the call that the event is about. A nil receive panics. That instances come and go is told to
// those who call [Runtime.SubscribeEntries].
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
	for _, s := range rt.stores() {
		s.listen(rt.subscribers > 0)
	}
}

// anyStore is a store as far as those of all policies are treated alike.
type anyStore interface {
	amend(v *revision, added anyStore) amending
	unused() []Warning
	health() []InstanceHealth
	recentEvents(name string) *recorder
	listen(on bool)
	close() []error
	nameMetrics() []NameMetrics
	of() policy.Kind
}

func (rt *core) stores() []anyStore {
	return []anyStore{
		rt.breakers, rt.retries, rt.limiters, rt.timeLimiters, rt.bulkheads, rt.pools, rt.fallbacks,
	}
}

// change makes all of the changes, or none of them and returns what is wrong.
func (rt *Runtime) change(changes ...change) error {
	after, err := rt.commit(changes)
	if err != nil {
		return err
	}
	defer rt.deliver()
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

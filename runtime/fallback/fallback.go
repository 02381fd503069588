package fallback

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Fallback is the account of the handlers that answer in place of one call: which one did, how often, and how often it
// had no answer either. It decides nothing. It may be used by several goroutines at once. Make one with [New]; [Do] keeps
// the account itself, and generated code calls [Fallback.Answered].
type Fallback struct {
	name      string
	listeners policy.Listeners
	mu        sync.Mutex                 // serialises changes of accounts
	accounts  atomic.Pointer[[]*account] // by first appearance; a slice in it is never changed
}

// account is what is known of one handler.
type account struct {
	handler          string
	answered, failed atomic.Uint64
}

// New returns a Fallback without any account. It fails if the name is empty.
func New(name string) (*Fallback, error) {
	if name == "" {
		return nil, errors.New("fallback: the name is empty; an instance needs one")
	}
	f := &Fallback{name: name}
	f.accounts.Store(new([]*account))
	return f, nil
}

// Name returns the name of the instance.
func (f *Fallback) Name() string { return f.name }

// Answered enters that the handler was given the error cause, and returned err beside its result: nil counts as an
// answer, anything else as a failure, also where the handler returns cause itself. The handler's name is one of a few
// constants; only its first appearance allocates.
func (f *Fallback) Answered(handler string, cause, err error) {
	a := f.account(handler)
	event, concerned := policy.Answered, cause
	if err == nil {
		a.answered.Add(1)
	} else {
		a.failed.Add(1)
		event, concerned = policy.FallbackFailed, err
	}
	if f.listeners.Any() {
		f.listeners.Publish(policy.Event{
			Kind: policy.Fallback, Name: f.name, Type: event, Handler: handler, Err: concerned,
		})
	}
}

func (f *Fallback) account(handler string) *account {
	if a := find(*f.accounts.Load(), handler); a != nil {
		return a
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	known := *f.accounts.Load()
	if a := find(known, handler); a != nil {
		return a
	}
	a := &account{handler: handler}
	more := append(known[:len(known):len(known)], a)
	f.accounts.Store(&more)
	return a
}

func find(accounts []*account, handler string) *account {
	for _, a := range accounts {
		if a.handler == handler {
			return a
		}
	}
	return nil
}

// Subscribe adds a listener for the events ANSWERED, whose Err is the error that was answered, and FALLBACK_FAILED,
// whose Err is the handler's own, as [policy.Listeners] describes it, and returns what takes it off again.
func (f *Fallback) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return f.listeners.Subscribe(receive)
}

// SetLogger sets where panics of listeners are reported; nil means slog.Default.
func (f *Fallback) SetLogger(logger *slog.Logger) { f.listeners.SetLogger(logger) }

// Close does nothing, and is there because every policy has it. Its error is always nil.
func (f *Fallback) Close() error { return nil }

package resil

import (
	"errors"
	"fmt"

	"github.com/resilgen/resilgen/runtime/breaker"
)

// ErrNotFound is what [Registry.Replace] returns, wrapped, where there is no instance of that name.
var ErrNotFound = errors.New("resil: there is no instance of this name")

// remove takes out and closes the instance of that name, and reports whether there was one.
func (s *store[T, C]) remove(name string) bool {
	removed := s.takeOut(name)
	if removed == nil {
		return false
	}
	s.dispose(removed)
	s.runtime.deliver()
	return true
}

// takeOut makes the instance of that name one that nobody finds. It is nil where there is none.
func (s *store[T, C]) takeOut(name string) *T {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	e, ok := s.locate(name)
	switch {
	case !ok:
		return nil
	case e.family != nil:
		return e.family.take(e.member)
	}
	s.detach(e.entry)
	e.removed = true
	e.terms = &terms[T, C]{agreed: e.terms.agreed.ofWrappers()}
	if len(e.terms.agreed.wrappers) == 0 {
		delete(s.entries, name)
	}
	s.announce(EntryRemoved, name)
	return e.current.load()
}

// replace puts an instance from outside in the place of the one of that name, closes that and returns it. The place is
// where the instance comes from.
func (s *store[T, C]) replace(name string, with *T, place string) (*T, error) {
	if with == nil {
		return nil, fmt.Errorf("%s %q: it cannot be replaced by nil; use Remove, or name an instance", s.kind, name)
	}
	if other := s.instance(with).Name(); other != name {
		return nil, fmt.Errorf("%s %q: it cannot be replaced by one that is named %q; make that with the same name",
			s.kind, name, other)
	}
	config := s.config(with)
	if s.runtime.passthrough {
		s.disable(&config)
		if err := s.reconfigure(with, config); err != nil {
			return nil, fmt.Errorf("%s %q: %w", s.kind, name, s.bare(name, err))
		}
	}
	old, err := s.exchange(name, with, config, place)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", s.kind, name, err)
	}
	if old != with {
		s.dispose(old)
		s.runtime.deliver()
	}
	return old, nil
}

func (s *store[T, C]) exchange(name string, with *T, config C, place string) (*T, error) {
	s.runtime.mu.Lock()
	defer s.runtime.mu.Unlock()
	if s.runtime.closed {
		return nil, ErrClosed
	}
	e, ok := s.locate(name)
	if !ok {
		return nil, ErrNotFound
	}
	old := e.current.load()
	if old == with {
		return old, nil
	}
	if s.runtime.logger != nil {
		s.instance(with).SetLogger(s.runtime.logger)
	}
	e.terms = s.termsGiven(e.subject(), &terms[T, C]{agreed: e.terms.agreed, given: place, own: &config})
	s.put(e.entry, with)
	e.seen, e.pending = true, s.off || e.terms.operations.forcing() != breaker.Closed
	s.announce(EntryReplaced, name)
	return old, s.updateLocked(e.entry)
}

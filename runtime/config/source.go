package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/resil"
)

// A source is a text with settings, and the environment.
type source struct {
	name     string
	open     func() ([]byte, error)
	path     string // of the file that may change
	watch    bool
	interval time.Duration

	mu    sync.Mutex
	last  []byte // what Load has read last
	loads int
}

// Load implements [resil.Source].
func (s *source) Load() (*resil.Document, error) {
	if s.watch && s.interval <= 0 {
		return nil, fmt.Errorf("config.WatchEvery(%v): the interval must be positive", s.interval)
	}
	data, err := s.open()
	if err != nil {
		return nil, unreadable(s.name, err)
	}
	s.mu.Lock()
	s.last = data
	s.loads++
	s.mu.Unlock()
	return s.parse(data)
}

// parse reads a text and the environment; all that is wrong is one error.
func (s *source) parse(data []byte) (*resil.Document, error) {
	document, err := read(s.name, data)
	if err != nil {
		return nil, errors.Join(err, addEnvironment(&resil.Document{}, environ()))
	}
	if err := addEnvironment(document, environ()); err != nil {
		return nil, err
	}
	return document, nil
}

// Watch implements [resil.Source]. It polls: file systems do not tell reliably what happens behind symbolic links and
// in mounted volumes.
func (s *source) Watch(ctx context.Context, changed func(*resil.Document, error)) {
	if !s.watch {
		return
	}
	w := watcher{source: s, changed: changed}
	s.mu.Lock()
	if s.loads == 1 { // else another runtime may have read another text
		w.reported, w.known = s.last, true
	}
	s.mu.Unlock()
	timer := time.NewTimer(s.interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := s.interval
		if w.look(time.Now()) {
			next = min(next, pause)
		}
		timer.Reset(next)
	}
}

// A watcher compares a file with what it was. A change counts when the file has looked the same twice: who writes a
// file in place empties it first.
type watcher struct {
	source   *source
	changed  func(*resil.Document, error)
	reported []byte // the text that the runtime knows
	known    bool   // that there is such a text

	seen    signature // when the file was looked at last
	settled bool      // the text of seen has been read, when it was old enough
	missing time.Time // since when there is no file; zero where there is one
	failed  string    // the error that was reported last, until the file can be read again
}

// A signature is what can be known of a file without reading it.
type signature struct {
	name string // of the file itself, behind symbolic links
	info os.FileInfo
}

func (s signature) equals(other signature) bool {
	if s.info == nil || other.info == nil {
		return s.info == other.info
	}
	return s.name == other.name && os.SameFile(s.info, other.info) && s.info.Size() == other.info.Size() &&
		s.info.ModTime().Equal(other.info.ModTime())
}

const (
	// pause is how long a file that has changed must stay the same before it is read.
	pause = 100 * time.Millisecond
	// patience is how long a file may be missing, or not be readable, before that is reported.
	patience = 2 * time.Second
	// granularity is how much later a file must be written so that its time differs, on file systems with coarse clocks.
	granularity = 2 * time.Second
)

// look looks at the file once. It reports whether the file has changed, so that the next look should be soon.
func (w *watcher) look(now time.Time) (changed bool) {
	name, err := filepath.EvalSymlinks(w.source.path)
	var info os.FileInfo
	if err == nil {
		info, err = os.Stat(name)
	}
	if err != nil {
		w.fail(now, err)
		return false
	}
	current := signature{name, info}
	same := current.equals(w.seen)
	w.seen = current
	switch {
	case !same:
		w.settled = false
		return true
	case w.settled:
		return false
	}
	data, err := w.source.open()
	if err != nil {
		w.fail(now, err)
		return false
	}
	w.missing, w.failed = time.Time{}, ""
	// A text that was written just now may be written again without a trace.
	w.settled = now.Sub(info.ModTime()).Abs() > granularity
	if !w.known || !bytes.Equal(data, w.reported) {
		w.reported, w.known = data, true
		w.changed(w.source.parse(data))
	}
	return false
}

// fail reports, once and not at once, that the file can't be read.
func (w *watcher) fail(now time.Time, err error) {
	w.seen, w.settled = signature{}, false
	if w.missing.IsZero() {
		w.missing = now
	}
	if text := err.Error(); now.Sub(w.missing) >= patience && text != w.failed {
		w.failed = text
		w.changed(nil, unreadable(w.source.name, err))
	}
}

package resil

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/policy"
)

// What becomes of a source that changes: the Type of events that [Runtime.Subscribe] delivers, whose Kind is [Settings]
// and whose Name is the document's.
const (
	// SettingsChanged: what a source says, or [Runtime.Apply], is in force.
	SettingsChanged policy.EventType = "SETTINGS_CHANGED"
	// SettingsRefused: what a source says is not valid, and changes nothing: Err.
	SettingsRefused policy.EventType = "SETTINGS_REFUSED"
)

// Settings is the kind of the events [SettingsChanged] and [SettingsRefused].
const Settings policy.Kind = "settings"

// A followed is a source that a runtime has. All but source is guarded by the runtime's mutex.
type followed struct {
	source   Source
	document *Document // that is in force; nil before New is done
	previous *Document // before the latest revision of this source
	refused  string    // what was wrong with the latest; empty where it was good
	end      func()    // ends following it; nil before that is begun
}

// errNilDocument is the error of a source that returns neither a document nor an error.
var errNilDocument = errors.New("the source says nothing; it must return a document or an error")

// errAbandoned is the error of a revision for a source that the runtime has no more.
var errAbandoned = errors.New("resil: another source has taken its place")

// followSources ends following the sources that the runtime has no more, and begins with the new ones.
func (rt *Runtime) followSources() {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	rt.following = slices.DeleteFunc(rt.following, func(f *followed) bool {
		gone := rt.closed || !slices.Contains(rt.stand.sources, f)
		if gone {
			f.end()
		}
		return gone
	})
	if rt.closed {
		return
	}
	for _, f := range rt.stand.sources {
		if f.end != nil {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		f.end = cancel
		rt.following = append(rt.following, f)
		go func() {
			defer cancel()
			f.source.Watch(ctx, func(document *Document, err error) {
				if ctx.Err() == nil {
					rt.changed(f, document, err)
				}
			})
		}()
	}
}

// changed takes in what a source says now.
func (rt *Runtime) changed(f *followed, document *Document, err error) {
	if err == nil && document == nil {
		err = errNilDocument
	}
	if err == nil {
		if rt.inForce(f, document) {
			return
		}
		v := &revision{runtime: rt, documents: map[*followed]*Document{f: document}}
		err = v.make()
	}
	switch {
	case err == nil || errors.Is(err, errAbandoned) || errors.Is(err, ErrClosed):
	case rt.refuses(f, err):
		name := rt.documentName(f, document)
		rt.log().Error("resil: settings are not valid; nothing is changed", "source", name, "error", err)
		rt.listeners.Publish(policy.Event{Kind: Settings, Name: name, Type: SettingsRefused, Err: err})
	}
}

// inForce reports whether the source said the same before.
func (rt *Runtime) inForce(f *followed, document *Document) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !reflect.DeepEqual(f.document, document) {
		return false
	}
	f.refused = ""
	return true
}

// refuses reports whether an error of a source is another one than that of the last time.
func (rt *Runtime) refuses(f *followed, err error) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed || f.refused == err.Error() {
		return false
	}
	f.refused = err.Error()
	return true
}

// documentName returns the name of a source's document. One that cannot be read has the name of the one before.
func (rt *Runtime) documentName(f *followed, document *Document) string {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if document == nil {
		document = f.document
	}
	if document == nil {
		return ""
	}
	return document.Name
}

// settled tells everybody that a revision is in force.
func (v *revision) settled() {
	rt := v.runtime
	var names []string
	for f, document := range v.documents {
		names = append(names, document.Name)
		rt.accept(f)
	}
	slices.Sort(names)
	rt.listeners.Publish(policy.Event{Kind: Settings, Name: strings.Join(names, ", "), Type: SettingsChanged})
}

// accept notes that a source is valid again.
func (rt *Runtime) accept(f *followed) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	f.refused = ""
}

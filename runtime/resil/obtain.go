package resil

import (
	"fmt"
	"reflect"
	"runtime"
)

// A wish is what a call of [Registry.GetOrCreate] says beside the options.
type wish struct {
	name          string
	base          string // where that is not the name
	configuration string
	tags          map[string]string
	place         string
}

// obtain returns the instance of that name, made or changed as the wish and the options say.
func (s *store[T, C]) obtain(w wish, options []func(*C)) (*T, error) {
	if w.configuration == "" && len(w.tags) == 0 && len(options) == 0 {
		if current, ok := s.findConstant(w.name); ok && !s.runtime.isClosed() {
			return current, nil
		}
	}
	var obtained Ref[T]
	b := s.batch(site{place: w.place})
	b.requests = []request[T]{{
		name:          w.name,
		base:          w.base,
		configuration: w.configuration,
		settings:      settingsOf(options, w.place),
		tags:          w.tags,
		follow:        &obtained,
	}}
	if err := s.runtime.change(&b); err != nil {
		if err == ErrClosed {
			err = fmt.Errorf("%s %q: %w", s.kind, w.name, err)
		}
		return nil, err
	}
	return obtained.slot.load(), nil
}

// unsaid returns those of a function's settings that nobody has said anything about yet, so that they are added to the
// agreement as those of a wrapper would be. The others must be what is in force, whoever says so.
func (b *batch[T, C]) unsaid(g *stage[T, C], add []setting, disagree disagree) []setting {
	coded := settings{}
	for _, said := range settingsOf(b.store.coded[g.name], "resil.New") {
		coded[said.field] = said
	}
	var inForce, meant reflect.Value // meant is what the layers come to, a document's too
	effective := g.living() && !b.store.runtime.passthrough
	if effective {
		inForce, meant = reflect.ValueOf(b.store.inForce(g.entry)), reflect.ValueOf(g.entry.terms.config)
	}
	var unsaid []setting
	for _, add := range add {
		said, ok := coded[add.field]
		if !ok {
			said, ok = g.agreed.settings[add.field]
		}
		if effective {
			value := inForce.Field(add.field)
			switch {
			case g.given() != "":
				said, ok = setting{add.field, value, g.given()}, true
			case ok && !same(meant.Field(add.field), value):
				said = setting{add.field, value, "Reconfigure"}
			}
		}
		switch {
		case !ok:
			unsaid = append(unsaid, add)
		case !same(said.value, add.value):
			disagree(keyOf[C](add.field), text(said.value), said.place, text(add.value), add.place)
		}
	}
	return unsaid
}

// inForce returns the Config of a living instance, or the one that it is about to get. The runtime's mutex is held.
func (s *store[T, C]) inForce(e *entry[T, C]) C {
	if e.pending || e.applying {
		return e.terms.config
	}
	return s.config(e.current.load())
}

// caller returns the name of the function that called the one that calls caller.
func caller() string {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	frame, _ := runtime.CallersFrames(pcs[:]).Next()
	return frame.Function
}

package resil

import (
	"maps"
	"slices"
)

// An agreement is what those say about an instance who share it: the annotations of wrappers, and calls of
// [Registry.GetOrCreate]. They are merged key by key; to say nothing of a key is to agree. The zero value says nothing.
type agreement struct {
	wrappers      []string  // those that are bound, in the order in which they were
	base          string    // the name's base name; empty where it is the name itself
	owner         string    // import path of the wrapper whose default name this is; empty where it is nobody's
	configuration statement // the named configuration; without a value where none is named
	settings      settings
	tags          map[string]statement
}

// A statement is a value, and the place that says it first.
type statement struct{ value, place string }

func (a agreement) clone() agreement {
	a.wrappers = slices.Clone(a.wrappers)
	a.settings = maps.Clone(a.settings)
	a.tags = maps.Clone(a.tags)
	return a
}

// ofWrappers returns what the wrappers say. That is left when the instance is removed.
func (a agreement) ofWrappers() agreement {
	a = a.clone()
	if !a.binds(a.configuration.place) {
		a.configuration = statement{}
	}
	maps.DeleteFunc(a.settings, func(_ int, said setting) bool { return !a.binds(said.place) })
	maps.DeleteFunc(a.tags, func(_ string, said statement) bool { return !a.binds(said.place) })
	return a
}

// binds reports whether the place is that of a wrapper.
func (a *agreement) binds(place string) bool { return slices.Contains(a.wrappers, place) }

// stands returns the place to name for what one place has said and another one says too: the first, unless only the
// second is a wrapper, whose word holds longer.
func (a *agreement) stands(first, second string) string {
	if !a.binds(first) && a.binds(second) {
		return second
	}
	return first
}

// disagree takes note of a key to which two places give different values.
type disagree func(key, value, place, other, otherPlace string)

// configure adds a named configuration, and reports whether that is news.
func (a *agreement) configure(name, place string, disagree disagree) bool {
	old := &a.configuration
	switch old.value {
	case "":
		*old = statement{name, place}
		return true
	case name:
		old.place = a.stands(old.place, place)
	default:
		disagree("configuration", old.value, old.place, name, place)
	}
	return false
}

// set adds a setting, and reports whether that is news. The key is what its field is called.
func (a *agreement) set(key string, add setting, disagree disagree) bool {
	old, ok := a.settings[add.field]
	switch {
	case !ok:
		if a.settings == nil {
			a.settings = settings{}
		}
		a.settings[add.field] = add
		return true
	case same(old.value, add.value):
		old.place = a.stands(old.place, add.place)
		a.settings[add.field] = old
	default:
		disagree(key, text(old.value), old.place, text(add.value), add.place)
	}
	return false
}

// tag adds a tag.
func (a *agreement) tag(key, value, place string, disagree disagree) {
	old, ok := a.tags[key]
	switch {
	case !ok:
		if a.tags == nil {
			a.tags = map[string]statement{}
		}
		a.tags[key] = statement{value, place}
	case old.value == value:
		old.place = a.stands(old.place, place)
		a.tags[key] = old
	default:
		disagree("tag "+key, quoted(old.value), old.place, quoted(value), place)
	}
}

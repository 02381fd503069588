package resil

import (
	"math"
	"sync/atomic"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A family is the instances of one name template in one store, one for each combination of values that calls have had.
// Calls find them in the table; all else is guarded by the runtime's mutex.
type family[T, C any] struct {
	values[T]
	store     *store[T, C]
	renames   bool            // the one value is a whole name, which a function makes
	terms     *terms[T, C]    // of members of which nothing particular is said
	config    *template       // of the configuration's name, where that depends on values; else nil
	places    []int           // of the values of config among the template's
	unknown   bool            // it was reported that a configuration does not exist
	broken    bool            // it was reported that a member could not be made as it should
	spare     *T              // for members that cannot be made; nobody finds it
	members   []*member[T, C] // in no order
	ages      ages            // of the epochs
	hand      int             // the next member to be looked at
	barren    int             // members looked at in vain since one was evicted, when there was no room
	reopening atomic.Int64    // until this instant there is no room, and it is not worth while to look for some
}

// changes are what is left to be done once the mutex is released.
type changes[T, C any] struct {
	removed []*T           // to be closed
	adopted []*entry[T, C] // to be given their Config
}

// newFamily returns a family of that template without members.
func (s *store[T, C]) newFamily(t *template, renames bool) *family[T, C] {
	f := &family[T, C]{store: s, renames: renames}
	f.values.group = s.group(t.base)
	f.values.missing = f
	f.values.init(t)
	f.reopening.Store(math.MinInt64)
	f.ages.init(policy.Now(), s.runtime.naming.idle)
	return f
}

// group returns the group of that base name, or makes it.
func (s *store[T, C]) group(base string) *group {
	g := s.groups[base]
	if g == nil {
		g = newGroup(base)
		s.groups[base] = g
	}
	return g
}

// resolve returns the instance of values that are not in the table, as far as a call could see without the mutex.
func (f *family[T, C]) resolve(raw [maxValues]Value) *T {
	values, changed := f.admitted(&raw)
	if changed {
		if p := f.find(&values); p != nil {
			return p
		}
	}
	if f.reopening.Load() != math.MinInt64 && !f.shared(&values) && f.full(policy.Now()) {
		others := f.others()
		if p := f.find(&others); p != nil {
			f.group.overCap.Add(1)
			return p
		}
	}
	p := f.enter(values)
	f.store.runtime.deliver()
	return p
}

// admitted returns the values as they may stand in a name, and whether they are other ones.
func (f *family[T, C]) admitted(raw *[maxValues]Value) (values [maxValues]Value, changed bool) {
	invalid := false
	for i := range f.template.values {
		text := raw[i].String()
		switch {
		case raw[i].kind == absent:
			text = defaultValue
		case f.renames && (text == f.group.defaultName || text == f.group.otherName):
		case !valid(text) || !f.known(i, text):
			text, invalid = f.other(), true
		}
		values[i] = Text(text)
	}
	if invalid {
		f.group.invalid.Add(1)
	}
	return values, invalid
}

// known reports whether a value that is a tenant is one that is known.
func (f *family[T, C]) known(index int, text string) bool {
	known := f.store.runtime.naming.known
	return known == nil || f.template.values[index].index != tenantIndex || text == otherValue || text == defaultValue ||
		known(text)
}

// other returns what stands for a value that is not valid, or for which there is no room.
func (f *family[T, C]) other() string {
	if f.renames {
		return f.group.otherName
	}
	return otherValue
}

// others returns the values of those for whom there is no room.
func (f *family[T, C]) others() (values [maxValues]Value) {
	for i := range f.template.values {
		values[i] = Text(f.other())
	}
	return values
}

// shared reports whether the values are none of anybody's, so that they do not count against the cap.
func (f *family[T, C]) shared(values *[maxValues]Value) bool {
	for i := range f.template.values {
		switch text := values[i].text; {
		case f.renames && (text == f.group.defaultName || text == f.group.otherName):
		case !f.renames && (text == defaultValue || text == otherValue):
		default:
			return false
		}
	}
	return true
}

// enter returns the instance of the values, made if there is none and there is room.
func (f *family[T, C]) enter(values [maxValues]Value) *T {
	p, changed := f.enterLocked(values)
	for _, p := range changed.removed {
		f.store.dispose(p)
	}
	for _, e := range changed.adopted {
		if err := f.store.update(e); err != nil {
			f.store.runtime.log().Error("resil: an instance did not take its settings", "error", err)
		}
	}
	return p
}

func (f *family[T, C]) enterLocked(values [maxValues]Value) (p *T, done changes[T, C]) {
	rt := f.store.runtime
	rt.mu.Lock()
	defer rt.mu.Unlock()
	now := policy.Now()
	f.turn(now)
	f.sweep(now)
	n := f.node(&values)
	if n == nil && !f.shared(&values) && f.group.counted >= rt.naming.max && !f.makeRoom(now) {
		f.group.overCap.Add(1)
		values = f.others()
		n = f.node(&values)
	}
	if n != nil {
		n.use(f.epoch.Load())
		p = n.instance.load()
	} else {
		p = f.create(&values)
	}
	done, f.store.changes = f.store.changes, changes[T, C]{}
	return p, done
}

// create makes the instance of values.
func (f *family[T, C]) create(values *[maxValues]Value) *T {
	s := f.store
	var texts [maxValues]string
	m := &member[T, C]{}
	for i := range f.template.values {
		texts[i] = values[i].text
		m.lengths[i] = valueSize(len(values[i].text))
	}
	m.name = f.template.join(&texts)
	m.hash = f.hashOf(values)
	m.mark.Store(f.epoch.Load())
	m.node.instance = &m.current
	m.terms = f.termsOf(m)
	made := f.adopt(m)
	if made == nil {
		var err error
		if made, err = m.terms.build(m.name); err != nil {
			f.report(m.name, err)
			return f.spare
		}
		if s.runtime.logger != nil {
			s.instance(made).SetLogger(s.runtime.logger)
		}
	}
	s.put(&m.entry, made)
	m.place = len(f.members)
	f.members = append(f.members, m)
	f.add(&m.node)
	f.group.instances++
	if !f.shared(values) {
		f.group.counted++
	}
	s.announce(EntryAdded, m.name)
	if s.runtime.closed {
		s.changes.removed = append(s.changes.removed, made)
	}
	return made
}

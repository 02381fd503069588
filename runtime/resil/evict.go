package resil

import (
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const (
	// grace is how long after its last use no instance is evicted, whatever the idle timeout: a call that was given an
	// instance has to come to use it.
	grace = 5 * time.Second
	// swept is how many members are looked at when one is made.
	swept = 4
	// searched is how many members are looked at when there is no room for one more.
	searched = 16
	// pause is how long no room is looked for after all members were looked at in vain.
	pause = time.Second
)

// turn begins an epoch, if it is time.
func (f *family[T, C]) turn(now policy.Instant) {
	if epoch, begun := f.ages.turn(now); begun {
		f.epoch.Store(epoch)
	}
}

// sweep evicts what is idle among a few members.
func (f *family[T, C]) sweep(now policy.Instant) {
	timeout := max(f.store.runtime.naming.idle, grace)
	for range min(swept, len(f.members)) {
		m := f.next()
		if idle := f.ages.idle(m.mark.Load(), now); idle < timeout || !f.evict(m, idle, true) {
			f.hand++
		}
	}
}

// makeRoom evicts one idle member of a family with the same base name, and reports whether it has found one among a few
// of each.
func (f *family[T, C]) makeRoom(now policy.Instant) bool {
	if f.full(now) {
		return false
	}
	if f.reopening.Swap(math.MinInt64) != math.MinInt64 {
		f.barren = 0 // a pause is over
	}
	if f.evictOne(now) {
		return true
	}
	barren := f.barren >= len(f.members)
	for _, other := range f.store.order {
		if other == f || other.group != f.group {
			continue
		}
		other.turn(now)
		if other.evictOne(now) {
			return true
		}
		barren = barren && other.barren >= len(other.members)
	}
	if barren {
		f.reopening.Store(int64(now.Add(pause)))
	}
	return false
}

// evictOne looks at a few members and evicts the first that can be, so that there is room for another one.
func (f *family[T, C]) evictOne(now policy.Instant) bool {
	for range min(searched, len(f.members)) {
		m := f.next()
		idle := f.ages.idle(m.mark.Load(), now)
		if idle >= grace && !f.sharedMember(m) && f.evict(m, idle, idle >= f.store.runtime.naming.idle) {
			f.barren = 0
			return true
		}
		f.hand++
		f.barren++
	}
	return false
}

// full reports whether all members were looked at in vain a short while ago.
func (f *family[T, C]) full(now policy.Instant) bool { return int64(now) < f.reopening.Load() }

// next returns the member at which the hand stands.
func (f *family[T, C]) next() *member[T, C] {
	if f.hand >= len(f.members) {
		f.hand = 0
	}
	return f.members[f.hand]
}

// evict takes out a member that nobody has used for idle, if it is like a new one, and reports whether it was. With
// forget, what an instance can forget does not matter.
//
// The mark comes first: a call that finds the member then waits for the runtime's mutex, and one that has used it in the
// meantime has changed the mark.
func (f *family[T, C]) evict(m *member[T, C], idle time.Duration, forget bool) bool {
	s := f.store
	if m.pending || m.applying || m.terms.given != "" {
		return false
	}
	mark := m.mark.Load()
	if mark >= f.epoch.Load() || !m.mark.CompareAndSwap(mark, gone) {
		return false
	}
	s.detach(&m.entry) // what is left are listeners of somebody else
	p := m.current.load()
	if !s.instance(p).Fresh(idle) && !(forget && s.quiet != nil && s.quiet(p)) ||
		!same(reflect.ValueOf(s.config(p)), reflect.ValueOf(m.terms.config)) {
		s.attach(&m.entry)
		m.mark.Store(mark)
		return false
	}
	f.take(m)
	f.group.evicted.Add(1)
	if s.released {
		s.changes.removed = append(s.changes.removed, p)
	}
	return true
}

// ages tells how long ago a mark was set. Time is cut into epochs; one ends when a miss finds it old enough. A mark says
// in which epoch its node was used last, so the end of that epoch is the latest that this can have been.
type ages struct {
	created policy.Instant
	length  uint32   // the least length of an epoch, in ticks
	starts  []uint32 // of epochs, in ticks since created, in order; an epoch's number is its start
}

// tick is the unit of epochs.
const tick = 100 * time.Millisecond

// longestEpoch is the most that an epoch needs to last.
const longestEpoch = 5 * time.Second

// maxStarts is how many starts are kept. Where there are more, every other one of the older half is dropped; so an old
// mark counts as somewhat younger than it is.
const maxStarts = 1024

func (a *ages) init(now policy.Instant, timeout time.Duration) {
	a.created = now
	a.length = uint32(min(max(timeout/16, tick), longestEpoch) / tick)
	a.starts = []uint32{1}
}

// ticks returns the number of an epoch that begins now.
func (a *ages) ticks(now policy.Instant) uint32 {
	return uint32(min(max(now.Sub(a.created)/tick, 0)+1, gone-1))
}

// turn begins an epoch if the current one is old enough.
func (a *ages) turn(now policy.Instant) (epoch uint32, begun bool) {
	epoch = a.ticks(now)
	if epoch < a.starts[len(a.starts)-1]+a.length {
		return 0, false
	}
	a.starts = append(a.starts, epoch)
	if len(a.starts) > maxStarts {
		old := a.starts[:maxStarts/2]
		kept := old[:0]
		for i := 0; i < len(old); i += 2 {
			kept = append(kept, old[i])
		}
		a.starts = append(kept, a.starts[maxStarts/2:]...)
	}
	return epoch, true
}

// idle returns for how long a node with that mark has not been used, at least.
func (a *ages) idle(mark uint32, now policy.Instant) time.Duration {
	i, _ := slices.BinarySearch(a.starts, mark+1)
	if i == len(a.starts) || mark == math.MaxUint32 {
		return 0
	}
	return max(now.Sub(a.created)-time.Duration(a.starts[i])*tick, 0)
}

package resil

import (
	"hash/maphash"
	"math"
	"math/bits"
	"sync/atomic"
)

// A table finds the instances of one name template by their values. Calls read it without a lock: each chain is changed
// one pointer at a time, under the runtime's mutex, and whoever loses its way in a chain that is being moved finds
// nothing, takes the mutex and looks again.
type table[T any] struct {
	buckets  atomic.Pointer[[]bucket[T]] // a power of two of them
	epoch    atomic.Uint32               // what a call marks its node with; see family.turn
	template *template
	first    int // where the first value begins in a name
	size     int // guarded by the runtime's mutex
}

type bucket[T any] struct{ first atomic.Pointer[node[T]] }

// A node is an instance in a table. What calls write, the mark, changes once in an epoch.
type node[T any] struct {
	instance *slot[T]
	next     atomic.Pointer[node[T]]
	name     string // as it is shown; the values are parts of it
	hash     uint32
	mark     atomic.Uint32        // epoch of the latest use, or gone
	place    int                  // among the family's members; guarded by the runtime's mutex
	lengths  [maxValues]valueSize // of the values in name
}

// A valueSize is the length of a value. Names that a function makes, instead of values, may be longer than a value.
type valueSize uint16

// gone is the mark of a node that was taken out: whoever finds it has to look again.
const gone = math.MaxUint32

// fewest is how many buckets there are at least.
const fewest = 8

func (t *table[T]) init(of *template) {
	t.template, t.first = of, len(of.literals[0])
	buckets := make([]bucket[T], fewest)
	t.buckets.Store(&buckets)
	t.epoch.Store(1)
}

// hashOf returns the hash of as many values as the template has.
func (t *table[T]) hashOf(values *[maxValues]Value) uint32 {
	h := values[0].hash()
	for i := 1; i < len(t.template.values); i++ {
		h = bits.RotateLeft64(h, 29)*0x9e3779b97f4a7c15 ^ values[i].hash()
	}
	return folded(h)
}

func folded(h uint64) uint32 { return uint32(h ^ h>>32) }

// find returns the instance of the values, which counts as used now, or nil.
func (t *table[T]) find(values *[maxValues]Value) *T {
	if n := t.node(values); n != nil && n.use(t.epoch.Load()) {
		return n.instance.load()
	}
	return nil
}

// node returns the node of the values, or nil.
func (t *table[T]) node(values *[maxValues]Value) *node[T] {
	h := t.hashOf(values)
	buckets := *t.buckets.Load()
	for n := buckets[h&uint32(len(buckets)-1)].first.Load(); n != nil; n = n.next.Load() {
		if n.hash == h && n.has(t.template, values) {
			return n
		}
	}
	return nil
}

// only is node for a table whose names have one value, which is a text.
func (t *table[T]) only(value string) *node[T] {
	if uint(len(value)-1) >= longestValue {
		return nil
	}
	h := folded(maphash.String(seed, value))
	buckets := *t.buckets.Load()
	for n := buckets[h&uint32(len(buckets)-1)].first.Load(); n != nil; n = n.next.Load() {
		if n.hash == h && int(n.lengths[0]) == len(value) && n.name[t.first:t.first+len(value)] == value {
			return n
		}
	}
	return nil
}

// has reports whether these are the values of the node.
func (n *node[T]) has(t *template, values *[maxValues]Value) bool {
	at := 0
	for i := range t.values {
		at += len(t.literals[i])
		end := at + int(n.lengths[i])
		if !values[i].is(n.name[at:end]) {
			return false
		}
		at = end
	}
	return true
}

// value returns the text of a value.
func (n *node[T]) value(t *template, index int) string {
	at := 0
	for i := range index {
		at += len(t.literals[i]) + int(n.lengths[i])
	}
	at += len(t.literals[index])
	return n.name[at : at+int(n.lengths[index])]
}

// use marks the node, and reports whether it is still there. One that is marked with the current epoch is not taken out
// before that is over.
func (n *node[T]) use(epoch uint32) bool {
	for {
		switch mark := n.mark.Load(); {
		case mark == gone:
			return false
		case mark >= epoch:
			return true
		case n.mark.CompareAndSwap(mark, epoch):
			return true
		}
	}
}

// add puts a node in. Its fields are set. The runtime's mutex is held.
func (t *table[T]) add(n *node[T]) {
	t.size++
	t.fit()
	t.link(*t.buckets.Load(), n)
}

func (t *table[T]) link(buckets []bucket[T], n *node[T]) {
	first := &buckets[n.hash&uint32(len(buckets)-1)].first
	n.next.Store(first.Load())
	first.Store(n)
}

// remove takes a node out. Its next stays, for those who are looking at it. The runtime's mutex is held.
func (t *table[T]) remove(n *node[T]) {
	buckets := *t.buckets.Load()
	link := &buckets[n.hash&uint32(len(buckets)-1)].first
	for at := link.Load(); at != nil; at = link.Load() {
		if at == n {
			link.Store(n.next.Load())
			t.size--
			t.fit()
			return
		}
		link = &at.next
	}
}

// fit gives the table as many buckets as it needs.
func (t *table[T]) fit() {
	old := *t.buckets.Load()
	count := len(old)
	switch {
	case t.size > count:
		count *= 2
	case t.size < count/8 && count > fewest:
		count /= 2
	default:
		return
	}
	buckets := make([]bucket[T], count)
	for i := range old {
		for n := old[i].first.Load(); n != nil; {
			next := n.next.Load()
			t.link(buckets, n)
			n = next
		}
	}
	t.buckets.Store(&buckets)
}

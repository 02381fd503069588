package bulkhead

import "sync/atomic"

// slots is the word that a call through a bulkhead writes: how many calls are under way, the limit in force, and
// whether somebody waits, so that one compare-and-swap admits a call only while the one is below the other.
//
//	bit 63       waiting: whoever ends has to look at the queue
//	bit 62       barred: whoever comes has to queue, or is not let in here at all
//	bits 31-61   the limit
//	bits 0-30    the calls under way; more than the limit after that was lowered
type slots struct{ word atomic.Uint64 }

const (
	countBits = 31
	countMask = 1<<countBits - 1
	barred    = 1 << 62
	waiting   = 1 << 63
)

func underWay(word uint64) int { return int(word & countMask) }

func limitOf(word uint64) int { return int(word >> countBits & countMask) }

// enter lets a call in if there is a slot, and nobody is in the queue before it.
func (s *slots) enter() bool {
	for {
		word := s.word.Load()
		if word&barred != 0 || underWay(word) >= limitOf(word) {
			return false
		}
		if s.word.CompareAndSwap(word, word+1) {
			return true
		}
	}
}

// enterQueued lets a call in that is at the head of the queue.
func (s *slots) enterQueued() bool {
	for {
		word := s.word.Load()
		if underWay(word) >= limitOf(word) {
			return false
		}
		if s.word.CompareAndSwap(word, word+1) {
			return true
		}
	}
}

// leave ends a call and reports whether somebody waits for its slot.
func (s *slots) leave() bool { return s.word.Add(^uint64(0))&waiting != 0 }

// set changes the limit.
func (s *slots) set(limit int) {
	for {
		word := s.word.Load()
		if s.word.CompareAndSwap(word, word&^(countMask<<countBits)|uint64(limit)<<countBits) {
			return
		}
	}
}

// flag sets those of the two flags that are in flags, and clears the others.
func (s *slots) flag(flags uint64) {
	for {
		word := s.word.Load()
		if s.word.CompareAndSwap(word, word&^(waiting|barred)|flags) {
			return
		}
	}
}

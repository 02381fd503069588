package bulkhead

import "sync/atomic"

// slots is the word that a call through a bulkhead writes: how many slots are free, how many calls were admitted, and
// whether somebody waits, so that one compare-and-swap admits a call, and counts it, only while there is a slot.
//
//	bit 63       waiting: whoever ends has to look at the queue
//	bit 62       barred: whoever comes has to queue, or is not let in here at all
//	bits 32-61   the calls admitted; the highest bit, brim, is taken out before the number overflows
//	bits 0-31    the free slots, plus bias: fewer than none after the limit was lowered
//
// The other fields, and admitted and underWay, need the bulkhead's mutex.
type slots struct {
	word  atomic.Uint64
	limit int
	past  uint64 // admitted calls that were taken out of word
}

const (
	bias        = 1 << 31
	freeMask    = 1<<32 - 1
	oneAdmitted = 1 << 32
	brim        = 1 << 61
	barred      = 1 << 62
	waiting     = 1 << 63
)

// enter lets a call in if there is a slot, and nobody is in the queue before it.
func (s *slots) enter() bool {
	for {
		word := s.word.Load()
		if word&barred != 0 || word&freeMask <= bias {
			return false
		}
		if s.word.CompareAndSwap(word, word+oneAdmitted-1) {
			return true
		}
	}
}

// enterQueued lets a call in that is at the head of the queue.
func (s *slots) enterQueued() bool {
	for {
		word := s.word.Load()
		if word&freeMask <= bias {
			return false
		}
		if s.word.CompareAndSwap(word, word+oneAdmitted-1) {
			return true
		}
	}
}

// leave ends a call and reports whether flag is to be called: because somebody waits for the slot, or because of brim,
// long before it is too late for that.
func (s *slots) leave() bool { return s.word.Add(1)&(waiting|brim) != 0 }

// set changes the limit.
func (s *slots) set(limit int) {
	if s.limit == 0 { // it is new
		s.word.Add(bias)
	}
	s.word.Add(uint64(limit - s.limit))
	s.limit = limit
}

// flag sets those of the flags that are in flags, and clears the others and brim.
func (s *slots) flag(flags uint64) {
	for {
		word := s.word.Load()
		if s.word.CompareAndSwap(word, word&^(waiting|barred|brim)|flags) {
			s.past += word & brim / oneAdmitted
			return
		}
	}
}

// underWay returns how many calls are: more than the limit after that was lowered.
func (s *slots) underWay() int { return s.limit - (int(s.word.Load()&freeMask) - bias) }

// admitted returns how many calls there were so far.
func (s *slots) admitted() uint64 { return s.past + s.word.Load()&^(waiting|barred)/oneAdmitted }

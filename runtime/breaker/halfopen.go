package breaker

import (
	"slices"
	"sync"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

// Probes are the calls that HALF_OPEN admits. At most limit of them hold a permit or have brought a result, at any time
// and under any load; a call that counts neither way gives its permit back.
type probes struct {
	mu      sync.Mutex
	limit   int
	running []probe // in the order of their admission
	results tally
	issued  uint32 // tickets so far
	decided bool
	retired bool // the generation is not current any more
}

// A probe is a call that holds a permit. Its ticket tells it from the call that takes the permit over.
type probe struct {
	ticket uint32
	began  policy.Instant
}

// preallocated bounds what is allocated before it is needed: more probes than these grow the table as they come.
const preallocated = 64

func newProbes(limit int) *probes {
	return &probes{
		limit:   limit,
		running: make([]probe, 0, min(limit, preallocated)),
		results: tally{minimum: uint64(limit)},
	}
}

// admit gives the call that begins at now a permit, if one is left or if the oldest probe has held its own for lifetime;
// 0 is for ever. retired reports that the answer is to be had from another generation.
func (p *probes) admit(now policy.Instant, lifetime time.Duration) (ticket uint32, ok, retired bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.retired:
		return 0, false, true
	case p.decided:
		return 0, false, false
	case len(p.running)+int(p.results.total) < p.limit:
	case lifetime > 0 && len(p.running) > 0 && now.Sub(p.running[0].began) >= lifetime:
		p.running = slices.Delete(p.running, 0, 1)
	default:
		return 0, false, false
	}
	p.issued++
	p.running = append(p.running, probe{p.issued, now})
	return p.issued, true, false
}

// settle takes the result of a probe. The verdict is late if its permit has passed on to another call or to nobody.
func (p *probes) settle(ticket uint32, o outcome) verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.giveBack(ticket) || p.retired || p.decided {
		return late
	}
	p.results.add(o)
	return p.verdict()
}

// release gives the permit of a probe back that counts neither way.
func (p *probes) release(ticket uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack(ticket)
}

func (p *probes) giveBack(ticket uint32) bool {
	i := slices.IndexFunc(p.running, func(probe probe) bool { return probe.ticket == ticket })
	if i < 0 {
		return false
	}
	p.running = slices.Delete(p.running, i, i+1)
	return true
}

// resize changes how many probes there are. Those that hold a permit keep it.
func (p *probes) resize(limit int) verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit, p.results.minimum = limit, uint64(limit)
	if p.decided {
		return unchanged
	}
	return p.verdict()
}

func (p *probes) verdict() verdict {
	if int(p.results.total) < p.limit {
		return unchanged
	}
	p.decided = true
	return decided
}

func (p *probes) tally() tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.results
}

func (p *probes) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
}

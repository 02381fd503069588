package bulkhead

import (
	"slices"
	"time"
)

// A worker is a goroutine of a pool.
type worker struct{ jobs chan *job } // what an idle one gets next; nil: the end

// accept gives j to a goroutine or puts it into the queue: first whoever is idle, then the core, then the queue, then
// goroutines beyond the core. It reports false where there is room in none.
func (p *Pool) accept(j *job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	core, capacity := p.config.core(), p.config.QueueCapacity
	if p.closed {
		core, capacity = p.config.MaxThreadPoolSize, 0
	}
	switch {
	case len(p.idle) > 0:
		p.take().jobs <- j
		j.start()
	case p.workers < core:
		p.hire(j)
	case p.queue.length < capacity:
		p.queue.add(j)
	case p.workers < p.config.MaxThreadPoolSize:
		p.hire(j)
	default:
		return false
	}
	return true
}

// hire starts a goroutine with j. The mutex is held.
func (p *Pool) hire(j *job) {
	p.workers++
	j.start()
	go p.work(j)
}

// take returns the one that has been idle for the shortest time. The mutex is held.
func (p *Pool) take() *worker {
	last := len(p.idle) - 1
	w := p.idle[last]
	p.idle = slices.Delete(p.idle, last, last+1)
	return w
}

// shift takes the first job out of the queue. The mutex is held.
func (p *Pool) shift() *job {
	j := p.queue.first
	p.queue.remove(j)
	return j
}

// dismissIdle ends those who are idle, as far as they do not belong to the core. The mutex is held.
func (p *Pool) dismissIdle() {
	core := p.config.core()
	if p.closed {
		core = 0
	}
	for len(p.idle) > 0 && p.workers > core {
		p.workers--
		p.take().jobs <- nil
	}
}

// work is the life of a goroutine of the pool.
func (p *Pool) work(j *job) {
	w := &worker{jobs: make(chan *job, 1)}
	returned := false
	defer func() {
		if !returned { // the work of j has called runtime.Goexit
			p.replace()
			p.finish(j)
		}
	}()
	for j != nil {
		j.run()
		next, stay := p.next(w) // before the caller hears of the end, so that it finds the place free
		p.finish(j)
		if stay {
			next = p.wait(w)
		}
		j = next
	}
	returned = true
}

// next returns the job that w does next. If there is none, w is idle from now on, or stay is false and it has to end.
func (p *Pool) next(w *worker) (j *job, stay bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.workers > p.config.MaxThreadPoolSize:
	case p.queue.first != nil:
		j = p.shift()
		j.start()
		return j, false
	case !p.closed:
		p.idle = append(p.idle, w)
		return nil, true
	}
	p.workers--
	return nil, false
}

// replace makes up for a goroutine that is about to end against its will.
func (p *Pool) replace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers--
	if p.queue.first != nil && p.workers < p.config.MaxThreadPoolSize {
		p.hire(p.shift())
	}
}

// wait returns the next job of w, which is idle, or nil when it is to end.
func (p *Pool) wait(w *worker) *job {
	keepAlive, limited := p.patience()
	if !limited {
		return <-w.jobs
	}
	timer := time.NewTimer(keepAlive)
	defer timer.Stop()
	select {
	case j := <-w.jobs:
		return j
	case <-timer.C:
	}
	if p.retire(w) {
		return nil
	}
	return <-w.jobs
}

// patience returns how long somebody who is idle stays, and whether that is limited.
func (p *Pool) patience() (time.Duration, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.config.KeepAliveDuration, p.workers > p.config.core()
}

// retire ends w, unless it has got a job, or belongs to the core by now.
func (p *Pool) retire(w *worker) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, w)
	if i < 0 || p.workers <= p.config.core() {
		return false
	}
	p.idle = slices.Delete(p.idle, i, i+1)
	p.workers--
	return true
}

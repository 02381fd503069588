package bulkhead

import (
	"runtime/debug"
	"sync/atomic"
)

// A job is a call on its way through a pool.
type job struct {
	work    func()
	started chan struct{} // closed when a goroutine takes it up; nil where nobody listens
	done    chan struct{} // closed when the work has ended, or will never begin
	claimed atomic.Bool   // by the first of two: the caller who leaves, and the end of the work
	outcome outcome       // written before done is closed

	announced bool // belongs to the caller

	links[job] // guarded by the pool's mutex, as queued
	queued     bool
}

// An outcome is how a job ended where its work did not simply return.
type outcome struct {
	panicked  bool
	value     any // of the panic
	stack     []byte
	exited    bool // by runtime.Goexit
	dismissed bool // from the queue, by Close
}

// run does the work. It does not return if the work calls runtime.Goexit.
func (j *job) run() {
	j.outcome.exited = true
	defer func() {
		if value := recover(); value != nil {
			j.outcome = outcome{panicked: true, value: value, stack: debug.Stack()}
		}
	}()
	j.work()
	j.outcome.exited = false
}

// start marks j as taken up.
func (j *job) start() {
	j.queued = false
	if j.started != nil {
		close(j.started)
	}
}

// jobs are those that wait for a goroutine, in the order in which they came.
type jobs struct{ line[job, *job] }

func (q *jobs) add(j *job) {
	j.queued = true
	q.line.add(j)
}

func (q *jobs) remove(j *job) {
	j.queued = false
	q.line.remove(j)
}

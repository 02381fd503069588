package bulkhead_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/resilgen/resilgen/runtime/bulkhead"
)

// A model is a plain bulkhead. Times are nanoseconds since it was made.
type model struct {
	limit, underWay int
	queue           []request
	result          map[int]int64 // by call: when it was let in, or minus the time at which it was turned away
}

type request struct {
	id     int
	latest int64
}

func (m *model) serve(now int64) {
	for len(m.queue) > 0 && m.underWay < m.limit {
		m.result[m.queue[0].id] = now
		m.underWay++
		m.queue = m.queue[1:]
	}
}

// forward turns away those whose time is over.
func (m *model) forward(now int64) {
	m.queue = slices.DeleteFunc(m.queue, func(r request) bool {
		if r.latest > now {
			return false
		}
		m.result[r.id] = -r.latest
		return true
	})
}

func (m *model) begin(now int64, id int, wait int64) {
	switch {
	case len(m.queue) == 0 && m.underWay < m.limit:
		m.underWay++
		m.result[id] = now
	case wait == 0:
		m.result[id] = -now
	default:
		m.queue = append(m.queue, request{id, now + wait})
	}
}

func (m *model) cancel(now int64, id int) {
	before := len(m.queue)
	if m.queue = slices.DeleteFunc(m.queue, func(r request) bool { return r.id == id }); len(m.queue) < before {
		m.result[id] = -now
	}
}

type step struct {
	pause time.Duration
	do    string
	n     int
}

// TestBulkheadDoesWhatAPlainModelDoes compares every admission, refusal and wait with the model's, to the nanosecond.
func TestBulkheadDoesWhatAPlainModelDoes(t *testing.T) {
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			pause: time.Duration(rapid.IntRange(1, 40).Draw(t, "pause")),
			do: rapid.SampledFrom([]string{
				"begin", "begin", "begin", "begin", "end", "end", "end", "cancel", "limit", "wait", "fair",
			}).Draw(t, "do"),
			n: rapid.IntRange(0, 30).Draw(t, "n"),
		}
	}), 5, 60)
	rapid.Check(t, func(rt *rapid.T) {
		config := bulkhead.DefaultConfig()
		config.MaxConcurrentCalls = rapid.IntRange(1, 4).Draw(rt, "limit")
		config.MaxWaitDuration = time.Duration(rapid.SampledFrom([]int{0, 50, 500}).Draw(rt, "wait"))
		plan := steps.Draw(rt, "steps")
		var difference error
		synctest.Test(t, func(*testing.T) { difference = compare(config, plan) })
		if difference != nil {
			rt.Fatal(difference)
		}
	})
}

// compare takes the steps with a bulkhead and its model, and returns the first difference.
func compare(config bulkhead.Config, plan []step) error {
	b, err := bulkhead.New("model", func(c *bulkhead.Config) { *c = config })
	if err != nil {
		return err
	}
	type call struct {
		cancel context.CancelFunc
		end    chan struct{} // closed to end it
		ended  bool
		result chan int64
	}
	m := &model{limit: config.MaxConcurrentCalls, result: map[int]int64{}}
	start := time.Now()
	since := func() int64 { return int64(time.Since(start)) }
	var calls []*call
	for i, s := range plan {
		time.Sleep(s.pause)
		synctest.Wait()
		now := since()
		m.forward(now)
		var chosen *call
		if len(calls) > 0 {
			chosen = calls[s.n%len(calls)]
		}
		switch {
		case s.do == "begin":
			ctx, cancel := context.WithCancel(context.Background())
			c := &call{cancel: cancel, end: make(chan struct{}), result: make(chan int64, 1)}
			calls = append(calls, c)
			go func() {
				slot, err := b.Begin(ctx)
				if err != nil {
					c.result <- -since()
					return
				}
				c.result <- since()
				<-c.end
				slot.End()
			}()
			synctest.Wait()
			m.begin(now, len(calls)-1, int64(config.MaxWaitDuration))
		case s.do == "end" && chosen != nil && !chosen.ended && m.result[s.n%len(calls)] > 0:
			chosen.ended = true
			close(chosen.end)
			m.underWay--
			m.serve(now)
		case s.do == "cancel" && chosen != nil:
			chosen.cancel()
			m.cancel(now, s.n%len(calls))
		case s.do == "limit":
			config.MaxConcurrentCalls = 1 + s.n%5
			m.limit = config.MaxConcurrentCalls
			m.serve(now)
		case s.do == "wait":
			config.MaxWaitDuration = time.Duration(s.n * 10)
		case s.do == "fair": // makes no difference to calls that come one after the other
			config.FairCallHandlingEnabled = !config.FairCallHandlingEnabled
		}
		if err := b.Reconfigure(config); err != nil {
			return err
		}
		synctest.Wait()
		got := b.Metrics()
		if got.ConcurrentCalls != m.underWay || got.WaitingCalls != len(m.queue) || got.MaxAllowedConcurrentCalls != m.limit {
			return fmt.Errorf("step %d %+v at %d: got %+v, want %+v", i, s, now, got, *m)
		}
	}
	time.Sleep(time.Second)
	synctest.Wait()
	m.forward(since())
	for id, c := range calls {
		if got := <-c.result; got != m.result[id] {
			err = errors.Join(err, fmt.Errorf("call %d: got %d, want %d", id, got, m.result[id]))
		}
		c.cancel()
		if !c.ended {
			close(c.end)
		}
	}
	synctest.Wait()
	if left := b.Metrics().ConcurrentCalls; left != 0 {
		err = errors.Join(err, fmt.Errorf("%d calls are left", left))
	}
	return err
}

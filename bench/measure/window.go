package measure

import (
	"math"
	"sync"
	"syscall"
	"time"
)

// A sample is what one window tells.
type sample struct {
	// nanoseconds is the wall time for each call, of all goroutines together: twice the goroutines on twice the cores
	// halve it if they do not hinder each other.
	nanoseconds float64
	// busy is the processor time that the process got, as a share of the time that its goroutines ran. It is above 1
	// where the garbage collector runs on a core that is free.
	busy float64
}

// leastBusy is the share of its cores that the process must have had for a window to count.
const leastBusy = 0.97

// run lets that many goroutines call loop, batch calls at a time, until length has passed.
func run(loop func(n int), batch, goroutines int, length time.Duration) sample {
	calls := make([]int, goroutines)
	work := func(i int, start time.Time) {
		for {
			loop(batch)
			calls[i] += batch
			if time.Since(start) >= length {
				return
			}
		}
	}
	var others sync.WaitGroup
	before, start := processorTime(), time.Now()
	for i := 1; i < goroutines; i++ {
		others.Go(func() { work(i, start) })
	}
	work(0, start)
	others.Wait()
	wall, busy := time.Since(start), processorTime()-before
	total := 0
	for _, n := range calls {
		total += n
	}
	return sample{
		nanoseconds: float64(wall) / float64(total),
		busy:        float64(busy) / float64(wall) / float64(goroutines),
	}
}

// processorTime returns the user and system time that the process has used so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("measure: no processor time: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// calibrate returns how many calls take about d, so that the clock is read seldom enough between batches. Of several
// attempts the fastest one tells: the others may have been interrupted.
func calibrate(loop func(n int), d time.Duration) int {
	for n := 1; ; n *= 2 {
		fastest := time.Duration(math.MaxInt64)
		for range 3 {
			start := time.Now()
			loop(n)
			fastest = min(fastest, time.Since(start))
		}
		if fastest >= d || n >= 1<<30 {
			return n
		}
	}
}

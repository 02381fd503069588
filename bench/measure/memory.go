package measure

import "runtime"

// An Allocation is what one call leaves to the garbage collector.
type Allocation struct {
	Objects float64
	Bytes   float64
}

// Allocations returns what a call of loop allocates, on average over n calls after as many that warm it up. Nothing
// else should run meanwhile: what other goroutines allocate counts too, unless it is less than an object in a hundred
// calls.
func Allocations(loop func(n int), n int) Allocation {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	loop(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	loop(n)
	runtime.ReadMemStats(&after)
	objects := float64(after.Mallocs-before.Mallocs) / float64(n)
	if objects < 0.01 {
		return Allocation{}
	}
	return Allocation{objects, float64(after.TotalAlloc-before.TotalAlloc) / float64(n)}
}

// A Footprint is what one living instance takes.
type Footprint struct {
	Heap       float64 // bytes
	Goroutines float64
}

// Footprints returns what each of n instances takes, which build makes. What build returns keeps them alive, and
// counts: it is to be a slice of pointers, or of what a user of an instance holds.
func Footprints(n int, build func() any) Footprint {
	before, goroutines := live(), runtime.NumGoroutine()
	instances := build()
	after, grown := live(), runtime.NumGoroutine()
	runtime.KeepAlive(instances)
	return Footprint{
		Heap:       (float64(after) - float64(before)) / float64(n),
		Goroutines: float64(grown-goroutines) / float64(n),
	}
}

// live returns the size of the living heap. The second collection frees what finalizers and pools held in the first.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

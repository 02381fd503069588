package measure

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
)

// A Site is a function that allocated memory which is still alive.
type Site struct {
	Function string
	Bytes    float64 // for each instance
}

// Sites returns where the memory of n instances that build makes comes from, the largest part first. What the Go
// runtime allocates counts for the function that asked for it.
func Sites(n int, build func() any) []Site {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	live()
	before := inUse()
	instances := build()
	live()
	after := inUse()
	runtime.KeepAlive(instances)
	var sites []Site
	for function, size := range after {
		if grown := size - before[function]; grown > 0 {
			sites = append(sites, Site{function, float64(grown) / float64(n)})
		}
	}
	slices.SortFunc(sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Function, b.Function))
	})
	return sites
}

// inUse adds up the living memory, as of the last collection but one, by function.
func inUse() map[string]int64 {
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		records = make([]runtime.MemProfileRecord, n+50)
		if n, ok = runtime.MemProfile(records, true); ok {
			records = records[:n]
		}
	}
	sums := map[string]int64{}
	for i := range records {
		sums[allocator(records[i].Stack())] += records[i].InUseBytes()
	}
	return sums
}

// allocator returns the innermost function that is not the Go runtime's.
func allocator(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		internal := strings.HasPrefix(frame.Function, "runtime.") || strings.HasPrefix(frame.Function, "internal/runtime/")
		if !internal || !more {
			return frame.Function
		}
	}
}

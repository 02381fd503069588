package emit

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls do with the numbers below n, as many at a time as there are processors, and returns the error of the first
// number that has one.
func each(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(i)
			}
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

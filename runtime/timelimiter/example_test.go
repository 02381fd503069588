package timelimiter_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/timelimiter"
)

func Example() {
	stock, err := timelimiter.New("inventory", timelimiter.WithTimeoutDuration(10*time.Millisecond))
	if err != nil {
		panic(err)
	}
	_, err = timelimiter.Do(context.Background(), stock, func(ctx context.Context) (int, error) {
		<-ctx.Done() // a slow server
		return 0, ctx.Err()
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, timelimiter.ErrTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output:
	// timelimiter "inventory" timed out after 10ms
	// true true
}

// Code that heeds no context is left behind.
func ExampleDetach() {
	report, err := timelimiter.New("report", timelimiter.WithTimeoutDuration(10*time.Millisecond))
	if err != nil {
		panic(err)
	}
	finish := make(chan struct{})
	_, err = timelimiter.Detach(context.Background(), report, func(context.Context) (string, error) {
		<-finish
		return "done", nil
	})
	fmt.Println(err)
	fmt.Println("still running:", report.Metrics().AbandonedCalls)
	close(finish)
	// Output:
	// timelimiter "report" timed out after 10ms
	// still running: 1
}

package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/retry"
)

func Example() {
	stock, err := retry.New("inventory",
		retry.WithMaxAttempts(3),
		retry.WithWaitDuration(10*time.Millisecond),
		retry.WithEnableExponentialBackoff(true))
	if err != nil {
		panic(err)
	}
	stock.Subscribe(func(e policy.Event) { fmt.Println(e.Type, "after attempt", e.Attempt) })

	attempt := 0
	n, err := retry.Do(context.Background(), stock, func(context.Context) (int, error) {
		if attempt++; attempt < 3 {
			return 0, errors.New("connection reset")
		}
		return 7, nil
	})
	fmt.Println(n, err)
	// Output:
	// RETRY after attempt 1
	// RETRY after attempt 2
	// SUCCESS after attempt 3
	// 7 <nil>
}

// The loop that generated code contains. It needs no closure.
func ExampleRetry_Begin() {
	stock, err := retry.New("inventory", retry.WithWaitDuration(0))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	call := func(context.Context) (int, error) { return 0, errors.New("connection reset") }

	attempts := stock.Begin()
	for {
		_, err := call(ctx)
		if !attempts.Again(ctx, &err) {
			fmt.Println(err, "after", attempts.Number(), "attempts")
			break
		}
	}
	// Output: connection reset after 3 attempts
}

func ExampleWithRetryResult() {
	queue, err := retry.New("queue", retry.WithWaitDuration(0), retry.WithFailAfterMaxAttempts(true),
		retry.WithRetryResult(func(result any) bool { return result == "" }))
	if err != nil {
		panic(err)
	}
	_, err = retry.Do(context.Background(), queue, func(context.Context) (string, error) { return "", nil })
	fmt.Println(err)
	fmt.Println(errors.Is(err, retry.ErrExhausted))
	// Output:
	// retry "queue" has exhausted all attempts (3)
	// true
}

package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
)

var errUnavailable = errors.New("unavailable")

func stock(_ context.Context, sku string) (int, error) {
	if sku == "lamp" {
		return 7, nil
	}
	return 0, errUnavailable
}

func ExampleDo() {
	b, err := breaker.New("inventory", breaker.WithSlidingWindowSize(4), breaker.WithWaitDurationInOpenState(time.Hour))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	for _, sku := range []string{"lamp", "lamp", "desk", "desk", "lamp"} {
		n, err := breaker.Do(ctx, b, func(ctx context.Context) (int, error) { return stock(ctx, sku) })
		fmt.Println(n, err)
	}
	// Output:
	// 7 <nil>
	// 7 <nil>
	// 0 unavailable
	// 0 unavailable
	// 0 circuitbreaker "inventory" is OPEN and does not permit further calls
}

func ExampleBreaker_Begin() {
	b, err := breaker.New("inventory")
	if err != nil {
		panic(err)
	}
	ask := func(ctx context.Context, sku string) (n int, err error) {
		call, err := b.Begin()
		if err != nil {
			return 0, err
		}
		defer call.Abort() // a panic or runtime.Goexit counts as a failure
		n, err = stock(ctx, sku)
		call.End(ctx, err)
		return n, err
	}
	fmt.Println(ask(context.Background(), "lamp"))
	fmt.Println(b.Metrics().Successful)
	// Output:
	// 7 <nil>
	// 1
}

func ExampleWithRecordErrors() {
	b, err := breaker.New("inventory", breaker.WithRecordErrors(func(err error) bool {
		return errors.Is(err, errUnavailable)
	}))
	if err != nil {
		panic(err)
	}
	for _, err := range []error{errUnavailable, fs.ErrNotExist} {
		_ = breaker.Run(context.Background(), b, func(context.Context) error { return err })
	}
	m := b.Metrics()
	fmt.Println(m.Failed, "failed,", m.Successful, "successful")
	// Output: 1 failed, 1 successful
}

func ExampleBreaker_Subscribe() {
	b, err := breaker.New("inventory")
	if err != nil {
		panic(err)
	}
	off := b.Subscribe(func(e policy.Event) { fmt.Println(e) })
	defer off()
	if err := b.TransitionTo(breaker.ForcedOpen); err != nil {
		panic(err)
	}
	// Output: circuitbreaker "inventory" STATE_TRANSITION from CLOSED to FORCED_OPEN
}

package bulkhead_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/bulkhead"
)

func Example() {
	b, err := bulkhead.New("inventory", bulkhead.WithMaxConcurrentCalls(1))
	if err != nil {
		panic(err)
	}
	defer b.Close()
	ctx := context.Background()

	stock := func(ctx context.Context) (int, error) { return 7, nil }
	n, err := bulkhead.Do(ctx, b, stock)
	fmt.Println(n, err)

	err = bulkhead.Run(ctx, b, func(ctx context.Context) error {
		_, err := bulkhead.Do(ctx, b, stock) // while the outer call is under way
		return err
	})
	fmt.Println(errors.Is(err, bulkhead.ErrFull), err)
	// Output:
	// 7 <nil>
	// true bulkhead "inventory" is full and does not permit further calls
}

func ExampleBulkhead_Begin() {
	b, err := bulkhead.New("inventory",
		bulkhead.WithMaxConcurrentCalls(20),
		bulkhead.WithMaxWaitDuration(50*time.Millisecond),
	)
	if err != nil {
		panic(err)
	}
	call := func(ctx context.Context) error {
		call, err := b.Begin(ctx)
		if err != nil {
			return err
		}
		defer call.End() // also if what follows panics
		fmt.Println(b.Metrics().AvailableConcurrentCalls, "slots are left")
		return nil
	}
	fmt.Println(call(context.Background()))
	// Output:
	// 19 slots are left
	// <nil>
}

func ExampleDecorate() {
	b, err := bulkhead.New("inventory")
	if err != nil {
		panic(err)
	}
	stock := bulkhead.Decorate(b, func(ctx context.Context) (int, error) { return 7, nil })
	fmt.Println(stock(context.Background()))
	// Output: 7 <nil>
}

func ExampleSubmit() {
	p, err := bulkhead.NewPool("legacy", bulkhead.WithMaxThreadPoolSize(4), bulkhead.WithQueueCapacity(10))
	if err != nil {
		panic(err)
	}
	defer p.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	release := make(chan struct{})
	_, err = bulkhead.Submit(ctx, p, func(context.Context) (int, error) {
		<-release // a library that has not heard of contexts
		return 7, nil
	})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(p.Metrics().ActiveThreadCount, "place is taken until the work returns")
	close(release)
	// Output:
	// true
	// 1 place is taken until the work returns
}

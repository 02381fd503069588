package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/limiter"
)

func Example() {
	l, err := limiter.New("inventory",
		limiter.WithLimitForPeriod(2),
		limiter.WithLimitRefreshPeriod(time.Minute),
		limiter.WithTimeoutDuration(time.Second),
	)
	if err != nil {
		panic(err)
	}
	defer l.Close()

	for range 3 {
		n, err := limiter.Do(context.Background(), l, func(ctx context.Context) (int, error) { return 7, nil })
		fmt.Println(n, err)
	}
	// Output:
	// 7 <nil>
	// 7 <nil>
	// 0 ratelimiter "inventory" does not permit further calls
}

func ExampleLimiter_Acquire() {
	l, err := limiter.New("bytes", limiter.WithLimitForPeriod(1000), limiter.WithLimitRefreshPeriod(time.Hour))
	if err != nil {
		panic(err)
	}
	send := func(ctx context.Context, data []byte) error {
		if err := l.Acquire(ctx, len(data)); err != nil {
			return err
		}
		return nil // the call itself
	}
	fmt.Println(send(context.Background(), make([]byte, 900)))
	err = send(context.Background(), make([]byte, 900))
	fmt.Println(errors.Is(err, limiter.ErrExceeded))
	// Output:
	// <nil>
	// true
}

func ExampleLimiter_Reserve() {
	l, err := limiter.New("mails", limiter.WithLimitForPeriod(1), limiter.WithLimitRefreshPeriod(time.Second))
	if err != nil {
		panic(err)
	}
	for range 2 {
		r, err := l.Reserve(1)
		if err != nil {
			panic(err)
		}
		if r.Wait() == 0 {
			fmt.Println("go")
			continue
		}
		fmt.Println("later; given back:", r.Cancel())
	}
	// Output:
	// go
	// later; given back: true
}

func ExampleWithDrainPermissionsOnResult() {
	errTooMany := errors.New("429 Too Many Requests")
	l, err := limiter.New("partner",
		limiter.WithLimitForPeriod(100),
		limiter.WithLimitRefreshPeriod(time.Hour),
		limiter.WithDrainPermissionsOnResult(func(_ any, err error) bool { return errors.Is(err, errTooMany) }),
	)
	if err != nil {
		panic(err)
	}
	_ = limiter.Run(context.Background(), l, func(context.Context) error { return errTooMany })
	fmt.Println(l.Metrics().AvailablePermits, "permits are left in this hour")
	// Output: 0 permits are left in this hour
}

func ExampleDecorate() {
	l, err := limiter.New("inventory", limiter.WithLimitForPeriod(10), limiter.WithLimitRefreshPeriod(time.Second))
	if err != nil {
		panic(err)
	}
	stock := limiter.Decorate(l, func(ctx context.Context) (int, error) { return 7, nil })
	fmt.Println(stock(context.Background()))
	// Output: 7 <nil>
}

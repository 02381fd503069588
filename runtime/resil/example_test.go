package resil_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
	"github.com/resilgen/resilgen/runtime/retry"
)

func Example() {
	rt, err := resil.New(
		resil.WithRetryConfig("default", retry.WithWaitDuration(10*time.Millisecond)),
		resil.WithBreaker("inventory-db", breaker.WithWaitDurationInOpenState(5*time.Second)),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()

	next := stockFunc(func(context.Context, string) (int, error) { return 12, nil })
	inventory, err := newResilientClient(next, rt) // generated from the annotations of an interface
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(inventory.Stock(context.Background(), "bolt"))

	db, _ := rt.Breaker("inventory-db")
	fmt.Println(db.State(), db.Config().FailureRateThreshold, db.Config().WaitDurationInOpenState)
	// Output:
	// 12 <nil>
	// CLOSED 50 5s
}

func ExampleRuntime_Subscribe() {
	rt, err := resil.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	unsubscribe := rt.Subscribe(func(e policy.Event) {
		if e.Type == policy.RetryScheduled {
			fmt.Printf("%s: %v, again in %v\n", e.Name, e.Err, e.Wait)
		}
	})
	defer unsubscribe()

	calls := 0
	inventory, err := newResilientClient(stockFunc(func(context.Context, string) (int, error) {
		if calls++; calls == 1 {
			return 0, errors.New("connection reset")
		}
		return 12, nil
	}), rt)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(inventory.Stock(context.Background(), "bolt"))
	// Output:
	// inventory: connection reset, again in 100ms
	// 12 <nil>
}

func ExampleRegistry_GetOrCreate() {
	rt, err := resil.New(resil.WithBreakerConfig("shared", breaker.WithSlidingWindowSize(20)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	breakers := rt.Breakers()
	db, err := breakers.Configuration("shared").GetOrCreate("db", breaker.WithFailureRateThreshold(25))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := breaker.Do(context.Background(), db, func(context.Context) (int, error) { return 3, nil })
	fmt.Println(rows, err)

	for b := range breakers.All() {
		fmt.Println(b.Name(), b.State(), b.Config().SlidingWindowSize, b.Config().FailureRateThreshold)
	}
	// Output:
	// 3 <nil>
	// db CLOSED 20 25
}

func ExampleRegistry_Replace() {
	rt, err := resil.New(resil.WithTags(map[string]string{"zone": "eu"}), resil.WithBreaker("db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	unsubscribe := rt.SubscribeEntries(func(e policy.Event) { fmt.Println(e) })
	defer unsubscribe()

	stopped, err := breaker.New("db", breaker.WithInitialState(breaker.ForcedOpen))
	if err != nil {
		fmt.Println(err)
		return
	}
	old, err := rt.Breakers().Replace("db", stopped)
	if err != nil {
		fmt.Println(err)
		return
	}
	now, _ := rt.Breaker("db")
	fmt.Println(old.State(), now.State(), rt.Breakers().Tags("db"))
	_, err = rt.Breakers().Replace("queue", stopped)
	fmt.Println(err)
	// Output:
	// circuitbreaker "db" REPLACED
	// CLOSED FORCED_OPEN map[zone:eu]
	// circuitbreaker "queue": it cannot be replaced by one that is named "db"; make that with the same name
}

func ExamplePassthrough() {
	next := stockFunc(func(context.Context, string) (int, error) { return 0, errors.New("connection reset") })
	inventory, err := newResilientClient(next, resil.Passthrough())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(inventory.Stock(context.Background(), "bolt"))
	// Output:
	// 0 connection reset
}

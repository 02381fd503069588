package redislimiter_test

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/resilgen/resilgen/runtime/limiter"
	"github.com/resilgen/resilgen/runtime/limiter/redislimiter"
)

func ExampleNew() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	payments, err := redislimiter.New(client, "payments",
		redislimiter.WithLimitForPeriod(1000), redislimiter.WithLimitRefreshPeriod(time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer payments.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := payments.Acquire(ctx, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("go")
}

func ExampleWithLimits() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	mails, err := redislimiter.New(client, "mails", redislimiter.WithLimits(
		redislimiter.Limit{Rate: 5, Interval: time.Minute},
		redislimiter.Limit{Rate: 100, Interval: time.Hour}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mails.Close()
	ok, err := mails.TryAcquire(context.Background(), 1)
	fmt.Println(ok, err)
}

func ExampleBackend() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	backend := redislimiter.Backend(client, redislimiter.WithKeyPrefix("orders:"))
	orders, err := limiter.NewWithBackend("orders", backend,
		limiter.WithLimitForPeriod(100), limiter.WithLimitRefreshPeriod(time.Second), limiter.WithOnUnavailable(limiter.Local))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer orders.Close()
	fmt.Println(orders.Acquire(context.Background(), 1))
}

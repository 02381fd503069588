package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/resilgen/resilgen/runtime/fallback"
)

func Example() {
	f, err := fallback.New("inventory.Client.Stock")
	if err != nil {
		panic(err)
	}
	errNotFound := errors.New("not found")
	stock := func(context.Context) (int, error) { return 0, fmt.Errorf("inventory: %w", errNotFound) }

	n, err := fallback.Do(context.Background(), f, stock,
		fallback.OnError("stockMissing", func(context.Context, error) (int, error) { return 0, nil }, errNotFound),
		fallback.OnType("stockOnDisk", func(_ context.Context, err *fs.PathError) (int, error) { return -1, err }),
	)
	fmt.Println(n, err)
	fmt.Printf("%+v\n", f.Metrics().Handlers)
	// Output:
	// 0 <nil>
	// [{Handler:stockMissing Answered:1 Failed:0}]
}

func ExampleRun() {
	f, err := fallback.New("mail")
	if err != nil {
		panic(err)
	}
	send := func(context.Context) error { return errors.New("connection refused") }
	queue := func(_ context.Context, err error) error {
		fmt.Println("queued after:", err)
		return nil
	}
	fmt.Println(fallback.Run(context.Background(), f, send, fallback.Otherwise("queue", fallback.NoResult(queue))))
	// Output:
	// queued after: connection refused
	// <nil>
}

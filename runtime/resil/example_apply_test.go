package resil_test

import (
	"fmt"

	"github.com/resilgen/resilgen/runtime/breaker"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

func ExampleRuntime_Apply() {
	rt, err := resil.New(resil.WithBreaker("db", breaker.WithFailureRateThreshold(50)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	unsubscribe := rt.Subscribe(func(e policy.Event) { fmt.Println(e.Type) })
	defer unsubscribe()

	db, _ := rt.Breaker("db")
	fmt.Println(rt.Apply(resil.WithBreaker("db", breaker.WithFailureRateThreshold(25))))
	fmt.Println(db.Config().FailureRateThreshold)
	fmt.Println(rt.Apply(resil.WithBreaker("db", breaker.WithFailureRateThreshold(250))))
	fmt.Println(db.Config().FailureRateThreshold)
	// Output:
	// SETTINGS_CHANGED
	// <nil>
	// 25
	// circuitbreaker "db": failureRateThreshold is 250; it must be above 0 and at most 100
	// 25
}

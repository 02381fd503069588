package config_test

import (
	"fmt"

	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/resil"
)

func ExampleParse() {
	rt, err := resil.New(config.Parse([]byte(`
resilience4j:
  retry:
    configs:
      default: {wait-duration: 200ms}
    instances:
      inventory: {maxAttempts: 4}
`)))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	inventory, _ := rt.Retry("inventory")
	fmt.Println(inventory.Config().MaxAttempts, inventory.Config().WaitDuration)
	// Output: 4 200ms
}

func ExampleParse_mistakes() {
	_, err := resil.New(config.Parse([]byte(`
resilience4j.retry.instances:
  inventory: {maxAttempts: 0, waitDuration: 3 seconds}
`)))
	fmt.Println(err)
	// Output:
	// configuration:3:28: maxAttempts is 0; it must be a whole number of at least 1
	// configuration:3:45: waitDuration is "3 seconds"; it must be a duration that is not negative, such as 50s, 10ms, PT10S, or 5000 for milliseconds; did you mean 3s?
}

package main

import "github.com/resilgen/resilgen/bench/page"

// peers returns the modules of the libraries beside ours.
func peers() []page.Module {
	return page.Modules(
		"github.com/avast/retry-go", "github.com/cenkalti/backoff", "github.com/cep21/circuit",
		"github.com/eapache/go-resiliency", "github.com/failsafe-go/failsafe-go", "github.com/slok/goresilience",
		"github.com/sony/gobreaker", "go.uber.org/ratelimit", "golang.org/x/sync", "golang.org/x/time",
	)
}

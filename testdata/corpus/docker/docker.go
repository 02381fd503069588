// Package docker wraps the client of the Docker engine, whose parameters are named like the packages of their types.
package docker

import "github.com/moby/moby/client"

// Client is the API of the engine.
//
//resil:circuitbreaker name=docker
//resil:bulkhead name=docker maxConcurrentCalls=8 maxWaitDuration=1s
type Client interface{ client.APIClient }

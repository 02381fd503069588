// Package health wraps a client that grpc generated. A stream outlives the call that opens it, so it has no time limit.
package health

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// Client asks for the health of a service.
//
//resil:retry name=health maxAttempts=2
//resil:circuitbreaker name=health ignoreErrors=io.EOF
//resil:timelimiter name=health timeoutDuration=1s
type Client interface {
	grpc_health_v1.HealthClient

	// Watch streams changes.
	//
	//resil:skip timelimiter,retry
	Watch(ctx context.Context, in *grpc_health_v1.HealthCheckRequest, opts ...grpc.CallOption) (
		grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse], error)
}

// Package jetstream wraps the client of NATS JetStream, which has a type and many parameters named stream.
package jetstream

import "github.com/nats-io/nats.go/jetstream"

// Stream is here too.
//
//resil:circuitbreaker name=jetstream
//resil:ratelimiter name=jetstream limitForPeriod=1000 limitRefreshPeriod=1s
type Stream interface{ jetstream.JetStream }

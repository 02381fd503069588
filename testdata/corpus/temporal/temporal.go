// Package temporal wraps a client whose types are aliases of internal ones.
package temporal

import "go.temporal.io/sdk/client"

// Client is the client of Temporal.
//
//resil:circuitbreaker name=temporal
//resil:bulkhead name=temporal
type Client interface{ client.Client }

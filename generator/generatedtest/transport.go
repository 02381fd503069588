package generatedtest

import (
	"context"
	"io"
	"net/http"
)

// Transport sends requests: its RoundTripper's wrapper is one that an http.Client takes.
//
//resil:ctx {0.Context()}
//resil:retry name=transport maxAttempts=3 waitDuration=10ms retryResult=unavailable
//resil:circuitbreaker name=transport slidingWindowSize=10 recordResult=unavailable
//resil:timelimiter name=transport timeoutDuration=2s
type Transport interface {
	http.RoundTripper
}

func unavailable(response *http.Response) bool {
	return response.StatusCode == http.StatusServiceUnavailable
}

// Doors are transports each of which refuses calls in its own way.
type Doors interface {
	//resil:ctx {req.Context()}
	//resil:circuitbreaker name=door
	Breaker(req *http.Request) (*http.Response, error)

	//resil:ctx {req.Context()}
	//resil:retry name=door maxAttempts=2 waitDuration=10ms
	//resil:ratelimiter name=door limitForPeriod=1 limitRefreshPeriod=1h timeoutDuration=0s
	Limiter(req *http.Request) (*http.Response, error)

	//resil:ctx {req.Context()}
	//resil:bulkhead name=door maxConcurrentCalls=1
	Bulkhead(req *http.Request) (*http.Response, error)

	//resil:ctx {req.Context()}
	//resil:circuitbreaker name=pool
	//resil:bulkhead name=door type=pool maxThreadPoolSize=1 coreThreadPoolSize=1 queueCapacity=0
	Pool(req *http.Request) (*http.Response, error)
}

// Files is full of results that are closed by whom they reach.
type Files interface {
	// Open returns a file that is read later, in time.
	//
	//resil:retry name=files maxAttempts=3 waitDuration=10ms retryResult=shut consumeResultBeforeRetryAttempt=noteFile
	//resil:timelimiter name=files timeoutDuration=1s
	//resil:bulkhead name=files maxConcurrentCalls=1
	Open(ctx context.Context, name string) (io.ReadCloser, error)

	// Detached opens it on a goroutine of its own.
	//
	//resil:timelimiter name=files timeoutDuration=1s detach=true
	Detached(ctx context.Context, name string) (io.ReadCloser, int, error)

	// Fetch has the file as the Body of its result.
	//
	//resil:retry name=files maxAttempts=3 waitDuration=10ms
	//resil:timelimiter name=files timeoutDuration=1s detach=true
	Fetch(ctx context.Context, name string) (*Object, error)

	// Lease returns something to close that may come beside an error.
	//
	//resil:retry name=files maxAttempts=3 waitDuration=10ms
	Lease(ctx context.Context) (*Lease, Pass, error)

	// Send uses up what it is given, which its callers know to be a file that is sent from its start.
	//
	//resil:retry name=files maxAttempts=3 waitDuration=10ms replayable=true
	Send(ctx context.Context, from io.Reader) error

	// Put sends one request, and may send it again whatever it has.
	//
	//resil:ctx {req.Context()}
	//resil:retry name=files maxAttempts=3 waitDuration=10ms replayable=true
	Put(req *http.Request) error
}

// An Object is an answer with a body.
type Object struct {
	Name string
	Body io.ReadCloser
}

// A Lease is given back by Close, which has nothing to say.
type Lease struct{ Closed *int }

// Close gives the lease back.
func (l *Lease) Close() { *l.Closed++ }

// A Pass is a value that can be closed.
type Pass struct{ Closed *int }

// Close gives the pass back.
func (p Pass) Close() error { *p.Closed++; return nil }

// shut reports whether there is nothing in the file, which Open then opens again.
func shut(file io.ReadCloser) bool {
	n, _ := file.Read(make([]byte, 1))
	return n == 0
}

// Noted counts the files that a retry dropped, by attempt.
var Noted []int

func noteFile(attempt int, _ io.ReadCloser) { Noted = append(Noted, attempt) }

// A Screen is written to.
//
//resil:wrapper forward=net/http.Flusher,Sizer
type Screen interface {
	//resil:circuitbreaker name=screen slidingWindowSize=10
	Draw(ctx context.Context, text string) error
	Split() (left, right Screen, err error)
}

// A Sizer has a size.
type Sizer interface{ Size() (width, height int) }

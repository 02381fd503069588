package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTodoShowsWhatItSays reads what the program prints, without the times.
func TestTodoShowsWhatItSays(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	text := regexp.MustCompile(` +\d+ ms +`).ReplaceAllString(out.String(), " | ")
	text = regexp.MustCompile(`(?m)  +| +$`).ReplaceAllString(text, " ")
	require.Equal(t, `One circuit breaker for all

The API is well.
 GET /todos/1 200 | {"userId":1,"id":1,"title":"water the plants","completed":false}

It hangs. After 3 s the gateway gives up: 1 of 2 calls failed, the circuit breaker opens.
 jsonPlaceholder: CLOSED -> OPEN
 GET /todos/2 504 | the todo API did not answer in time

While it is open the API is not asked. Callers are told at once when to come again.
 GET /todos/1 503 | the todo API is not asked at the moment; again in 10 s

A circuit breaker for each tenant

The API fails for tenant-a, and for nobody else.
 GET /todos/1 tenant-a 502 | the todo API answered 500
 jsonPlaceholder-tenant-a: CLOSED -> OPEN
 GET /todos/1 tenant-a 502 | the todo API answered 500
 GET /todos/1 tenant-a 503 | the todo API is not asked at the moment; again in 10 s
 GET /todos/1 tenant-b 200 | {"userId":1,"id":1,"title":"water the plants","completed":false}
 GET /todos/3 tenant-b 200 | {"userId":1,"id":3,"title":"mend the fence","completed":true}
 GET /todos/2 200 | {"userId":1,"id":2,"title":"answer the letters","completed":false}

So only its circuit breaker is open.
 jsonPlaceholder-default CLOSED
 jsonPlaceholder-tenant-a OPEN
 jsonPlaceholder-tenant-b CLOSED
`, text)
}

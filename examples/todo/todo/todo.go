// Package todo is the client of an external todo API. Client is what the gateway depends on, HTTPClient is the real
// thing, and ResilientClient, in todo_resil.go, is what resilgen made of the comments on Client.
package todo

import (
	"context"
	"errors"
)

//go:generate go tool resilgen

// A Todo is something to be done.
type Todo struct {
	UserID    int    `json:"userId"`
	ID        int    `json:"id"`
	Title     string `json:"title"`
	Completed bool   `json:"completed"`
}

// ErrNotFound says that the API does not know the todo. It is an answer, not a failure of the API.
var ErrNotFound = errors.New("no such todo")

// Client asks the todo API.
//
//resil:wrapper expected=ErrNotFound
type Client interface {
	// GetTodo returns the todo with that id.
	//
	//resil:circuitbreaker name=jsonPlaceholder slidingWindowSize=5 minimumNumberOfCalls=2 failureRateThreshold=50 waitDurationInOpenState=10s
	//resil:timelimiter name=jsonPlaceholder timeoutDuration=3s
	GetTodo(ctx context.Context, id int) (Todo, error)
}

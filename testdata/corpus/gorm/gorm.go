// Package gorm wraps generic interfaces that return themselves.
package gorm

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
)

// Query is a query of T. Rows are read after the call that asked for them, so that has no time limit.
//
//resil:circuitbreaker name=database
//resil:timelimiter name=database timeoutDuration=5s
type Query[T any] interface {
	gorm.Interface[T]

	//resil:skip timelimiter
	Rows(ctx context.Context) (*sql.Rows, error)
}

// Chain is a query of T that has begun.
//
//resil:retry name=database maxAttempts=2
type Chain[T any] interface{ gorm.ChainInterface[T] }

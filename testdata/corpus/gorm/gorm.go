// Package gorm wraps generic interfaces that return themselves.
package gorm

import "gorm.io/gorm"

// Query is a query of T.
//
//resil:circuitbreaker name=database
//resil:timelimiter name=database timeoutDuration=5s
type Query[T any] interface{ gorm.Interface[T] }

// Chain is a query of T that has begun.
//
//resil:retry name=database maxAttempts=2
type Chain[T any] interface{ gorm.ChainInterface[T] }

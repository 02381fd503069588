// Package pgx wraps a transaction of PostgreSQL, which has a parameter named sql and a method Conn.
package pgx

import "github.com/jackc/pgx/v5"

// Tx is a transaction.
//
//resil:circuitbreaker name=postgres
type Tx interface{ pgx.Tx }

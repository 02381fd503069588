// Package sqldriver wraps a connection of a database driver. The optional interfaces that database/sql asks for are
// hidden by a wrapper, so the interface names those that count.
package sqldriver

import "database/sql/driver"

// Conn is a connection.
//
//resil:circuitbreaker name=database
//resil:bulkhead name=database
type Conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
}

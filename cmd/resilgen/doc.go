// Resilgen writes resilience wrappers for annotated Go interfaces.
//
// Comments such as
//
//	//resil:retry maxAttempts=3 waitDuration=100ms
//	//resil:circuitbreaker name=inventory failureRateThreshold=50 fallback=stockWhenOpen
//	Stock(ctx context.Context, sku string) (int, error)
//
// on the methods of an interface become a struct that implements the interface and protects each call. For the
// annotations of client.go the command writes client_resil.go beside it.
//
// Usage:
//
//	resilgen [flags] [packages]
//
// Packages are named as for the go command; the default is the package in the working directory. One call for many
// packages is much faster than a call for each. As a tool of a module,
//
//	go get -tool github.com/resilgen/resilgen/cmd/resilgen
//
// it is run by go generate from a line in the package, or once for all packages from the module's root:
//
//	//go:generate go tool resilgen
//	//go:generate go tool resilgen ./...
//
// The flags are:
//
//	-check
//		write nothing; print what would change as a unified diff
//	-tags list
//		consider these comma-separated build tags satisfied
//	-v
//		tell what is being done
//	-version
//		print the version and exit
//
// What is wrong with an annotation is printed as file:line:col: what is wrong; what would be right, all of it in one
// run, and then no file is written. The exit status is 0 when all is well (warnings are no failure), 1 when something is
// wrong or, with -check, a file is stale, and 2 when the command line is.
package main

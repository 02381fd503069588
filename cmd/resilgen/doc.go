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
//	resilgen explain [-all] [-json] [-config file] [-tags list] [packages]
//	resilgen help [directive]
//	resilgen directives [-json]
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
// Help lists the directives, or explains one of them with all its keys. Directives prints their names; with -json it
// prints the whole table of directives and keys, with types, defaults and ranges, for editors and other tools. Explain
// tells what the annotations come to, also beside a config file: each method's layers and settings and where they come
// from, and the longest time that a call may take; resilgen help explain says more. A package in a directory of one of
// these names is given as ./help, ./directives or ./explain.
//
// The flags are:
//
//	-check
//		write nothing; print what would change as a unified diff, and exit with status 1 if anything would
//	-config file
//		take the order of the layers from this config file, where no //resil:order says it: from the keys such as
//		retryAspectOrder. A program that runs with the file has to be generated with it
//	-json
//		print the diagnostics to standard output, in the form of go vet -json, and nothing else
//	-n
//		write nothing; print the names of the files that would be written or removed, a line each
//	-out dir
//		write each output to this directory, relative to that of its source, as //resil:wrapper out= does for one
//		interface; the wrappers belong to the package there
//	-tags list
//		consider these comma-separated build tags satisfied
//	-v
//		tell what is being done: packages, files, how long it took
//	-version
//		print the version and exit
//
// The flags -check and -n exclude each other: one asks whether something would change, the other what. With -json, what
// either of them prints goes to standard error, and the files are written all the same where neither is given.
//
// An output goes when its source is gone or has no directive for it any more. It is looked for in the directories of the
// packages, and in those that they write to.
//
// What is wrong with an annotation is printed as file:line:col: what is wrong; what would be right, all of it in one
// run, and then no file is written. The exit status is 0 when all is well (warnings are no failure), 1 when something is
// wrong or, with -check, a file is stale, and 2 when the command line is.
package main

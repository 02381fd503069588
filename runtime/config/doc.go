// Package config reads the settings of a [resil.Runtime] from YAML or JSON. The keys are Resilience4j's, so that the
// resilience4j block of a Spring application can be pasted; docs/configuration.md lists them all.
//
//	rt, err := resil.New(config.File("resil.yaml", config.Watch()))
//
//	# resil.yaml
//	resilience4j:
//	  circuitbreaker:
//	    configs:
//	      default: {slidingWindowSize: 50}
//	    instances:
//	      inventory: {waitDurationInOpenState: 20s}
//	  tenants:
//	    acme:
//	      ratelimiter:
//	        instances:
//	          inventory: {limitForPeriod: 500, limitRefreshPeriod: 1s}
//
// Keys may be nested or dotted, in lowerCamelCase or kebab-case, and both may be mixed: what is said of an instance in
// several places is merged. Saying a key twice is an error. Durations are written 50s, 10ms or PT10S; a number alone is
// in milliseconds. Errors are named by their Go names, see [resil.WithErrorName].
//
// A mistake is an error with its file, line and column, and all mistakes of a file are reported together: unknown keys
// (see [resil.WithUnknownKeys]), values out of range, a key said twice, and a setting that does nothing because what it
// is about is not switched on. Keys that only Java needs are warnings.
//
// The environment is stronger than the file: RESIL_RETRY_INSTANCES_INVENTORY_MAXATTEMPTS=2. RESIL_ENABLED=false
// switches everything off.
//
// A watched file that has a mistake changes nothing and is reported once; the settings in force stay so until the file
// is right again. It does not matter how the file is replaced: written in place, renamed over, or by Kubernetes'
// symbolic links. A file that Kubernetes mounts by subPath never changes.
package config

//go:generate go run ./internal/reference ../../docs/configuration.md

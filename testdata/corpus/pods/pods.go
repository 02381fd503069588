// Package pods wraps one of the typed clients of Kubernetes.
package pods

import v1 "k8s.io/client-go/kubernetes/typed/core/v1"

// Pods is the client of pods.
//
//resil:retry name=pods maxAttempts=2 waitDuration=100ms
//resil:circuitbreaker name=pods
//resil:bulkhead name=pods
type Pods interface{ v1.PodInterface }

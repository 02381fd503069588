// Package controller wraps the client of controller-runtime, all of whose methods are embedded from elsewhere. Those
// that have no context are declared again, to keep the time limit from them.
package controller

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Client reads and writes objects.
//
//resil:circuitbreaker name=apiserver
//resil:timelimiter name=apiserver timeoutDuration=10s
//resil:bulkhead name=apiserver
type Client interface {
	client.Client

	//resil:skip
	GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error)

	//resil:skip
	IsObjectNamespaced(obj runtime.Object) (bool, error)
}

// Package sarama wraps an administration client of Kafka that knows no context and has a parameter named delete.
package sarama

import "github.com/IBM/sarama"

// Admin administers a cluster.
//
//resil:retry name=kafka maxAttempts=2 waitDuration=1s
//resil:circuitbreaker name=kafka
//resil:timelimiter name=kafka timeoutDuration=30s detach=true
type Admin interface{ sarama.TransactionClusterAdmin }

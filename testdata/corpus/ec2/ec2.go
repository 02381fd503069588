// Package ec2 wraps the largest interface of the AWS SDK: 2227 methods, many with an alias of context.Context, variadic
// options or a callback.
package ec2

import "github.com/aws/aws-sdk-go/service/ec2/ec2iface"

// Client is the API of EC2.
//
//resil:retry name=ec2 maxAttempts=3
//resil:circuitbreaker name=ec2
//resil:bulkhead name=ec2 maxConcurrentCalls=50
type Client interface{ ec2iface.EC2API }

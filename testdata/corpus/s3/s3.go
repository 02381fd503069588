// Package s3 wraps the API of S3.
package s3

import "github.com/aws/aws-sdk-go/service/s3/s3iface"

// Client is the API of S3.
//
//resil:circuitbreaker name=s3 failureRateThreshold=40
//resil:ratelimiter name=s3 limitForPeriod=3500 limitRefreshPeriod=1s
//resil:bulkhead name=s3
type Client interface{ s3iface.S3API }

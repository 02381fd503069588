// Package dynamodb wraps the API of DynamoDB.
package dynamodb

import "github.com/aws/aws-sdk-go/service/dynamodb/dynamodbiface"

// Client is the API of DynamoDB.
//
//resil:retry name=dynamodb enableExponentialBackoff=true
//resil:circuitbreaker name=dynamodb recordErrors=*github.com/aws/aws-sdk-go/service/dynamodb.InternalServerError
type Client interface{ dynamodbiface.DynamoDBAPI }

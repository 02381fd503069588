module github.com/resilgen/resilgen/generator/analyzer/golangci

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	github.com/resilgen/resilgen v0.0.0
	github.com/stretchr/testify v1.11.1
	golang.org/x/tools v0.50.0
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/resilgen/resilgen => ../../..

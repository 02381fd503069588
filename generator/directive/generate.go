package directive

//go:generate go run ./internal/reference ../../docs/annotations.md

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// methods of each interface of the fixtures. None has a stream under a policy that ends or repeats it.
const methods = `	Get(ctx context.Context, id string) (*Item, error)
	List(ctx context.Context, filter Filter, limit int) ([]Item, error)
	Put(ctx context.Context, item *Item, tags ...string) error
	Delete(ctx context.Context, ids ...string) (int, error)
	Header(ctx context.Context, address *url.URL) (http.Header, error)
	Each(ctx context.Context, visit func(context.Context, Item) error) error
	Watch(ctx context.Context, prefix string) (<-chan Item, error)
	Since(ctx context.Context, at time.Time, window time.Duration) (map[string][]Item, error)
	Raw(ctx context.Context, data []byte) (json.RawMessage, error)
	Close() error
`

// Directives of the interfaces: one policy around every method, as a template of gowrap writes it, or three.
const (
	onePolicy     = "//\n//resil:circuitbreaker failureRateThreshold=50\n"
	threePolicies = "//\n//resil:retry maxAttempts=3\n//resil:circuitbreaker failureRateThreshold=50\n" +
		"//resil:bulkhead maxConcurrentCalls=20\n"
)

// source returns a Go file with interfaces Service0 and so on under the directives.
func source(pkg string, interfaces int, directives string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", pkg)
	for _, path := range []string{"context", "encoding/json", "net/http", "net/url", "time"} {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(")\n\ntype Item struct{ ID string }\n\ntype Filter map[string]string\n")
	for i := range interfaces {
		fmt.Fprintf(&b, "\n// Service%d is one of many.\n", i)
		b.WriteString(directives)
		fmt.Fprintf(&b, "type Service%d interface {\n%s}\n", i, methods)
	}
	return b.String()
}

func write(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}

func writeModule(dir, root string) error {
	return write(filepath.Join(dir, "go.mod"), "module example.com/fixture\n\ngo 1.26.0\n\n"+
		"require github.com/resilgen/resilgen v0.0.0\n\nreplace github.com/resilgen/resilgen => "+root+"\n")
}

// packageName returns the name of the i-th package, and interfaceNames the interfaces of one.
func packageName(i int) string { return fmt.Sprintf("p%d", i) }

func interfaceNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("Service%d", i)
	}
	return names
}

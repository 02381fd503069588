// Tenants shows many tenants behind one wrapper: what one of them does to its circuit breaker and its rate limiter does
// not touch the others, a file gives some of them settings of their own, two scopes keep two services apart, and a cap
// bounds how many tenants there can be.
//
//	go run ./examples/tenants
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"

	"github.com/resilgen/resilgen/examples/tenants/catalog"
	"github.com/resilgen/resilgen/runtime/config"
	"github.com/resilgen/resilgen/runtime/resil"
)

//go:embed resil.yaml
var files embed.FS

// room is for how many tenants there is room. The default is 100,000.
const room = 100

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tenants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	rt, err := resil.New(config.FS(files, "resil.yaml"), resil.WithMaxInstances(room))
	if err != nil {
		return err
	}
	defer rt.Close()
	home := new(service)
	client, err := catalog.NewResilientClient(home, rt)
	if err != nil {
		return err
	}
	s := &show{out: out, runtime: rt, service: home, client: client}
	s.breakers(ctx)
	s.permits(ctx)
	if err := s.regions(ctx); err != nil {
		return err
	}
	s.strangers(ctx)
	return nil
}

// breakers shows that the calls of one tenant do not open the circuit breaker of another.
func (s *show) breakers(ctx context.Context) {
	s.scene("Every second call of two tenants fails. The file lets tenant-new fail more often than others.")
	s.service.failFor("tenant-a", "tenant-new")
	for _, tenant := range []string{"tenant-a", "tenant-new", "tenant-b"} {
		s.line(tenant, "%s; its circuit breaker is %s", ask(ctx, s.client, tenant, 5), s.state("catalog-"+tenant))
	}
}

// permits shows that one tenant does not use up the permits of another.
func (s *show) permits(ctx context.Context) {
	s.scene("Each has 5 permits a minute, and tenant-gold has 20 by the file.")
	s.service.failFor()
	for _, tenant := range []string{"tenant-c", "tenant-d", "tenant-gold"} {
		s.line(tenant, "%s", ask(ctx, s.client, tenant, 8))
	}
}

// regions shows two wrappers of one interface, around two services, in one runtime.
func (s *show) regions(ctx context.Context) error {
	s.scene("The catalogs of two regions have circuit breakers of their own. That of eu fails.")
	for _, region := range []string{"eu", "us"} {
		remote := new(service)
		client, err := catalog.NewResilientClient(remote, s.runtime.Scope(region))
		if err != nil {
			return err
		}
		if region == "eu" {
			remote.failFor("tenant-b")
		}
		tally := ask(ctx, client, "tenant-b", 5)
		s.line("tenant-b, "+region, "%s; its circuit breaker is %s", tally, s.state("catalog-tenant-b-"+region))
	}
	return nil
}

// strangers shows what becomes of those for whom there is no room, such as ids that somebody makes up.
func (s *show) strangers(ctx context.Context) {
	const many = 1000
	s.scene(fmt.Sprintf("There is room for %d. Of %d ids that somebody makes up, most share catalog-other and its permits.",
		room, many))
	var all tally
	for i := range many {
		all.add(ask(ctx, s.client, fmt.Sprintf("made-up-%d", i), 1))
	}
	s.line("made-up-...", "%s", all)
	s.line("tenant-gold", "%s", ask(ctx, s.client, "tenant-gold", 8))
	for _, names := range s.runtime.NameMetrics() {
		s.line(string(names.Kind), "%d instances of %s; %d calls went to %[2]s-other",
			names.Instances, names.Base, names.OverCap)
	}
}

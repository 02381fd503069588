package resil

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/resilgen/resilgen/runtime/policy"
)

const (
	// defaultMaxInstances is the default of WithMaxInstances.
	defaultMaxInstances = 100_000
	// defaultIdleTimeout is the default of WithIdleTimeout.
	defaultIdleTimeout = time.Hour
)

// naming is how the instances of calls are told apart. It never changes.
type naming struct {
	tenant    func(context.Context) string
	known     func(string) bool // nil: all tenants are
	names     func(context.Context, policy.Kind, string) string
	perTenant []policy.Kind // whose names get a tenant
	all       bool          // all names do, but those of fallbacks
	max       int
	idle      time.Duration
}

func defaultNaming() naming {
	return naming{tenant: TenantFromContext, max: defaultMaxInstances, idle: defaultIdleTimeout}
}

type tenantKey struct{}

// ContextWithTenant returns a context whose calls are made for that tenant.
func ContextWithTenant(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, tenantKey{}, id)
}

// TenantFromContext returns the tenant that [ContextWithTenant] has put into ctx, or "".
func TenantFromContext(ctx context.Context) string {
	id, _ := ctx.Value(tenantKey{}).(string)
	return id
}

// WithTenants sets what tells the tenant of a call, which {tenant} stands for in a name. The default is
// [TenantFromContext]. The function runs for each such name of each call; "" is nobody, whose instances are those of
// "default". An id has 1 to 64 letters, digits, '.', '_' and '-'; with any other one a call goes to the instances of
// "other".
func WithTenants(tenant func(context.Context) string) Option {
	return func(c *construction) {
		if tenant == nil {
			c.errs = append(c.errs, errors.New("resil.WithTenants needs a function, not nil"))
			return
		}
		c.runtime.naming.tenant = tenant
	}
}

// WithKnownTenants sets what says whether there is a tenant of that id; calls of all others go to the instances of
// "other". It is asked when a tenant has no instance yet, so it has to be quick, and not at each call of one that has.
func WithKnownTenants(known func(id string) bool) Option {
	return func(c *construction) { c.runtime.naming.known = known }
}

// PerTenant gives each tenant instances of its own of these policies, or of all where none is given: -{tenant} is
// appended to each name of an annotation that has no {tenant}. Fallbacks decide nothing and are never split up.
func PerTenant(kinds ...policy.Kind) Option {
	return func(c *construction) {
		naming := &c.runtime.naming
		if len(kinds) == 0 {
			naming.all = true
		}
		for _, kind := range kinds {
			if !slices.Contains(c.runtime.splittable(), kind) {
				c.errs = append(c.errs, fmt.Errorf("resil.PerTenant(%q): there are no instances of that kind for each tenant; "+
					"give some of %v", kind, c.runtime.splittable()))
			}
			naming.perTenant = append(naming.perTenant, kind)
		}
	}
}

// WithNames sets a function that may change which instance a call uses. It is given the policy and the base name of
// what the annotation names, such as inventory for inventory-{tenant}, and runs for each of them at each call. Returning
// that name leaves the call where it is. Any other name, of 1 to 64 letters, digits, '.', '_' and '-', is that of the
// instance to be used, which counts against [WithMaxInstances] as that of a tenant does and is configured by the base
// name of the annotation; "" stands for the base name and -default, and what is not valid for the base name and -other.
func WithNames(name func(ctx context.Context, kind policy.Kind, name string) string) Option {
	return func(c *construction) { c.runtime.naming.names = name }
}

// WithMaxInstances bounds how many instances a base name of one policy can have. The default is 100,000. At the bound,
// an old instance that is idle and like a new one makes room; where there is none, further calls go to the instance
// "other". Those of "default" and "other" do not count.
func WithMaxInstances(n int) Option {
	return func(c *construction) {
		if n < 1 {
			c.errs = append(c.errs, fmt.Errorf("resil.WithMaxInstances(%d): a name needs at least 1 instance", n))
			return
		}
		c.runtime.naming.max = n
	}
}

// WithIdleTimeout sets after how long without a call the instance of a tenant, or of another value, is taken out if it
// is like a new one. The default is 1h; within a few seconds of its use none is taken out. A circuit breaker whose
// window counts calls forgets those that are older. There is no goroutine for it: the calls that make a new instance
// look after a few others, so that idle ones stay as long as no new ones come.
func WithIdleTimeout(d time.Duration) Option {
	return func(c *construction) {
		if d <= 0 {
			c.errs = append(c.errs, fmt.Errorf("resil.WithIdleTimeout(%s): the time must be above 0", d))
			return
		}
		c.runtime.naming.idle = d
	}
}

// splits reports whether names of the kind get a tenant.
func (n *naming) splits(kind policy.Kind) bool {
	return n.all && kind != policy.Fallback || slices.Contains(n.perTenant, kind)
}

// kinds returns those of all stores.
func (rt *Runtime) kinds() []policy.Kind {
	var kinds []policy.Kind
	for _, s := range rt.stores() {
		kinds = append(kinds, s.of())
	}
	return kinds
}

// splittable returns the kinds whose names can get a tenant.
func (rt *Runtime) splittable() []policy.Kind {
	return slices.DeleteFunc(rt.kinds(), func(kind policy.Kind) bool { return kind == policy.Fallback })
}

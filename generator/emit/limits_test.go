package emit_test

import (
	"go/types"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
)

const orders = `package orders

import (
	"context"
	"net/http"

	"github.com/resilgen/resilgen/runtime/bulkhead"
)

type Units uint64

type Order struct{ Items []string }

func (o *Order) Units() Units { return 0 }

type Client interface {
	Stock(ctx context.Context, sku string) (int, error)
	Reserve(ctx context.Context, sku string, qty int) error
	Place(ctx context.Context, order *Order) (id string, at int64, err error)
	Cancel(ctx context.Context, ids ...string) (int, error)
	Ship(req *http.Request) (*http.Response, error)
	Weigh(order Order) error
	Peek(int, len Units) (bool, error)
}

func weight(order *Order, qty int) int32 { return 0 }
func exhausted(n int, err error) bool { return false }
func failed(err error) bool { return false }
func full(ctx context.Context, sku string, err *bulkhead.FullError) (int, error) { return 0, nil }
func unknown(ctx context.Context, sku string, err error) (int, error) { return 0, nil }
func cancelNone(ctx context.Context, ids []string, err error) (int, error) { return 0, nil }
func notShipped(req *http.Request, err error) (*http.Response, error) { return nil, err }
`

func pool(name string, options ...plan.Option) *plan.Layer {
	l := layer("bulkhead", name, options...)
	l.Pool = true
	return l
}

// rate returns a layer that takes permits.
func rate(name string, permits plan.Count, options ...plan.Option) *plan.Layer {
	l := layer("ratelimiter", name, options...)
	l.Permits = permits
	return l
}

var one = plan.Count{Const: 1}

func counted(e plan.Expr) plan.Count { return plan.Count{Expr: &e} }

func TestLimits(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/orders", orders)
	integer := types.Typ[types.Int]
	w := f.wrapper("Client")

	protect(w, "Stock", layer("retry", "stock"), marked(layer("circuitbreaker", "stock")),
		marked(rate("stock", one,
			option("limitForPeriod", directive.Value{Int: 100}),
			option("limitRefreshPeriod", directive.Value{Duration: time.Second}),
			option("algorithm", directive.Value{Choice: &directive.Choice{Text: "SMOOTH", Go: "Smooth"}}),
		)),
		layer("timelimiter", "stock"),
		marked(layer("bulkhead", "stock", option("maxConcurrentCalls", directive.Value{Int: 20}),
			option("enabled", directive.Value{Bool: false}))),
	).Unmark = true

	protect(w, "Reserve", rate("reserve", counted(plan.Expr{Text: "{qty}", Args: []plan.Path{{Param: 2}}, Type: integer}),
		option("backend", directive.Value{Items: []directive.Item{{Text: "redis"}}})))

	place := rate("place", counted(plan.Expr{
		Text: "{order.Units()}", Type: f.typ("Units"),
		Args: []plan.Path{{Param: 1, Steps: []plan.Selector{{Name: "Units", Call: true}}}},
	}))
	protect(w, "Place", layer("circuitbreaker", "place"), marked(place), marked(pool("place",
		option("enabled", directive.Value{Bool: true}), option("queueCapacity", directive.Value{Int: 5})))).Unmark = true

	cancel := rate("cancel", counted(plan.Expr{
		Text: "{len(ids)}", Func: types.Universe.Lookup("len"), Args: []plan.Path{{Param: 1}}, Type: integer,
	}))
	cancel.Drain = f.call("exhausted")
	protect(w, "Cancel", layer("circuitbreaker", "cancel"), marked(cancel), pool("cancel")).Unmark = true

	ship := protect(w, "Ship", layer("retry", "ship"), marked(pool("ship")), marked(rate("ship", plan.Count{Const: 3})))
	ship.Context = plan.Context{Steps: []plan.Selector{{Name: "Context", Call: true}}, Rebind: true}
	ship.Unmark = true

	weigh := rate("weigh", counted(plan.Expr{
		Text: "{order.Units()}", Type: f.typ("Units"),
		Args: []plan.Path{{Param: 0, Steps: []plan.Selector{{Name: "Units", Call: true}}}},
	}))
	weigh.Drain = f.call("failed")
	protect(w, "Weigh", weigh, pool("weigh"))

	protect(w, "Peek", rate("peek", counted(plan.Expr{Text: "{len}", Args: []plan.Path{{Param: 1}}, Type: f.typ("Units")})),
		layer("bulkhead", "peek"))
	golden(t, "limits", f, f.file(w))
}

// Fallbacks get the caller's context, also those of a layer inside of one that limits it.
func TestFallbackInsideATimeLimitGetsTheCallersContext(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/orders", orders)
	w := f.wrapper("Client")
	fullError := types.NewPointer(f.foreign("github.com/resilgen/resilgen/runtime/bulkhead", "FullError").Type())

	guarded := marked(layer("bulkhead", "stock"))
	guarded.Fallback = &plan.Fallback{Name: "orders.Client.Stock.bulkhead", Handlers: []*plan.Handler{
		f.handler("full", fullError, f.typed(fullError)),
	}}
	cut := layer("circuitbreaker", "stock")
	cut.Fallback = &plan.Fallback{Name: "orders.Client.Stock.circuitbreaker", Handlers: []*plan.Handler{
		f.handler("unknown", errorType, plan.Match{Any: true}),
	}}
	protect(w, "Stock", layer("timelimiter", "stock"), cut, marked(rate("stock", one)), guarded).Unmark = true

	detached := layer("timelimiter", "cancel")
	detached.Detach = true
	last := layer("circuitbreaker", "cancel")
	last.Fallback = &plan.Fallback{Name: "orders.Client.Cancel.circuitbreaker", Handlers: []*plan.Handler{
		f.handler("cancelNone", errorType, plan.Match{Any: true}),
	}}
	protect(w, "Cancel", layer("retry", "cancel"), detached, pool("cancel"), last)

	shipped := layer("bulkhead", "ship")
	shipped.Fallback = &plan.Fallback{Name: "orders.Client.Ship.bulkhead", Handlers: []*plan.Handler{
		f.handler("notShipped", errorType, plan.Match{Any: true}),
	}}
	ship := protect(w, "Ship", layer("timelimiter", "ship"), shipped)
	ship.Context = plan.Context{Steps: []plan.Selector{{Name: "Context", Call: true}}, Rebind: true}
	golden(t, "caller", f, f.file(w))
}

func TestFunctionOfPermitsIsCalledWithPaths(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/orders", orders)
	w := f.wrapper("Client")
	protect(w, "Place", rate("place", counted(plan.Expr{
		Text: "{weight(order,ctx)}", Func: f.function("weight"), Type: types.Typ[types.Int32],
		Args: []plan.Path{{Param: 1}, {Param: 0, Steps: []plan.Selector{{Name: "Value"}}}},
	})))
	out, err := emit.File(f.file(w))
	require.NoError(t, err)
	require.Contains(t, string(out), ".Acquire(ctx, int(weight(order, ctx.Value)))")
}

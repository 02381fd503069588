package emit_test

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/emit"
	"github.com/resilgen/resilgen/generator/plan"
)

const carrier = `package carrier

import "context"

type Code string

type Place struct {
	Code Code
	In   *Place
	Name *string
}

func (p *Place) Up() *Place { return p.In }

type Shipment struct {
	From, To Place
	Via      *Place
	Weight   int32
}

func (s *Shipment) Last() *Place { return s.Via }

func zoneOf(a, b *Place) *int64 { return nil }

func hash(parts []string) uint64 { return 0 }

type Carrier interface {
	Quote(ctx context.Context, from, to Code, grams int) (price int, err error)
	Ship(ctx context.Context, s *Shipment, code Code) error
	Route(a, b *Place) (string, error)
	Track(ctx context.Context, parts ...string) error
	TrackKey() string
}
`

// path returns an expression that is a path from a parameter.
func path(text string, param int, t types.Type, steps ...plan.Selector) *plan.Expr {
	return &plan.Expr{Text: text, Args: []plan.Path{{Param: param, Steps: steps}}, Type: t}
}

// Steps: from what can't be nil, from what may be, and a call of a method of that.
func field(name string) plan.Selector                   { return plan.Selector{Name: name} }
func fieldIn(name string) plan.Selector                 { return plan.Selector{Name: name, Nilable: true} }
func callIn(name string) plan.Selector                  { return plan.Selector{Name: name, Nilable: true, Call: true} }
func text(e *plan.Expr) plan.Value                      { return plan.Value{Expr: e} }
func number(e *plan.Expr) plan.Value                    { return plan.Value{Expr: e, Form: plan.IntValue} }
func pointed(v plan.Value) plan.Value                   { v.Nilable, v.Deref = true, true; return v }
func configured(l *plan.Layer, name string) *plan.Layer { l.Configuration = name; return l }

// keyed returns the layer with values of the call in its name.
func keyed(l *plan.Layer, values ...plan.Value) *plan.Layer {
	l.Values = values
	return l
}

func TestNamesWithValuesOfTheCall(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/carrier", carrier)
	w := f.wrapper("Carrier")
	code, str, integer := f.typ("Code"), types.Typ[types.String], types.Typ[types.Int]

	from, to := text(path("{from}", 1, code)), text(path("{to}", 2, code))
	protect(w, "Quote",
		keyed(layer("retry", "quote-{from}"), from),
		keyed(marked(configured(layer("circuitbreaker", "quote-{from}-{to}-{grams}"), "quote-{from}")),
			from, to, number(path("{grams}", 3, integer))),
		keyed(marked(rate("quote-{from}-{to}", one)), from, to),
		layer("timelimiter", "quote-{tenant}"),
	).Unmark = true

	to = text(path("{s.To.Code}", 1, code, fieldIn("To"), field("Code")))
	last := text(path("{s.Last().In.Code}", 1, code, callIn("Last"), fieldIn("In"), fieldIn("Code")))
	name := pointed(text(path("{s.Last().Up().Name}", 1, types.NewPointer(str), callIn("Last"), callIn("Up"), fieldIn("Name"))))
	protect(w, "Ship",
		keyed(layer("retry", "ship-{s.To.Code}"), to),
		keyed(marked(layer("circuitbreaker", "ship-{s.To.Code}")), to),
		keyed(marked(rate("ship-{s.Last().In.Code}-{code}", counted(*path("{s.Weight}", 1, types.Typ[types.Int32], field("Weight"))))),
			last, text(path("{code}", 2, code))),
		keyed(marked(pool("ship-{s.Last().Up().Name}")), name),
	).Unmark = true

	zone := pointed(number(&plan.Expr{
		Text: "{zoneOf(a, b.In)}", Func: f.function("zoneOf"), Type: types.NewPointer(types.Typ[types.Int64]),
		Args: []plan.Path{{Param: 0}, {Param: 1, Steps: []plan.Selector{fieldIn("In")}}},
	}))
	protect(w, "Route",
		keyed(layer("retry", "route-{zoneOf(a, b.In)}"), zone),
		keyed(layer("bulkhead", "route-{zoneOf(a, b.In)}"), zone),
	).Ordered = true

	hash := number(&plan.Expr{
		Text: "{hash(parts)}", Func: f.function("hash"), Type: types.Typ[types.Uint64], Args: []plan.Path{{Param: 1}},
	})
	protect(w, "Track", keyed(layer("timelimiter", "track-{hash(parts)}"), hash))
	golden(t, "templates", f, f.file(w))
}

func TestVariablesOfAKeysMethodGiveWayToItsParameters(t *testing.T) {
	t.Parallel()
	f := load(t, "example.com/carrier", carrier)
	w := f.wrapper("Carrier")
	code := f.typ("Code")
	protect(w, "Ship", keyed(layer("circuitbreaker", "ship"),
		text(path("{s.Via.Code}", 1, code, fieldIn("Via"), fieldIn("Code"))), text(path("{code}", 2, code))))
	out, err := emit.File(f.file(w))
	require.NoError(t, err)
	require.Contains(t, string(out), "\tvar value resil.Value\n\tif s != nil && s.Via != nil {\n"+
		"\t\tvalue = resil.Text(s.Via.Code)\n\t}\n\treturn resil.KeyOf(value, resil.Text(code))\n")
}

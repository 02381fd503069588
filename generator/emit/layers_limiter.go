package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// limiterLayer writes a call that takes permits first.
func (m *method) limiterLayer(i int) []jen.Code {
	l := m.layers[i]
	instance := m.instanceOf(l)
	var code []jen.Code
	if l.plan.Drain != nil {
		code, instance = append(code, jen.Id(m.rates).Op(":=").Id(instance)), m.rates
	}
	acquire := jen.Id(instance).Dot("Acquire").Call(jen.Id(m.context()), jen.Id(m.permits(l.plan.Permits)))
	if m.layerTakes(i).at {
		acquire = jen.Id(instance).Dot("AcquireAt").
			Call(jen.Id(m.context()), jen.Id(m.at), jen.Id(m.permits(l.plan.Permits)))
	}
	assign := ":=" // the error is no named result
	if len(m.results) > 1 {
		assign = "="
	}
	code = append(code, jen.If(
		jen.Id(m.err).Op(assign).Add(acquire), jen.Id(m.err).Op("!=").Nil(),
	).Block(m.refuse(l)...))
	if l.plan.Drain == nil {
		return append(code, jen.Return(jen.Id(m.inner(i+1))))
	}
	drains := m.callUser(l.plan.Drain, nil, []string{m.unmarkedFrom(i + 1)})
	return append(code,
		m.assign(assign, m.inner(i+1)),
		jen.If(jen.Id(drains)).Block(jen.Id(m.rates).Dot("Drain").Call()),
		m.returns(m.err),
	)
}

// permits returns the number of permits that a call takes.
func (m *method) permits(c plan.Count) string {
	if c.Expr == nil {
		return strconv.FormatInt(c.Const, 10)
	}
	n := m.expr(c.Expr)
	if types.Identical(c.Expr.Type, types.Typ[types.Int]) {
		return n
	}
	return m.body.local("int") + "(" + n + ")"
}

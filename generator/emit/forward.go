package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// A forward is an interface that the wrapper implements beside its own, while it is written.
type forward struct {
	plan    *plan.Forward
	typ     string // the interface
	field   string // that holds what is wrapped as this interface
	methods []*method
}

// collectForwards names the fields of the forwarded interfaces and makes their methods. It reserves their names in taken.
func (w *wrapper) collectForwards(taken *scope) error {
	for _, p := range w.plan.Forwards {
		stem := lowerFirst(p.Interface.Name())
		f := &forward{plan: p, typ: w.outside.object(p.Interface), field: w.members.name(stem, stem+"Next")}
		for _, method := range p.Methods {
			m, err := newMethod(w, method)
			if err != nil {
				return err
			}
			m.next, m.forward = f.field, f
			f.methods = append(f.methods, m)
			for name := range m.scope.taken {
				taken.reserve(name)
			}
		}
		w.forwards = append(w.forwards, f)
	}
	return nil
}

// allMethods returns the wrapper's methods, the forwarded ones last.
func (w *wrapper) allMethods() []*method {
	all := w.methods[:len(w.methods):len(w.methods)]
	for _, f := range w.forwards {
		all = append(all, f.methods...)
	}
	return all
}

// askFor writes that the constructor asks next for the interface, and fails where it has it not.
func (f *forward) askFor(body *printer, next, held, ok string, label jen.Code) []jen.Code {
	typ := body.object(f.plan.Interface)
	return []jen.Code{
		jen.List(jen.Id(held), jen.Id(ok)).Op(":=").Id(next).Assert(jen.Id(typ)),
		jen.If(jen.Op("!").Id(ok)).Block(
			jen.Return(jen.Nil(), jen.Id(body.runtime("resil", "NotForwarded")).
				Call(label, jen.Lit(types.TypeString(f.plan.Interface.Type(), (*types.Package).Name)), jen.Id(next))),
		),
	}
}

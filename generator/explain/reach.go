package explain

import (
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
	"github.com/resilgen/resilgen/generator/source"
)

// reach tells which methods the directives of an interface reach, and why they pass through the others.
func (m *maker) reach(in *source.Interface, wrapper *plan.Wrapper) []Directive {
	list := []Directive{}
	for _, d := range in.Directives {
		if d.Spec.On&directive.OnMethod == 0 {
			continue // it is about the wrapper as a whole
		}
		told := Directive{Name: d.Spec.Name, Position: m.position(d.Pos), Reaches: []string{}, Passes: []Passed{}}
		for i, method := range in.Methods {
			if reason := m.passes(d, method, wrapper.Methods[i]); reason != "" {
				told.Passes = append(told.Passes, Passed{method.Func.Name(), reason})
			} else {
				told.Reaches = append(told.Reaches, method.Func.Name())
			}
		}
		list = append(list, told)
	}
	return list
}

// passes returns why a directive of the interface does not reach a method; "" where it does.
func (m *maker) passes(d *directive.Directive, in *source.Method, method *plan.Method) string {
	kind := d.Spec.Name
	own, skip := directive.First(in.Directives, kind), directive.First(in.Directives, "skip")
	protected := len(method.Chain) > 0 || method.Fallback != nil
	switch {
	case !in.ReturnsError():
		return "its last result is not error"
	case own != nil:
		return "it has its own " + kind + " at " + m.position(own.Pos)
	case kind == "order":
		listed := func(layer *plan.Layer) bool {
			return slices.ContainsFunc(d.Arg("kinds").Value.Items, func(item directive.Item) bool {
				return item.Text == layer.Spec.Name
			})
		}
		if !slices.ContainsFunc(method.Chain, listed) {
			return "it has none of the policies listed"
		}
	case kind == "ctx" && !protected:
		return "it has no policy"
	case kind == "ctx" && method.Context.Param < 0:
		return "it has no such parameter"
	case kind == "ctx" && len(method.Context.Steps) == 0:
		return "a parameter is its context"
	case kind == "ctx":
	case skip != nil && skips(skip, kind):
		return "it skips it at " + m.position(skip.Pos)
	}
	return ""
}

func skips(skip *directive.Directive, kind string) bool {
	kinds := skip.Arg("kinds")
	return kinds == nil || slices.ContainsFunc(kinds.Value.Items, func(item directive.Item) bool { return item.Text == kind })
}

// directiveOf returns the directive that gives a method a layer: its own before that of the interface, and that before
// the one of the embedded interface that the method comes from.
func directiveOf(in *source.Interface, method *source.Method, kind string) *directive.Directive {
	for _, list := range [][]*directive.Directive{method.Directives, in.Directives, method.Inherited} {
		if d := directive.First(list, kind); d != nil {
			return d
		}
	}
	return nil
}

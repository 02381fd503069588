package emit

import "github.com/resilgen/resilgen/generator/plan"

// expr returns an expression of a directive.
func (m *method) expr(e *plan.Expr) string {
	args := make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = follow(m.params[arg.Param], arg.Steps)
	}
	if e.Func == nil {
		return args[0]
	}
	return m.body.object(e.Func) + "(" + list(args, false) + ")"
}

// follow returns the value at the end of a path from the root.
func follow(root string, steps []plan.Selector) string {
	for _, step := range steps {
		root += "." + step.Name
		if step.Call {
			root += "()"
		}
	}
	return root
}

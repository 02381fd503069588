package source

import "go/types"

// reportNoInterface reports the directives of a type that is not an interface of its own, and reports whether it is
// none.
func (c *checked) reportNoInterface(d declared, obj *types.TypeName, first mark) bool {
	if obj == nil {
		return false // it is declared twice: a type error
	}
	reason := " stands on type " + obj.Name() + ", which is not an interface; " + putIt
	switch underlying := obj.Type().Underlying().(type) {
	case *types.Interface:
		if !obj.IsAlias() {
			return false
		}
		reason = " stands on " + obj.Name() + ", which is an alias; put it on the interface that it is an alias of"
		if isInterface(d.spec) {
			reason = " stands on " + obj.Name() + ", which is an alias; declare it without the equals sign"
		}
	case *types.Basic:
		if underlying.Kind() == types.Invalid {
			return false
		}
	}
	marks := c.marks[d.doc()]
	if len(marks) == 0 {
		marks = []mark{first}
	}
	for _, m := range marks {
		if !m.spelled() {
			continue
		}
		c.problems.Errorf(m.comment.Pos(), m.comment.End(), "%s%s", m.word(), reason)
	}
	return true
}

// reportUnfit reports an interface that no wrapper can be written for, and reports whether it is one.
func (c *checked) reportUnfit(d declared, obj *types.TypeName) bool {
	literal := obj.Type().Underlying().(*types.Interface)
	at := spanOf(d.spec.Name)
	switch {
	case obj.Name() == "_":
		c.problems.Errorf(at.pos, at.end, "an interface without a name cannot be wrapped; name it")
		return true
	case !literal.IsMethodSet():
		c.problems.Errorf(at.pos, at.end,
			"%s is a constraint interface, which no variable can have as its type; only an interface of methods can be wrapped",
			obj.Name())
		return true
	case literal.NumMethods() == 0:
		c.problems.Errorf(at.pos, at.end, "interface %s has no methods, so there is nothing to wrap; remove its directives",
			obj.Name())
		return true
	}
	for fn := range literal.Methods() {
		if !fn.Exported() && fn.Pkg() != c.pkg {
			c.problems.Errorf(at.pos, at.end, "interface %s has the unexported method %s of package %s, which no type of "+
				"another package can implement; embed only the methods that you use", obj.Name(), fn.Name(), fn.Pkg().Path())
			return true
		}
	}
	return false
}

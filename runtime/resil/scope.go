package resil

import "fmt"

// Scope returns a view of the runtime for one of several clients of the same interface. In constructors that are given
// it, {scope} in a name is that scope, and a name without {scope} ends in it: inventory in the scope eu is
// inventory-eu. So do the names that the view's own methods and registries are given. Settings of the base name,
// inventory, hold in all scopes.
//
// All else is that of the runtime: a view has the same options, listeners and instances, and closing it closes the
// runtime. A scope within a scope has both names, joined by '-'; the scope "" is the runtime itself. A scope is named
// like a tenant, by at most 64 letters, digits, '.', '_' and '-'; constructors that are given a view with any other name
// fail.
func (rt *Runtime) Scope(name string) *Runtime {
	switch {
	case name == "":
		return rt
	case rt.scope != "":
		name = rt.scope + "-" + name
	}
	return &Runtime{core: rt.core, scope: name}
}

// scopeError says what is wrong with the scope's name.
func (rt *Runtime) scopeError() error {
	if rt.scope == "" || valid(rt.scope) {
		return nil
	}
	return fmt.Errorf("resil: the scope %q is not valid; name it by at most %d letters, digits, '.', '_' and '-'",
		rt.scope, longestValue)
}

// scoped returns what a constant name is in the scope.
func scoped(name, scope string) string {
	if scope == "" || name == "" {
		return name
	}
	return name + "-" + scope
}

package resil

import (
	"context"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A router finds the instance of a call where the name is not constant. It is never changed.
type router[T any] struct {
	single  *values[T] // values, if there is one value and no renamer; else nil
	index   int        // of the one value in the Key, or tenantIndex
	tenant  func(context.Context) string
	kind    policy.Kind
	values  *values[T] // nil where the name has none
	renamer func(context.Context, policy.Kind, string) string
	renamed *values[T] // nil without renamer
	named   *slot[T]   // of a name without values
}

// values are the instances of a template.
type values[T any] struct {
	table[T]
	group   *group
	missing missing[T]
}

// missing makes the instance of values which the table does not have.
type missing[T any] interface {
	resolve([maxValues]Value) *T
}

// route returns the instance of a call. It allocates nothing and takes no lock where that is in the table.
func (r *router[T]) route(ctx context.Context, key *Key) *T {
	switch {
	case r.single == nil:
		return r.routeAny(ctx, key)
	case r.index != tenantIndex:
		return r.single.one(&key.values[r.index])
	}
	id := Text(r.tenant(ctx))
	return r.single.one(&id)
}

// routeAny is route for names of all kinds.
func (r *router[T]) routeAny(ctx context.Context, key *Key) *T {
	if r.renamed != nil {
		base := r.renamed.group.base
		if name := r.renamer(ctx, r.kind, base); name != base {
			return r.renamed.rename(name)
		}
		if r.values == nil {
			return r.named.load()
		}
	}
	v := r.values
	var values [maxValues]Value
	origins := v.template.values
	for i := range origins {
		if index := origins[i].index; index != tenantIndex {
			values[i] = key.values[index]
		} else {
			values[i] = Text(r.tenant(ctx))
		}
	}
	return v.get(&values)
}

// rename returns the instance of a name that a function has made.
func (v *values[T]) rename(name string) *T {
	if name == "" {
		v.group.defaulted.Add(1)
		name = v.group.defaultName
	}
	value := Text(name)
	return v.one(&value)
}

// one returns the instance of the one value that the names have.
func (v *values[T]) one(value *Value) *T {
	if value.kind == textual {
		if n := v.only(value.text); n != nil && n.use(v.epoch.Load()) {
			return n.instance.load()
		}
	}
	return v.get(&[maxValues]Value{*value})
}

// get returns the instance of the values.
func (v *values[T]) get(values *[maxValues]Value) *T {
	for i := range v.template.values {
		if values[i].kind == absent {
			v.group.defaulted.Add(1)
		}
	}
	if p := v.find(values); p != nil {
		return p
	}
	return v.missing.resolve(*values)
}

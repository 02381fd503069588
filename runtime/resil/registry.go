package resil

import (
	"iter"
	"maps"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Registry is a view of the instances that a [Runtime] has of one policy: T is the policy's type, such as
// breaker.Breaker, and O its option. It is a small value, which [Runtime.Breakers] and its siblings return; all views of
// one runtime show the same instances. Its methods may be called by several goroutines at once, also by a listener.
//
// Wrappers find their instances by themselves. A Registry is for those who use policies by hand, and for operations:
//
//	db, err := rt.Breakers().GetOrCreate("orders-db", breaker.WithFailureRateThreshold(20))
type Registry[T, O any] struct {
	members       members[T, O]
	scope         string // what the names end in
	configuration string
	tags          map[string]string
}

// members is the store behind a Registry, without the policy's Config.
type members[T, O any] interface {
	find(name string) (*T, bool)
	all() iter.Seq[*T]
	getOrCreate(wish, []O) (*T, error)
	remove(name string) bool
	replace(name string, with *T, place string) (*T, error)
	tags(name string) map[string]string
	subscribe(receive func(policy.Event)) (unsubscribe func())
}

// optioned is a store with its policy's option.
type optioned[T, C any, O ~func(*C)] struct{ *store[T, C] }

func (o optioned[T, C, O]) getOrCreate(w wish, opts []O) (*T, error) {
	return o.obtain(w, functions[C](opts))
}

func registryOf[O ~func(*C), T, C any](s *store[T, C], scope string) Registry[T, O] {
	return Registry[T, O]{members: optioned[T, C, O]{s}, scope: scope}
}

// Configuration returns a view of r whose GetOrCreate names that configuration, as configuration= does in an annotation.
func (r Registry[T, O]) Configuration(name string) Registry[T, O] {
	r.configuration = name
	return r
}

// Tagged returns a view of r whose GetOrCreate gives the instance these tags, beside those that r gives it already.
func (r Registry[T, O]) Tagged(tags map[string]string) Registry[T, O] {
	merged := make(map[string]string, len(r.tags)+len(tags))
	maps.Copy(merged, r.tags)
	maps.Copy(merged, tags)
	r.tags = merged
	return r
}

// Find returns the instance of that name and whether there is one.
func (r Registry[T, O]) Find(name string) (*T, bool) { return r.members.find(scoped(name, r.scope)) }

// GetOrCreate returns the instance of that name, and makes it if there is none. Options, configuration and tags count as
// those of one more annotation do. Of a living instance they may say what is in force, or leave it unsaid; what nobody
// has said yet reaches it; anything else is an error that names the key, both values and who says so. So is an unknown
// configuration, or a setting that is not valid, and nothing is made or changed then. Code options of [New] for that name
// win over everything, documents over what is said here, and the settings of an instance that came by
// [Registry.Replace] are all said.
//
// Of several goroutines that ask for one name at the same time, all get the same instance. A closed runtime gives
// [ErrClosed]. Options are compared each time, which takes microseconds; to ask by the name alone is cheap. Whoever keeps
// the instance keeps it also when its name gets another one.
func (r Registry[T, O]) GetOrCreate(name string, opts ...O) (*T, error) {
	return r.members.getOrCreate(wish{
		name: scoped(name, r.scope), base: r.base(name), configuration: r.configuration, tags: r.tags, place: caller(),
	}, opts)
}

// Remove takes out and closes the instance of that name, and reports whether there was one. Calls that wait inside it
// return [ErrClosed]; others finish.
//
// What [Registry.GetOrCreate] said about it is forgotten; annotations and code options are not. When the name gets an
// instance again, by GetOrCreate or by a constructor, wrappers that are bound already use that one. Until then they use
// the closed one, which judges calls, never waits, and publishes nothing to those who listen to the runtime. Of a name
// with values, the next call with these values makes an instance again.
func (r Registry[T, O]) Remove(name string) bool { return r.members.remove(scoped(name, r.scope)) }

// Replace puts an instance that was made by hand in the place of the one of that name, closes that one and returns it,
// so that its metrics can be looked at. Calls that wait inside it return [ErrClosed]; others finish there. The new one
// must have the same name, and belongs to the runtime from now on.
//
// Who goes by the name follows: wrappers that are bound use the new instance from their next call on, those who listen to
// the runtime hear of it, and the tags are the name's. Its settings stay as they were made, whatever annotations say; in
// the runtime of [Passthrough] it is switched off. To change settings alone, use the instance's Reconfigure.
//
// Where there is no instance of that name the error is [ErrNotFound], and from a closed runtime [ErrClosed]; instance is
// the caller's then. An instance in its own place changes nothing.
func (r Registry[T, O]) Replace(name string, instance *T) (old *T, err error) {
	return r.members.replace(scoped(name, r.scope), instance, caller())
}

// All iterates over the instances in the order of their names. One that is made during the iteration is not among them.
func (r Registry[T, O]) All() iter.Seq[*T] { return r.members.all() }

// Tags returns the tags of the instance of that name: those of [WithTags], and its own, which win. It is nil where there
// is no instance, and the caller's to change.
func (r Registry[T, O]) Tags(name string) map[string]string {
	return r.members.tags(scoped(name, r.scope))
}

// Subscribe is [Runtime.SubscribeEntries] for the entries of this policy.
func (r Registry[T, O]) Subscribe(receive func(policy.Event)) (unsubscribe func()) {
	return r.members.subscribe(receive)
}

// base returns the base name of a name in the scope, where it is another one.
func (r Registry[T, O]) base(name string) string {
	if r.scope == "" {
		return ""
	}
	return name
}

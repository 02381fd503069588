// Package resil is what generated constructors are given: a [Runtime], which holds the instances of the policies by
// their names, says how they are configured, publishes their events and closes them.
//
//	rt, err := resil.New(
//		resil.WithBreakerConfig("default", breaker.WithSlidingWindowSize(50)),
//		resil.WithRetry("inventory", retry.WithMaxAttempts(5)),
//	)
//	...
//	defer rt.Close()
//	client, err := inventory.NewResilientClient(httpClient, rt)
//
// # Names
//
// One name of one policy is one instance, with one state: methods and wrappers that name it share it. A name that an
// annotation does not write out is package.Interface.Method and belongs to the package's import path; where packages of
// two import paths come to the same default, the second constructor fails.
//
// # Settings
//
// A setting is taken from the strongest layer that has it. From the weakest to the strongest:
//
//	built-in < configuration "default" < named configuration < annotation < code
//
// Built-in is DefaultConfig of the policy's package. Configurations come from [WithBreakerConfig] and its siblings; an
// annotation names one by configuration=. Those of bulkheads with a pool are not those of other bulkheads. Code is
// [WithBreaker] and its siblings. A list, a function or a rule replaces that of a weaker layer as a whole.
//
// The annotations of all wrappers that share an instance are one layer. They are merged key by key: a key that several
// of them set must have the same value, and that of configuration= too; otherwise the later constructor fails with an
// error that names both wrappers. Functions are the same when their code is, error rules when their texts are. What a
// later wrapper adds reaches the living instance. A constructor that fails changes nothing.
//
// In Resilience4j a configuration of a circuit breaker does not start from "default" while those of the other policies
// do, an unknown name silently means "default", and settings that come second for a name are ignored. Here all policies
// follow the one rule above, and the other two are errors.
//
// # Registries
//
// Programs that use policies by hand, and operations, reach the instances of a policy through its [Registry]:
// [Runtime.Breakers], [Runtime.Retries], [Runtime.Limiters], [Runtime.TimeLimiters], [Runtime.Bulkheads],
// [Runtime.PoolBulkheads] (bulkheads with a pool are a kind of their own) and [Runtime.Fallbacks]. What
// [Registry.GetOrCreate] is told counts as one more annotation would. Whoever goes by a name follows it: when an instance
// is replaced, or removed and made again, wrappers that are bound use the new one, and those who listen to the runtime
// hear of it.
//
// Rules of Resilience4j's registries that are other ones here:
//
//	                             Resilience4j                      here
//	existing name, other         ignored                           an error that names the key, both values and who
//	settings or tags                                               says so; what nobody has said yet is added
//	unknown configuration of     ignored                           an error
//	an existing name
//	remove, replace              the old one keeps its timers      it is closed, and those who wait are woken
//	                             and threads
//	replace of a missing name    does nothing                      ErrNotFound
//	replace                      observers keep the old one        they follow the name (resilience4j issue 1116)
//	a consumer of entry events   makes the creation fail           is recovered and logged; the change stands
//	throws
//	event consumers              can't be taken off again (1107)   unsubscribe
//
// # Backends
//
// A rate limiter decides in this process unless its settings name a backend, which [WithLimiterBackend] has registered.
//
// # Generated code
//
// [Bind], [Binder], [Ref], [NilNext], [WrappedTwice] and [GeneratedV1] serve generated code; programs have no need of
// them. A call through a wrapper loads a pointer for each layer and does not touch the runtime.
package resil

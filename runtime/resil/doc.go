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
// # Names with values
//
// A name in an annotation may have values of the call in braces, as in inventory-{tenant} or stock.{sku}-{qty}. Each
// combination of values has an instance of its own, which the first call makes; at a later one, to find it allocates
// nothing and takes no lock. The template and the values are what tells instances apart. The text that they come to is
// but shown: where two templates come to the same text, or a name by hand does, these are different instances, and to
// look for the text finds the first.
//
// The base name is the template without what stands in braces, and without one separator at each place: inventory, and
// stock. Settings, metrics and bounds go by it. Settings of one instance go by its text.
//
// A value has 1 to 64 letters, digits, '.', '_' and '-'. One that is absent reads "default", also that of an empty text;
// one that is not valid, or for which there is no room, reads "other". So whoever sends hostile values shares an instance
// with others who do, and nobody else. [Runtime.NameMetrics] counts both.
//
// The tenant is what [ContextWithTenant] has put into the call's context, or what [WithTenants] makes of it.
// [WithKnownTenants] says who is one, [PerTenant] gives each tenant instances of its own where annotations do not speak
// of tenants, and [WithNames] may send a call to any other instance. [Runtime.Scope] keeps apart two clients of one
// interface.
//
// [WithMaxInstances] bounds how many instances a base name has. Idle ones go ([WithIdleTimeout]), but only those that are
// like new ones, so that nothing is lost: no call waits or is under way in a bulkhead, the circuit breaker is CLOSED and
// its window empty or too old, the rate limiter is full, and nobody has subscribed to the instance itself. What goes are
// counters. A circuit breaker does not know of calls that are under way while it is CLOSED: the outcome of one that takes
// longer than its breaker stays idle may count for nothing.
//
// # Settings
//
// A setting is taken from the strongest layer that has it. From the weakest to the strongest:
//
//	built-in
//	< configuration "default": of code, of documents
//	< named configuration: of code, of documents
//	< annotation
//	< document: instance by its base name, as inventory
//	< document: instance by its name, as inventory-acme
//	< document: instance of a tenant, by either name
//	< environment
//	< code: by the base name, by the name
//
// Built-in is DefaultConfig of the policy's package. Configurations of code are those of [WithBreakerConfig] and its
// siblings; an annotation names one by configuration=. Those of bulkheads with a pool are not those of other bulkheads.
// Code is [WithBreaker] and its siblings. A list, a function or a rule replaces that of a weaker layer as a whole.
//
// Documents are what [Source]s say, such as a file: operators change with it what the program does, without a new build.
// A section with a baseConfig stands for that configuration, with its own baseConfig, and then for what it says itself;
// so an instance with baseConfig: default, in words, has what "default" says above its annotations. Where several
// sources speak of one name, the later source wins, setting by setting.
//
// Document and annotation may differ: the document wins without a word. Instances that a document names exist from the
// start; one that no wrapper has bound and nobody has looked up a minute later is reported in the log, with the name
// that was probably meant.
//
// # Operation
//
// Settings of instances that live can be changed: by [Runtime.Apply], and by a source that changes, such as a watched
// file. Instances keep their state, as far as Reconfigure of their policy says so; and what is not valid changes
// nothing at all. There are some keys of documents for operation alone:
//
//	enabled: false               switches an instance off, or, at the top, all of them, whatever other layers say
//	forceState                   puts a circuit breaker into FORCED_OPEN, DISABLED or METRICS_ONLY, and resets it to
//	                             CLOSED when it is taken out. Who transitions it by hand meanwhile does that until the
//	                             settings change the next time. CLOSED says that an instance is an exception.
//	registerHealthIndicator,     see [Runtime.Health]
//	allowHealthIndicatorToFail
//	eventConsumerBufferSize      see [Runtime.RecentEvents]; without it no events are kept, and none are built
//
// The order of layers around a method is generated code. A document can say another one, which is for the generator:
// the constructor then fails until the code is generated again, and a document that changes the order under a living
// runtime is not valid.
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
// [Bind], [Binder], [Ref], [Keyed], [Key], [NilNext], [WrappedTwice] and [GeneratedV1] serve generated code; programs
// have no need of them. A call through a wrapper loads a pointer for each layer, or finds it by the name's values, and
// does not touch the runtime.
package resil

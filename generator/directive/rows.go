package directive

// Table holds every directive that there is. The policies come first, in the order of the default chain from the
// outside in.
var Table = []Spec{
	fallbackSpec,
	retrySpec,
	circuitBreakerSpec,
	rateLimiterSpec,
	timeLimiterSpec,
	bulkheadSpec,
	orderSpec,
	skipSpec,
	ctxSpec,
	wrapperSpec,
}

// Lookup returns the row of the directive with that name, or nil.
func Lookup(name string) *Spec {
	for i := range Table {
		if Table[i].Name == name {
			return &Table[i]
		}
	}
	return nil
}

// common returns the keys that every policy has, with own behind them.
func common(own ...Key) []Key {
	return append([]Key{
		{
			Name: "name",
			Type: Template,
			Doc: "The name of the instance. Methods with the same name share one instance. Without it the instance is " +
				"the method's own and is named package.Interface.Method, as in inventory.Client.Stock. What stands in braces " +
				"has its value at each call, and each value an instance of its own: {tenant}, {sku}, {req.Region()}, " +
				"{regionOf(req)} and more, see Names with values. At most 128 bytes; {{ stands for a brace.",
		},
		{
			Name: "configuration",
			Type: Template,
			Doc: "The named configuration that the instance starts from. Keys written in the comment are stronger than " +
				"the configuration's. It may have what the name has in braces; a value that comes to a configuration which " +
				"there is not starts from the default one.",
		},
		{
			Name: "enabled", Type: Bool, Default: "true", Option: "WithEnabled",
			Doc: "Whether the policy is switched on. With false, calls pass untouched and uncounted.",
		},
		{
			Name: "fallback",
			Type: Functions,
			Func: "func(params..., err error) (results..., error)",
			Doc: "The functions that answer when a call has failed. Each is tried for the errors that its error " +
				"parameter names, concrete types before interfaces, and error last. They run once, around the whole " +
				"chain, after the retries.",
		},
		{
			Name: "fallbackAt",
			Type: Enum,
			Doc: "Where the functions of fallback run. With layer they run around this policy alone, as Spring's " +
				"fallbackMethod does: policies further out then see the answer and not the failure. Without it they run " +
				"around the whole chain.",
			Choices: []Choice{{Text: "layer"}},
		},
	}, own...)
}

// foreignToAll are keys that Resilience4j has on several policies, with more behind them.
func foreignToAll(more ...Foreign) []Foreign {
	return append([]Foreign{
		{Name: "fallbackMethod", Use: "fallback"},
		{Name: "fallbackFunc", Use: "fallback"},
		{Name: "config", Use: "configuration"},
		{Name: "baseConfig", Use: "configuration"},
		{Name: "configName", Use: "configuration"},
		{Name: "writableStackTraceEnabled", Note: "it has no meaning in Go"},
		{Name: "eventConsumerBufferSize", Note: "events are not buffered; subscribe to the instance instead"},
		{Name: "registerHealthIndicator", Note: "health is read from the runtime"},
		{Name: "allowHealthIndicatorToFail", Note: "health is read from the runtime"},
	}, more...)
}

var fallbackSpec = Spec{
	Name: "fallback",
	On:   OnInterface | OnMethod,
	Doc: "Answers errors that are left after the whole chain. It may be repeated; the functions are joined, in the " +
		"order written, with those of the policies' fallback keys.",
	Repeat:    true,
	Package:   "fallback",
	Elsewhere: []string{"fallbackMethod", "fallbacks"},
	Keys: []Key{
		{
			Name:     "use",
			Type:     Functions,
			Required: true,
			Func:     "func(params..., err error) (results..., error)",
			Doc: "The functions that answer: of this package, of another one (import/path.Name), or methods of the type " +
				"named by //resil:wrapper fallbacks=. A function takes the method's parameters and an error, or the error " +
				"alone, or the parameters alone, and returns the method's results.",
		},
		{
			Name: "on",
			Type: Errors,
			Doc: "The errors that are answered: error types, variables or constants, or func(error) bool. Without it the " +
				"error parameter of each function says so.",
		},
	},
	Foreign: []Foreign{
		{Name: "fallbackMethod", Use: "use"},
		{Name: "method", Use: "use"},
		{Name: "fallback", Use: "use"},
		{Name: "errors", Use: "on"},
		{Name: "exceptions", Use: "on"},
		{Name: "name", Note: "fallbacks have no name; they are counted under the method's"},
	},
}

var orderSpec = Spec{
	Name: "order",
	On:   OnInterface | OnMethod,
	Doc: "Sets the chain of policies from the outside in, as in //resil:order retry,circuitbreaker,timelimiter. Without " +
		"it the chain is retry, circuitbreaker, ratelimiter, timelimiter, bulkhead. Fallbacks stay around the whole chain.",
	Keys: []Key{{
		Name:     "kinds",
		Type:     Kinds,
		Bare:     true,
		Required: true,
		Doc:      "The policies from the outside in.",
		Choices: []Choice{
			{Text: "retry"}, {Text: "circuitbreaker"}, {Text: "ratelimiter"}, {Text: "timelimiter"}, {Text: "bulkhead"},
		},
	}},
}

var skipSpec = Spec{
	Name: "skip",
	On:   OnMethod,
	Doc: "Keeps the interface's directives from this method: all of them, or the kinds that are listed, as in " +
		"//resil:skip retry,fallback.",
	Elsewhere: []string{"off", "ignore", "none"},
	Keys: []Key{{
		Name: "kinds",
		Type: Kinds,
		Bare: true,
		Doc:  "The kinds that the method does not take from the interface; without any, all.",
		Choices: []Choice{
			{Text: "fallback"}, {Text: "retry"}, {Text: "circuitbreaker"}, {Text: "ratelimiter"}, {Text: "timelimiter"},
			{Text: "bulkhead"},
		},
	}},
}

var ctxSpec = Spec{
	Name: "ctx",
	On:   OnInterface | OnMethod,
	Doc: "Says where the context of a call is when no parameter is a context.Context, as in //resil:ctx {req.Context()}. " +
		"Without any context a call can't be cancelled or limited in time.",
	Elsewhere: []string{"context"},
	Keys: []Key{{
		Name:     "path",
		Type:     Path,
		Bare:     true,
		Required: true,
		Doc:      "The path from a parameter, by its name or its number from 0, to the context: {req.Context()}.",
	}},
}

var wrapperSpec = Spec{
	Name: "wrapper",
	On:   OnInterface,
	Doc:  "Settings of the generated type as a whole.",
	Keys: []Key{
		{
			Name: "name", Type: Identifier,
			Doc: "The name of the generated type. Without it, Resilient and the interface's name: ResilientClient.",
		},
		{
			Name: "constructor", Type: Identifier,
			Doc: "The name of the generated constructor. Without it, New and the name of the type: NewResilientClient.",
		},
		{
			Name: "fallbacks", Type: TypeName,
			Doc: "A type whose methods serve as fallbacks. The constructor then takes a value of it.",
		},
		{
			Name: "expected", Type: Errors,
			Doc: "Errors that are answers, as ErrNotFound may be: every policy counts them as successes and they are not " +
				"retried.",
		},
		{
			Name: "out", Type: Directory,
			Doc: "The directory that <source>_resil.go is written to, relative to that of the source and in the same module: " +
				"the wrapper belongs to the package there. Without it, the directory of the source.",
		},
		{
			Name: "forward", Type: TypeNames,
			Doc: "Interfaces that the wrapper implements beside its own, such as net/http.Flusher: their methods go to the " +
				"wrapped value as they are. The constructor fails if that does not implement them. Without it a wrapper " +
				"hides what the wrapped value can do beyond its interface.",
		},
	},
	Foreign: []Foreign{
		{Name: "type", Use: "name"},
		{Name: "fallback", Use: "fallbacks"},
		{Name: "ignoreErrors", Use: "expected"},
		{Name: "expectedErrors", Use: "expected"},
	},
}

package config

import (
	"slices"
	"strings"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Type is the type of a key's value.
type Type int

// The types of values. Each may also be written as a string.
const (
	Bool      Type = iota // true or false, also on, off, yes, no
	Int                   // a whole number
	Float                 // a number
	Duration              // 50s, 10ms, 1m30s, PT10S, or a number of milliseconds
	Enum                  // one of Key.Choices, in any case
	Text                  // a name
	NameList              // names of errors or functions: a list, one name, or several with commas between
	NoMeaning             // anything; the key is read with a warning
)

// A Key is what a file can say of an instance or a configuration: a row of the table that the reader and
// docs/configuration.md share.
type Key struct {
	Name    string // in lowerCamelCase
	Sets    string // the setting that it becomes, a Config field's name in lowerCamelCase; empty where it has no meaning
	Type    Type
	Default string // as it would be written; empty where there is none
	Min     string // the smallest value that is right, as it would be written; empty where there is none
	Max     string // the largest
	Above   bool   // Min itself is not right
	Choices []Choice
	Ours    bool   // Resilience4j's files do not have it
	Doc     string // what it does or, where it has no meaning, why
}

// A Choice is one value of an [Enum].
type Choice struct {
	Text  string // as in COUNT_BASED
	Value any    // what the setting gets
}

// Keys returns what a file can say of one instance of a policy, in the table's order: Resilience4j's keys, those that
// mean nothing in Go, and ours. It is nil for a kind that has no settings, such as a fallback.
func Keys(kind policy.Kind) []Key {
	if p := policyOf(kind); p != nil {
		return slices.Clone(p.keys)
	}
	return nil
}

// A policyKeys says how a file speaks of a policy.
type policyKeys struct {
	kind      policy.Kind
	instances []string // what its instances stand below; the first is the usual one
	order     string   // the key of its place in the chain; empty where it has none
	keys      []Key
	needs     []need
	elsewhere map[string]string // keys that people write, in uniform form, and what to write
}

// A need says that a setting does nothing without another.
type need struct {
	setting string
	of      []string             // one of these is needed, and must be on
	on      func(value any) bool // whether it is
	right   string               // how it is written
}

// policies are those that files configure, by the default order of their layers from the outside in.
var policies = []policyKeys{retryKeys, circuitBreakerKeys, rateLimiterKeys, timeLimiterKeys, bulkheadKeys, poolKeys}

func policyOf(kind policy.Kind) *policyKeys {
	for i := range policies {
		if policies[i].kind == kind {
			return &policies[i]
		}
	}
	return nil
}

// policyNamed returns the policy of that name in a file, as in circuitbreaker or thread-pool-bulkhead, or nil.
func policyNamed(name string) *policyKeys {
	for i := range policies {
		if uniform(string(policies[i].kind)) == uniform(name) {
			return &policies[i]
		}
	}
	return nil
}

// key returns the key of that name, however it is spelled, or nil.
func (p *policyKeys) key(name string) *Key {
	for i := range p.keys {
		if uniform(p.keys[i].Name) == uniform(name) {
			return &p.keys[i]
		}
	}
	return nil
}

// names returns the names of all keys.
func (p *policyKeys) names() []string {
	var names []string
	for _, k := range p.keys {
		names = append(names, k.Name)
	}
	return names
}

// uniform returns a key's name without what people spell differently, as Spring's relaxed binding does: maxAttempts,
// max-attempts and MAX_ATTEMPTS are one.
func uniform(name string) string { return strings.ToLower(cuts.Replace(name)) }

// cuts are what stands between the words of a key.
var cuts = strings.NewReplacer("-", "", "_", "")

// baseConfig is the key that names the configuration to start from. It is no setting, but stands among them.
const baseConfig = "baseConfig"

// common returns the keys of one policy between those that all have.
func common(keys ...Key) []Key {
	all := []Key{{
		Name: baseConfig, Type: Text,
		Doc: "The configuration, below configs or in code, to start from. What an instance gets from it wins over the " +
			"instance's annotations.",
	}}
	return append(append(all, keys...),
		Key{
			Name: "eventConsumerBufferSize", Sets: "eventConsumerBufferSize", Type: Int, Min: "1",
			Max: "1000000",
			Doc: "How many of the instance's last events Runtime.RecentEvents returns. Without it none is kept.",
		},
		Key{
			Name: "enabled", Sets: "enabled", Type: Bool, Default: "true", Ours: true,
			Doc: "The off switch of one instance: false lets calls pass untouched and uncounted.",
		},
	)
}

// health returns the keys that decide whether an instance is part of Runtime.Health.
func health() []Key {
	return []Key{
		{
			Name: "registerHealthIndicator", Sets: "registerHealthIndicator", Type: Bool, Default: "false",
			Doc: "Whether the instance is part of Runtime.Health.",
		},
		{
			Name: "allowHealthIndicatorToFail", Sets: "allowHealthIndicatorToFail", Type: Bool, Default: "false",
			Doc: "Whether the instance may make the whole health DOWN. It needs registerHealthIndicator.",
		},
	}
}

// stackTrace is the key of Java's exceptions that all policies but retry and time limiter have.
var stackTrace = Key{
	Name: "writableStackTraceEnabled", Type: NoMeaning, Doc: "Errors of Go have no stack traces.",
}

// functions returns keys whose values are functions, which a file can only name.
func functions(names ...string) []Key {
	var keys []Key
	for _, name := range names {
		keys = append(keys, Key{
			Name: name, Sets: name, Type: NameList, Ours: true,
			Doc: "A function. A file cannot hold one: write it in an annotation or in code.",
		})
	}
	return keys
}

var healthNeeds = need{
	setting: "allowHealthIndicatorToFail", of: []string{"registerHealthIndicator"}, on: isTrue,
	right: "registerHealthIndicator: true",
}

func isTrue(value any) bool { return value == true }

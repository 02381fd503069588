package directive

// A Type is the type of a key's value, as it is written in a comment.
type Type int

// The types of values.
const (
	Int        Type = iota // a Go integer
	Float                  // a Go number
	Percent                // a number of percent, more than Min
	Bool                   // true or false
	Duration               // a Go duration such as 250ms
	Enum                   // one of Key.Choices
	Text                   // a name
	Template               // a name of an instance or a configuration, with what depends on the call in braces
	Functions              // comma-separated functions
	Function               // one function
	Errors                 // comma-separated errors: types, variables or constants, func(error) bool
	TypeName               // a Go type
	Kinds                  // comma-separated names of policies
	Path                   // a path from a parameter in braces: {req.Context()}
	Count                  // a Go integer, or an expression in braces that gives one for each call: {qty}
	Identifier             // a Go identifier to declare
	TypeNames              // comma-separated Go types
	Directory              // a directory, relative to that of the source: ./resilient
)

// Target says what a directive may stand on.
type Target int

// The targets.
const (
	OnInterface Target = 1 << iota
	OnMethod
)

// A Spec is a row of the table of directives: the one place that says what there is.
type Spec struct {
	Name   string
	Doc    string // one or more sentences for help and reference
	On     Target
	Policy bool // adds a layer to the chain; fallback, which is always around it, does not
	Repeat bool // may stand more than once in one place
	Keys   []Key
	// Package is the runtime package whose options the keys with an Option set, as in "breaker".
	Package string
	// Elsewhere lists what the directive is called by other libraries, for people who write that name here.
	Elsewhere []string
	// Foreign lists keys that other libraries have and this directive has not, or calls otherwise.
	Foreign []Foreign
}

// Key returns the key of that name, also by one of its aliases, or nil.
func (s *Spec) Key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
		for _, alias := range s.Keys[i].Aliases {
			if alias == name {
				return &s.Keys[i]
			}
		}
	}
	return nil
}

// A Key is an argument that a directive takes.
type Key struct {
	Name    string
	Aliases []string
	Type    Type
	Doc     string
	Default string // as it would be written; empty where there is none
	Min     string // smallest value that is right, as it would be written; empty where there is none
	Max     string // largest
	Above   bool   // Min itself is not right
	Choices []Choice
	// Option is the runtime option that the key becomes, as in "WithMaxAttempts"; empty for the directive's own keys.
	Option string
	// PoolOption is the option in place of Option where the directive says type=pool; empty where that is Option too.
	PoolOption string
	// Of is the value of the directive's key type that the key goes with, as in "pool"; empty where it goes with all.
	Of string
	// Func describes the signature that a function named here must have, in words of Go with results... standing for
	// the method's results without the error, as in "func(results...) bool".
	Func string
	// Bare keys are written as a value without a name, as in //resil:order retry,circuitbreaker.
	Bare bool
	// Required keys may not be left out.
	Required bool
	// Refused, where not empty, says why this version of the generator does not take the key.
	Refused string
}

// A Foreign is a key known from another library, with what is written here in its place.
type Foreign struct {
	Name string
	Use  string // the key that has its place; empty where there is none
	Note string // what a person who writes the name should know: how the key differs, or why there is none
}

// A Choice is one value of an Enum key, or one name that a Kinds key takes.
type Choice struct {
	Text string // as in COUNT_BASED
	Go   string // the constant of the runtime package, as in "CountBased"; empty where the generator itself uses it
}

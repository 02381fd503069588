// Package plan turns directives and types into the plan of what is to be written: for each method the layers in their
// order, the fallbacks in the order in which they are tried, names and error rules. Every check is made here, so that
// package emit has nothing left to decide.
package plan

import (
	"go/types"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

// A File is the plan of one output file, which holds the wrappers of one source file's interfaces.
type File struct {
	Source     string         // absolute path of the annotated file
	Output     string         // absolute path of the file to write
	Package    *types.Package // of the interfaces
	Target     *source.Target // the package of the output where that is another one; nil where it is the interfaces'
	Names      []string       // what the wrappers of this run declare there
	Constraint string         // the expression of the //go:build line; empty where there is none
	Wrappers   []*Wrapper
}

// A Wrapper is the plan of one generated type.
type Wrapper struct {
	Interface   *types.TypeName
	Label       string     // package and interface, as in inventory.Client: the start of names that are defaults
	Name        string     // of the type, as in ResilientClient
	Constructor string     // as in NewResilientClient
	Fallbacks   types.Type // the type whose methods serve as fallbacks; nil where there is none
	Expected    *ErrorSet  // the errors that are answers; nil where there are none
	Forwards    []*Forward // interfaces that the wrapper implements beside its own
	Foreign     bool       // the interface embeds one of another package, whose values may have methods beyond it
	Methods     []*Method  // the whole method set; explicit methods in source order, then embedded ones by name
}

// A Method is the plan of one method of a wrapper.
type Method struct {
	Func     *types.Func
	Context  Context
	Chain    []*Layer  // from the outside in; empty for a method that is passed through
	Fallback *Fallback // around the whole chain; nil where there is none
	Ordered  bool      // an order directive says in which order the layers are
	Sends    []int     // parameters of type *http.Request whose bodies a layer closes that refuses the call
	Unmark   bool      // a layer of the chain marks what it refuses (Layer.Mark): the outermost takes the mark off
	Read     bool      // a result is read after the call has returned: a body, a channel, an iterator, rows
	Same     bool      // a result is of the interface's own type
}

// A Forward is an interface whose methods are those of the wrapped value, as they are.
type Forward struct {
	Interface *types.TypeName
	Methods   []*Method // sorted by name, without layers
}

// A Context says where a method's context comes from. With Param < 0 there is none, and context.Background() serves.
type Context struct {
	Param int        // index of the parameter that is the context, or that Steps start from
	Steps []Selector // from the parameter to the context, as in {req.Context()}; empty where the parameter is one
	// Rebind is set where a limited context reaches the call by param = param.WithContext(ctx).
	Rebind bool
}

// A Selector is one step of a path.
type Selector struct {
	Name    string
	Call    bool
	Nilable bool // what it is selected from may be a nil pointer or interface

	hidden string // what is embedded on the way to it and can't be named, though something there may be nil; or empty
	open   string // the type parameter that it is selected from, if that may stand for a nil pointer; or empty
}

// A Path leads from a parameter to a value.
type Path struct {
	Param int // index of the parameter
	Steps []Selector
}

// An Expr is worked out for each call: the value at the end of a path, or what a function returns for such values.
type Expr struct {
	Text string       // with its braces, spaces only behind commas
	Func types.Object // a *types.Func, or the *types.Builtin len; nil where the value is that of the only path
	Args []Path
	Type types.Type
}

// A Value is what stands in the name of an instance and has its own value at each call. Where it, or a value on the path
// to it, is nil, it is absent.
type Value struct {
	Expr    *Expr
	Form    ValueForm
	Deref   bool // it is what the pointer points to
	Nilable bool // it may be a nil pointer or interface
}

// A ValueForm says how a Value becomes text.
type ValueForm int

// The forms of values.
const (
	TextValue     ValueForm = iota // it is a string
	IntValue                       // it is an integer
	StringerValue                  // it has a method String
)

// A Count is a number, or an expression of an integer type that gives one for each call.
type Count struct {
	Const int64
	Expr  *Expr // nil where it is Const
}

// A Layer is one policy around a method.
type Layer struct {
	Spec          *directive.Spec
	Name          string  // of the instance: a template as package resil reads it, in which {{ is a brace
	Values        []Value // what stands in braces in Name, beside {tenant} and {scope}, in this order
	Configuration string  // the named configuration, a template likewise; empty where there is none
	Options       []Option
	Result        *Func     // circuitbreaker recordResult, retry retryResult: func(results...) bool
	Transition    *Func     // circuitbreaker transitionOnResult: func(results..., error) breaker.Transition
	Consume       *Func     // retry consumeResultBeforeRetryAttempt: func(attempt int, results...)
	Rearm         []int     // retry: the parameters of type *http.Request, each of which a further attempt gets anew
	Once          bool      // retry: there is no further attempt where one of them has a body that can't be sent again
	Drops         []Drop    // retry: the results that are closed before a further attempt
	Detach        bool      // timelimiter
	Keep          *Body     // timelimiter: the result that keeps the limited context until it is closed; or nil
	Permits       Count     // ratelimiter
	Drain         *Func     // ratelimiter drainPermissionsOnResult: func(results..., error) bool
	Pool          bool      // bulkhead type=pool
	Fallback      *Fallback // around this layer (fallbackAt=layer); nil where there is none
	Mark          bool      // what this layer refuses is marked, because a layer further out counts or retries
}

// A Body is an io.ReadCloser among a method's results.
type Body struct {
	Result  int
	Field   bool // it is the field Body of the result, as that of an *http.Response, and not the result itself
	Pointer bool // with Field: the result is a pointer
}

// A Drop is a result that is to be closed when nobody will see it. Exactly one of Body and Close is set.
type Drop struct {
	Body    *Body // it is read to some length before, for the connection's sake
	Result  int
	Close   *types.Func // a method without parameters
	Nilable bool        // the result's type has the value nil
}

// An Option is a runtime option with its value.
type Option struct {
	Key    *directive.Key
	Value  directive.Value
	Func   *Func     // keys of type Function
	Errors *ErrorSet // keys of type Errors
}

// OptionName returns the name of the function that makes the option of an instance of the layer.
func (l *Layer) OptionName(o *Option) string {
	if l.Pool && o.Key.PoolOption != "" {
		return o.Key.PoolOption
	}
	return o.Key.Option
}

// A Func is a function that generated code calls: of the package, of another one, or a method of the wrapper's
// fallbacks.
type Func struct {
	Object *types.Func
	Method bool // call it on the wrapper's fallbacks
}

// An ErrorSet is a list of errors.
type ErrorSet struct {
	Text    string // the list as written
	Matches []Match
}

// A Match is one thing that an error may be. Exactly one field is set.
type Match struct {
	Type      types.Type   // found by policy.As
	Value     types.Object // a variable or constant, found by policy.Is
	Predicate *types.Func  // func(error) bool
	Any       bool         // every error
}

// A Fallback is what answers in place of a call that failed.
type Fallback struct {
	Name     string     // of the instance that counts the answers
	Handlers []*Handler // in the order in which they are tried
}

// A Form says what a fallback function is given.
type Form int

// The forms of fallback functions.
const (
	ParamsAndError Form = iota
	ErrorOnly
	ParamsOnly
)

// A Handler is one fallback function with what it answers.
type Handler struct {
	Func    Func
	Form    Form
	Param   types.Type // of its error parameter; nil with ParamsOnly
	Matches []Match    // with a Param that is not error itself, each match has a type that fits it
	// Cancelled is set where a match is context.Canceled: the handler runs also when the caller has cancelled.
	Cancelled bool
}

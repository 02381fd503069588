package directive

import (
	"go/token"
	"time"
)

// A Directive is one parsed comment, //resil:NAME with its arguments. Only arguments that are right are in Args; what
// is wrong with the others was reported when it was parsed.
type Directive struct {
	Spec *Spec
	Args []Arg     // in the order written
	Pos  token.Pos // of the first slash
	End  token.Pos
}

// First returns the first directive of that name in the list, or nil.
func First(list []*Directive, name string) *Directive {
	for _, d := range list {
		if d.Spec.Name == name {
			return d
		}
	}
	return nil
}

// Arg returns the argument with the given key, or nil.
func (d *Directive) Arg(key string) *Arg {
	for i := range d.Args {
		if d.Args[i].Key.Name == key {
			return &d.Args[i]
		}
	}
	return nil
}

// An Arg is one key=value of a directive, or, for a key of the kind that is written without its name (Key.Bare), the
// value alone.
type Arg struct {
	Key      *Key
	Text     string    // the value as written, unquoted; a name with its {{ undone is in Value.Items
	Pos      token.Pos // of the argument
	ValuePos token.Pos // of the value
	End      token.Pos
	Value    Value
}

// A Value is the typed value of an argument. Which field is set depends on the key's Type.
type Value struct {
	Int      int64
	Float    float64
	Bool     bool
	Duration time.Duration
	Choice   *Choice
	Items    []Item // lists; one item for a single name; the steps of a Path, a call with its (): req, Context()
	Expr     *Expr  // of a Count that is worked out for each call; nil where it is Int
	Parts    []Part // of a Template
}

// A Part is one part of a [Template]. Exactly one of Literal, Word and Expr is set.
type Part struct {
	Literal string // text, its {{ undone
	Word    string // tenant, scope, method or interface
	Expr    *Expr  // what has its value at each call
	Pos     token.Pos
	End     token.Pos
}

// The words that stand in the braces of a [Template] and mean the same everywhere.
const (
	WordTenant    = "tenant"
	WordScope     = "scope"
	WordMethod    = "method"
	WordInterface = "interface"
)

// An Expr is an expression in braces, which has a value for each call: a path from a parameter, as in {req.Qty()}, or a
// function of such paths, as in {weight(req)}.
type Expr struct {
	Text string   // as written, with its braces
	Func *Item    // the function, in doc-link form; nil where the value is that of the only path
	Args [][]Item // the steps of each path, as those of a Path
	Pos  token.Pos
	End  token.Pos
}

// An Item is one element of a list, with its position.
type Item struct {
	Text string
	Pos  token.Pos
}

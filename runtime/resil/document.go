package resil

import (
	"fmt"

	"github.com/resilgen/resilgen/runtime/policy"
)

// A Document is what a [Source] says: settings by the names of configurations and instances, each with the place where
// it stands. Nobody changes a Document once it is given to a [Runtime].
type Document struct {
	Name           string        // of the file, for messages
	Configurations []Section     // what configs says
	Instances      []Section     // what instances says, here and below tenants
	Order          []policy.Kind // the kinds that have an order key, outermost first
	Enabled        *bool         // of everything; nil where nothing is said
	Warnings       []Warning     // what the reader has to say
	Unknown        []Problem     // keys that the reader does not know; see WithUnknownKeys
}

// A Section is what a [Document] says of one configuration or one instance.
type Section struct {
	Kind     policy.Kind
	Name     string
	Tenant   string // the tenant's id where the section stands below tenants
	Position Position
	Base     *Named // baseConfig; nil where there is none

	// Environment says that the section was read from the environment: Name is in capitals, letters and digits only, and
	// is compared with other names reduced likewise.
	Environment bool

	Settings []Setting
}

// A Setting is one key and its value. A key is the name of a field of the policy's Config in lowerCamelCase, or one of
// forceState, registerHealthIndicator, allowHealthIndicatorToFail, eventConsumerBufferSize.
//
// Value has the type of the field, such as time.Duration, float64 or breaker.WindowType. Of keys whose values are
// functions or error rules it is [Names]. Of forceState it is a breaker.State, of registerHealthIndicator and
// allowHealthIndicatorToFail a bool, of eventConsumerBufferSize an int.
type Setting struct {
	Key      string
	Position Position
	Value    any
}

// Names are what stands for error rules and functions, which a file can only name. See [WithErrorName].
type Names []Named

// A Named is a name and where it stands.
type Named struct {
	Text     string
	Position Position
}

// A Position is a place in a file. Lines and columns count from 1; a Line of 0 means that there is none, as in the
// environment.
type Position struct {
	File         string
	Line, Column int
}

// String returns file:line:col, or the file alone where there is no line.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// A Problem is something that is wrong at a place: what is wrong, and what would be right.
type Problem struct {
	Position Position
	Text     string
}

// String returns file:line:col: text.
func (p Problem) String() string { return p.Position.String() + ": " + p.Text }

// Error returns what String does.
func (p Problem) Error() string { return p.String() }

// A Warning is a [Problem] that a runtime can live with. See [Runtime.Warnings] and [Strict].
type Warning = Problem

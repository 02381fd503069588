package explain

// A Report is what there is to tell of the annotated interfaces. As JSON its shape is stable: fields may be added, but
// none is renamed or removed, and none changes its meaning.
type Report struct {
	Config     string      `json:"config,omitempty"` // the config file whose settings are in force
	Interfaces []Interface `json:"interfaces"`       // sorted by package, then as in the source
	Problems   []Problem   `json:"problems"`         // what is wrong with the config file, sorted by position
}

// An Interface is one annotated interface.
type Interface struct {
	Package    string      `json:"package"` // import path
	Name       string      `json:"interface"`
	Wrapper    string      `json:"wrapper"`    // the generated type
	Position   string      `json:"position"`   // file:line:col, as all positions
	Directives []Directive `json:"directives"` // of the interface, for the methods that can carry them
	Methods    []Method    `json:"methods"`
}

// A Directive is one that stands on an interface.
type Directive struct {
	Name     string   `json:"directive"` // as in retry
	Position string   `json:"position"`
	Reaches  []string `json:"reaches"` // methods
	Passes   []Passed `json:"passes"`  // methods that it passes through
}

// A Passed is a method that a directive of the interface does not reach.
type Passed struct {
	Method string `json:"method"`
	Reason string `json:"reason"`
}

// A Method is one method of a wrapper.
type Method struct {
	Name     string     `json:"method"`
	Position string     `json:"position"`            // where it is declared; of the interface for foreign methods
	Chain    []Layer    `json:"chain"`               // from the outside in; empty where calls go through as they are
	Worst    *WorstCase `json:"worstCase,omitempty"` // left out where the chain is empty
}

// A Layer is one policy around a method, or what answers when the call has failed.
type Layer struct {
	Kind          string      `json:"layer"`                   // a directive, as in retry
	Type          string      `json:"type,omitempty"`          // pool, of a bulkhead on goroutines of its own
	Name          string      `json:"name"`                    // of the instance, a template
	Base          string      `json:"base,omitempty"`          // by which a config file speaks of a template
	Configuration string      `json:"configuration,omitempty"` // the named configuration that the annotation starts from
	Handlers      []string    `json:"handlers,omitempty"`      // of a fallback: functions, in the order tried
	Settings      []Setting   `json:"settings"`
	Overrides     []Overrides `json:"overrides,omitempty"` // what the file says of some of a name's instances alone
}

// A Setting is a key of an instance with the value that is in force.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as it would be written in an annotation
	From  From   `json:"from"`
}

// The places that settings come from, from the weakest to the strongest.
const (
	FromBuiltIn       = "built-in"
	FromConfiguration = "configuration" // of the config file, with its name
	FromAnnotation    = "annotation"
	FromInstance      = "instance" // of the config file, with the name of the instance
	FromTenant        = "tenant"   // of the config file, with the tenant's id
	FromFile          = "file"     // the switch of everything
)

// A From says where a setting comes from.
type From struct {
	Source   string `json:"source"`
	Name     string `json:"name,omitempty"`
	Position string `json:"position,omitempty"` // left out for what is built in
}

// Overrides are settings of a part of the instances that have a name.
type Overrides struct {
	Tenant   string    `json:"tenant,omitempty"` // of this tenant alone
	Instance string    `json:"instance"`         // as the file names it: the base name or a whole one
	Settings []Setting `json:"settings"`
}

// A WorstCase is the longest time from a call to its return, not counting the time that fallbacks take.
type WorstCase struct {
	Bounded     bool     `json:"bounded"`
	Duration    string   `json:"duration,omitempty"` // as in 6.3s; left out where nothing bounds the call
	Nanoseconds int64    `json:"nanoseconds,omitempty"`
	Formula     string   `json:"formula"`         // how it comes about, as in 3 x 2s + 300ms
	Notes       []string `json:"notes,omitempty"` // what bounds it, or what does not, in words
}

// A Problem is something wrong in a config file.
type Problem struct {
	Position string `json:"position"`
	Message  string `json:"message"`
	Warning  bool   `json:"warning,omitempty"`
}

// String returns position: message.
func (p Problem) String() string {
	text := p.Message
	if p.Warning {
		text = "warning: " + text
	}
	if p.Position == "" {
		return text
	}
	return p.Position + ": " + text
}

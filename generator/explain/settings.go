package explain

import (
	"cmp"
	"slices"

	"github.com/resilgen/resilgen/generator/directive"
)

// An instance is what layers share: one policy under one name. Bulkheads of the two types are two policies.
type instance struct {
	kind string
	pool bool
	name string
}

// A shared is what annotations say of one instance, wherever they stand.
type shared struct{ directives []*directive.Directive }

func (s *shared) add(d *directive.Directive) {
	if !slices.Contains(s.directives, d) {
		s.directives = append(s.directives, d)
	}
}

// arg returns the argument of a key that the instance's annotations agree on, or nil: that of the directive itself before
// those of others.
func (s *shared) arg(own *directive.Directive, key string) *directive.Arg {
	if arg := own.Arg(key); arg != nil {
		return arg
	}
	for _, d := range s.directives {
		if arg := d.Arg(key); arg != nil {
			return arg
		}
	}
	return nil
}

// A resolved is the settings of one layer.
type resolved struct {
	instance
	base          string
	configuration string // that the annotation names
	unknown       bool   // what it says is not known: the file does not have it, or each value has its own
	own           *directive.Directive
	values        map[string]Setting
	foreign       []string // keys that only a file has, in its order
}

// The directive's own keys that are no settings of a layer: they are told elsewhere in the report.
var told = []string{"name", "configuration", "fallback", "fallbackAt", "type"}

// resolve works out what is in force for a layer, from the weakest place to the strongest.
// Configuration is what its own annotation starts from, a template; other annotations of the instance may say it instead.
func (m *maker) resolve(key instance, own *directive.Directive, configuration string) *resolved {
	r := &resolved{instance: key, base: cut(key.name).base(), own: own, values: make(map[string]Setting)}
	for _, k := range r.keys() {
		if k.Default != "" {
			r.set(k.Name, k.Default, From{Source: FromBuiltIn})
		}
	}
	if c := m.file.configuration(key.kind, key.pool, defaultConfiguration); c != nil {
		m.configuration(r, c)
	}
	all := m.shared[key]
	if arg := all.arg(own, "configuration"); arg != nil {
		r.configuration = cmp.Or(configuration, arg.Text)
		named := cut(r.configuration)
		c := m.file.configuration(key.kind, key.pool, named.literals[0])
		if len(named.holders) > 0 {
			c = nil
		}
		r.unknown = c == nil && r.configuration != defaultConfiguration
		if c != nil && c.Name != defaultConfiguration {
			m.configuration(r, c)
		}
	}
	for _, k := range r.keys() {
		arg := own.Arg(k.Name)
		if k.Option != "" { // or else it is of this method alone
			arg = all.arg(own, k.Name)
		}
		if arg != nil {
			r.set(k.Name, arg.Text, From{Source: FromAnnotation, Position: m.position(arg.Pos)})
		}
	}
	if m.file == nil {
		return r
	}
	for _, s := range m.sections(key, "") {
		if s.Name == r.base {
			m.file.bases(s, func(c *Section) { r.take(c, From{Source: FromConfiguration, Name: c.Name}) })
			r.take(s, From{Source: FromInstance, Name: s.Name})
		}
	}
	if on := m.file.Enabled; on != nil && !*on {
		r.set("enabled", "false", From{Source: FromFile, Position: m.file.Name})
	}
	return r
}

// configuration takes over what a configuration says, and before it what it starts from.
func (m *maker) configuration(r *resolved, c *Section) {
	m.file.bases(c, func(base *Section) { r.take(base, From{Source: FromConfiguration, Name: base.Name}) })
	r.take(c, From{Source: FromConfiguration, Name: c.Name})
}

// sections returns what the file says of the instance's kind, of a tenant or, with "", of none.
func (m *maker) sections(key instance, tenant string) []*Section {
	var sections []*Section
	for i := range m.file.Instances {
		if s := &m.file.Instances[i]; s.Kind == key.kind && s.Pool == key.pool && s.Tenant == tenant {
			sections = append(sections, s)
		}
	}
	return sections
}

// keys returns the keys that are settings of the layer, in the order of the table.
func (r *resolved) keys() []*directive.Key {
	var keys []*directive.Key
	of := "semaphore"
	if r.pool {
		of = "pool"
	}
	for i := range r.own.Spec.Keys {
		k := &r.own.Spec.Keys[i]
		if (k.Of == "" || k.Of == of) && !slices.Contains(told, k.Name) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (r *resolved) set(key, value string, from From) {
	if _, before := r.values[key]; !before && r.own.Spec.Key(key) == nil {
		r.foreign = append(r.foreign, key)
	}
	r.values[key] = Setting{Key: key, Value: value, From: from}
}

// take takes over what a section of the file says.
func (r *resolved) take(s *Section, from From) {
	for _, setting := range s.Settings {
		if k := r.own.Spec.Key(setting.Key); k != nil && k.Type == directive.Function {
			continue // a file can only name it, which has no effect
		}
		from.Position = setting.Position
		r.set(setting.Key, setting.Value, from)
	}
}

// settings lists what is in force, in the order of the table; what is built in only if all are wanted.
func (r *resolved) settings(all bool) []Setting {
	list := []Setting{}
	add := func(key string) {
		if s, ok := r.values[key]; ok && (all || s.From.Source != FromBuiltIn) {
			list = append(list, s)
		}
	}
	for _, k := range r.keys() {
		add(k.Name)
	}
	for _, key := range r.foreign {
		add(key)
	}
	return list
}

// overrides returns what the file says of a part of the layer's instances: of those of a tenant, and of those with a
// certain name.
func (m *maker) overrides(r *resolved) []Overrides {
	if m.file == nil {
		return nil
	}
	n := cut(r.name)
	var list []Overrides
	for i := range m.file.Instances {
		s := &m.file.Instances[i]
		if s.Kind != r.kind || s.Pool != r.pool || s.Name != r.base && !n.matches(s.Name) ||
			s.Tenant == "" && s.Name == r.base {
			continue
		}
		part := &resolved{instance: r.instance, own: r.own, values: make(map[string]Setting)}
		m.file.bases(s, func(c *Section) { part.take(c, From{Source: FromConfiguration, Name: c.Name}) })
		from := From{Source: FromInstance, Name: s.Name}
		if s.Tenant != "" {
			from = From{Source: FromTenant, Name: s.Tenant}
		}
		part.take(s, from)
		list = append(list, Overrides{Tenant: s.Tenant, Instance: s.Name, Settings: part.settings(true)})
	}
	return list
}

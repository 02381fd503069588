package resil

import "slices"

// UnknownKeys says what becomes of keys that a source has and nobody knows.
type UnknownKeys int

// What can become of unknown keys.
const (
	Refuse UnknownKeys = iota // they are errors
	Warn                      // they are warnings; see Runtime.Warnings
)

// WithUnknownKeys sets what becomes of keys that a source has and nobody knows. The default, [Refuse], finds misspellings.
// [Warn] is for programs that are rolled back while the file is of a newer version.
func WithUnknownKeys(mode UnknownKeys) Option {
	return func(c *construction) { c.runtime.unknownKeys = mode }
}

// Strict makes each warning an error: [New] and [Runtime.Apply] fail where [Runtime.Warnings] would not be empty, and a
// watched source with a warning changes nothing.
func Strict() Option {
	return func(c *construction) { c.runtime.strict = true }
}

// Warnings returns what sources say that has no effect here, such as the name of a Java class, in the order of its places.
// It is empty where all is understood. Warnings are logged too, when they are new.
func (rt *Runtime) Warnings() []Warning {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return slices.Clone(rt.stand.warnings)
}

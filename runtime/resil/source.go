package resil

import (
	"context"
	"errors"
)

// A Source is where settings come from that are not part of the program, such as a file; see package config. Its methods
// may be called by several goroutines at once.
type Source interface {
	// Load returns what the source says now. New and Apply call it. An error means that the source can't be read or is
	// not understood; it says where.
	Load() (*Document, error)

	// Watch calls changed when what the source says may have changed since Load or since the last call, with what Load
	// would return now. It blocks until ctx ends, or returns at once if the source never changes.
	Watch(ctx context.Context, changed func(*Document, error))
}

// WithSource adds a source of settings. Of several sources that say something of one name, the later one wins, setting
// by setting. See the package comment for what goes before what.
//
// A source that changes is followed while the runtime lives: what it says reaches the living instances, whose state is
// kept, and is published as [SettingsChanged]. What is not valid changes nothing, and is logged and published as
// [SettingsRefused] once until it changes again.
func WithSource(source Source) Option {
	return func(c *construction) {
		c.live = true
		if source == nil {
			c.errs = append(c.errs, errors.New("resil.WithSource needs a source, not nil"))
			return
		}
		c.sources = append(c.sources, source)
	}
}

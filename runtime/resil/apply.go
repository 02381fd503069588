package resil

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// Apply changes the settings of a runtime that lives, and its instances with them; they keep their state. With
// [WithSource] it takes new sources in place of all that there were, and ends following those. [WithBreaker],
// [WithBreakerConfig] and their siblings add to what code has said. Other options are errors.
//
// With an error nothing is changed: all that is wrong is in it. Calls in flight go on; from the return on, each decision
// is made by the new settings. The backend of a rate limiter that is in use cannot be changed.
func (rt *Runtime) Apply(opts ...Option) error {
	added := newRuntime()
	c := construction{runtime: added}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		c.live = false
		opt(&c)
		if !c.live {
			c.errs = append(c.errs, fmt.Errorf("%s is an option that only New takes; Apply takes resil.WithSource, "+
				"resil.WithBreaker, resil.WithBreakerConfig and their siblings", optionName(opt)))
		}
	}
	return (&revision{runtime: rt, code: added.core, errs: c.errs}).load(c.sources).make()
}

// optionName returns the name of the function that has made an option.
func optionName(opt Option) string {
	name := runtime.FuncForPC(reflect.ValueOf(opt).Pointer()).Name()
	name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".func")
	return name[strings.LastIndexByte(name, '.')+1:]
}

package emit

import (
	"strconv"
	"time"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/plan"
)

// option returns a runtime option as it is written, as in retry.WithMaxAttempts(3).
func (m *method) option(body *printer, self string, l *layer, o *plan.Option) string {
	pkg := l.plan.Spec.Package
	return body.runtime(pkg, l.plan.OptionName(o)) + "(" + m.optionValue(body, self, pkg, o) + ")"
}

func (m *method) optionValue(body *printer, self, pkg string, o *plan.Option) string {
	switch o.Key.Type {
	case directive.Int:
		return strconv.FormatInt(o.Value.Int, 10)
	case directive.Float, directive.Percent:
		return strconv.FormatFloat(o.Value.Float, 'f', -1, 64)
	case directive.Bool:
		return body.local(strconv.FormatBool(o.Value.Bool))
	case directive.Duration:
		return duration(body, o.Value.Duration)
	case directive.Enum:
		return body.runtime(pkg, o.Value.Choice.Go)
	case directive.Function:
		return m.wrapper.function(body, self, o.Func)
	case directive.Errors:
		return m.wrapper.errorRule(body, self, o)
	}
	return strconv.Quote(o.Value.Items[0].Text)
}

// units are the units that durations are written in, largest first.
var units = []struct {
	length time.Duration
	name   string
}{
	{time.Hour, "Hour"},
	{time.Minute, "Minute"},
	{time.Second, "Second"},
	{time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"},
	{time.Nanosecond, "Nanosecond"},
}

// duration returns d as people write it, in the largest unit that it is a whole number of.
func duration(body *printer, d time.Duration) string {
	for _, unit := range units {
		if d == 0 || d%unit.length != 0 {
			continue
		}
		name := body.qualified("time", "time", unit.name)
		if d == unit.length {
			return name
		}
		return strconv.FormatInt(int64(d/unit.length), 10) + "*" + name
	}
	return "0"
}

// function returns the function as an expression: by its name, or as a method of the wrapper's fallbacks.
func (w *wrapper) function(body *printer, self string, f *plan.Func) string {
	if f.Method {
		return self + "." + w.fallbacks + "." + f.Object.Name()
	}
	return body.object(f.Object)
}

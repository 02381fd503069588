package directive

import (
	"go/token"
	"strconv"
	"strings"
)

// readPath reads a path from a parameter: {req.Context()}. The items are its steps; that of a call ends in ().
func (r *reader) readPath() (Value, bool) {
	inner, opened := strings.CutPrefix(r.text, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	if !opened || !closed {
		return r.fail("%s is not in braces; write {%s}", r.text, strings.Trim(r.text, "{}"))
	}
	var value Value
	start := 1
	for text := range strings.SplitSeq(inner, ".") {
		end := start + len(text)
		name, call := strings.CutSuffix(text, "()")
		switch {
		case len(value.Items) == 0 && !call && parameter(name), len(value.Items) > 0 && step(name):
			value.Items = append(value.Items, Item{Text: text, Pos: r.pos(start)})
		case len(value.Items) == 0:
			return r.failAt(start, end, "%q is not a parameter; a path begins with the name or the number of one, as in %s",
				text, example(r.key))
		default:
			return r.failAt(start, end, "%q is neither a field nor a method without arguments; write a path as in %s",
				text, example(r.key))
		}
		start = end + 1
	}
	return value, true
}

func parameter(name string) bool {
	_, err := strconv.ParseUint(name, 10, 16)
	return err == nil || step(name)
}

func step(name string) bool { return token.IsIdentifier(name) && name != "_" }

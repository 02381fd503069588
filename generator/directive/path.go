package directive

import (
	"go/token"
	"strconv"
	"strings"
)

// readPath reads a path from a parameter: {req.Context()}. The items are its steps; that of a call ends in ().
func (r *reader) readPath() (Value, bool) {
	if !inBraces(r.text) {
		right := "{" + strings.Trim(r.text, "{}") + "}"
		return r.fix(right, "%s is not in braces; write %s", r.text, right)
	}
	steps, ok := r.path(1, len(r.text)-1)
	return Value{Items: steps}, ok
}

// readCount reads a number, or an expression that gives one for each call.
func (r *reader) readCount() (Value, bool) {
	switch {
	case inBraces(r.text):
		expr, ok := r.expr(0, len(r.text))
		return Value{Expr: expr}, ok
	case strings.ContainsAny(r.text, "{}"), step(r.text[:strings.IndexAny(r.text+".", ".(")]):
		right := "{" + strings.Trim(r.text, "{}") + "}"
		return r.fix(right, "%s is not in braces; write %s", r.text, right)
	}
	return r.readInt()
}

func inBraces(text string) bool {
	return len(text) >= 2 && text[0] == '{' && text[len(text)-1] == '}'
}

// path reads the path that r.text[start:end] is.
func (r *reader) path(start, end int) ([]Item, bool) {
	var steps []Item
	for text := range strings.SplitSeq(r.text[start:end], ".") {
		stop := start + len(text)
		name, call := strings.CutSuffix(text, "()")
		switch {
		case len(steps) == 0 && !call && parameter(name), len(steps) > 0 && step(name):
			steps = append(steps, Item{Text: text, Pos: r.pos(start)})
		case len(steps) == 0:
			r.failAt(start, stop, "%q is not a parameter; a path begins with the name or the number of one, as in %s",
				text, examplePath(r.key))
			return nil, false
		default:
			r.failAt(start, stop, "%q is neither a field nor a method without arguments; write a path as in %s",
				text, examplePath(r.key))
			return nil, false
		}
		start = stop + 1
	}
	return steps, true
}

// expr reads the expression that r.text[start:end] is, with its braces.
func (r *reader) expr(start, end int) (*Expr, bool) {
	pos, stop := r.word.span(r.start+start, r.start+end)
	e := &Expr{Text: r.text[start:end], Pos: pos, End: stop}
	inside := strings.TrimLeft(r.text[start+1:end-1], " ")
	start = end - 1 - len(inside)
	end = start + len(strings.TrimRight(inside, " "))
	name, args, called := strings.Cut(r.text[start:end], "(")
	if !called || strings.HasPrefix(args, ")") { // a method without arguments: a function has one at least
		steps, ok := r.path(start, end)
		e.Args = [][]Item{steps}
		return e, ok
	}
	args, closed := strings.CutSuffix(args, ")")
	switch {
	case !closed:
		r.failAt(start, end, "%q is neither a path nor the call of a function; write it as in {weight(%s)}",
			r.text[start:end], strings.Trim(examplePath(r.key), "{}"))
		return nil, false
	case !goName(name):
		r.failAt(start, start+len(name), "%q is not a name of Go; write Name, pkg.Name or import/path.Name", name)
		return nil, false
	}
	e.Func = &Item{Text: name, Pos: r.pos(start)}
	at := start + len(name) + 1
	for arg := range strings.SplitSeq(args, ",") {
		from := at + len(arg) - len(strings.TrimLeft(arg, " "))
		steps, ok := r.path(from, from+len(strings.TrimSpace(arg)))
		if !ok {
			return nil, false
		}
		e.Args = append(e.Args, steps)
		at += len(arg) + 1
	}
	return e, true
}

// examplePath returns a path for messages about values of the key.
func examplePath(key *Key) string {
	if key.Type == Path {
		return example(key)
	}
	return "{req.Qty()}"
}

func parameter(name string) bool {
	_, err := strconv.ParseUint(name, 10, 16)
	return err == nil || step(name)
}

func step(name string) bool { return token.IsIdentifier(name) && name != "_" }

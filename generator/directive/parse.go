package directive

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

const (
	tool   = "resil"
	prefix = "//" + tool + ":"
)

// Parse reads one comment. What is wrong in it, and what only looks like a directive, is added to problems. The result
// reports whether the comment was meant as one of ours; the directive is nil where nothing of it can be used.
func Parse(comment *ast.Comment, problems *Problems) (*Directive, bool) {
	line, ok := ast.ParseDirective(comment.Slash, comment.Text)
	if !ok || line.Tool != tool {
		return nil, nearMiss(comment, problems)
	}
	pos := comment.Slash + token.Pos(len(prefix))
	end := pos + token.Pos(len(line.Name))
	spec := Lookup(line.Name)
	if spec == nil {
		unknownDirective(line.Name, pos, problems)
		return nil, true
	}
	p := &parser{
		Problems:  problems,
		directive: &Directive{Spec: spec, Pos: comment.Slash, End: end},
		args:      line.Args,
		argsPos:   line.ArgsPos,
	}
	p.parse(split(line.Args, line.ArgsPos))
	return p.directive, true
}

// A parser reads the arguments of one directive.
type parser struct {
	*Problems
	directive *Directive
	args      string // the arguments as they stand in the comment
	argsPos   token.Pos
	wrong     []*Key // keys that were given with a wrong value
}

func (p *parser) spec() *Spec { return p.directive.Spec }

// source returns the text of the comment from the beginning of one word to the end of another.
func (p *parser) source(from, to word) string { return p.args[from.pos-p.argsPos : to.end()-p.argsPos] }

func (p *parser) parse(list []word) {
	if len(list) > 0 {
		p.directive.End = list[len(list)-1].end()
	}
	if bare := p.bareKey(); bare != nil {
		p.bare(bare, list)
	} else {
		for len(list) > 0 {
			n := p.torn(list)
			if n == 0 {
				p.argument(list[0])
				n = 1
			}
			list = list[n:]
		}
	}
	p.checkType()
	for i := range p.spec().Keys {
		if key := &p.spec().Keys[i]; key.Required && !key.Bare && !p.given(key) {
			name := prefix + p.spec().Name
			p.Errorf(p.directive.Pos, p.directive.End, "%s has no %s; write %s %s=%s",
				name, key.Name, name, key.Name, example(key))
		}
	}
}

// checkType takes out arguments that go with another type than the directive's own, and reports them.
func (p *parser) checkType() {
	key := p.spec().Key("type")
	if key == nil || slices.Contains(p.wrong, key) {
		return
	}
	is, remedy := key.Default, "add type=%s, or remove %s"
	if arg := p.directive.Arg("type"); arg != nil {
		is, remedy = arg.Text, "write type=%s, or remove %s"
	}
	p.directive.Args = slices.DeleteFunc(p.directive.Args, func(arg Arg) bool {
		if arg.Key.Of == "" || arg.Key.Of == is {
			return false
		}
		p.wrong = append(p.wrong, arg.Key)
		p.Errorf(arg.Pos, arg.End, "%s is a key of type=%s, and this is a %s of type=%s; "+remedy,
			arg.Key.Name, arg.Key.Of, p.spec().Name, is, arg.Key.Of, arg.Key.Name)
		return true
	})
}

func (p *parser) bareKey() *Key {
	for i := range p.spec().Keys {
		if p.spec().Keys[i].Bare {
			return &p.spec().Keys[i]
		}
	}
	return nil
}

// given reports whether the key was written, with a right value or a wrong one.
func (p *parser) given(key *Key) bool {
	return p.directive.Arg(key.Name) != nil || slices.Contains(p.wrong, key)
}

// bare reads the arguments of a directive that takes one value without a name.
func (p *parser) bare(key *Key, list []word) {
	name := prefix + p.spec().Name
	for _, w := range list {
		if w.wrong {
			wrongQuotes(w, p.Problems)
			return
		}
	}
	if len(list) == 0 {
		if key.Required {
			p.Errorf(p.directive.Pos, p.directive.End, "%s has no value; write %s %s", name, name, example(key))
		}
		return
	}
	first, last := list[0], list[len(list)-1]
	if given, value, ok := strings.Cut(first.text, "="); ok && token.IsIdentifier(given) {
		text := value
		if value == "" {
			value = example(key)
		}
		problem := p.Errorf(first.pos, first.end(), "%s takes its value without a key; write %s %s", name, name, value)
		if text != "" && !first.quoted {
			problem.suggestText(first.pos, first.end(), text)
		}
		return
	}
	if len(list) > 1 {
		right := `"` + p.source(first, last) + `"`
		if key.Type == Kinds {
			right = joined(list)
		}
		p.Errorf(first.pos, last.end(), "%s takes one value without spaces; write %s %s", name, name, right).
			suggestText(first.pos, last.end(), right)
		return
	}
	p.add(key, first, 0)
}

// argument reads one key=value.
func (p *parser) argument(w word) {
	if w.wrong {
		wrongQuotes(w, p.Problems)
		return
	}
	name, text, ok := strings.Cut(w.text, "=")
	key := p.spec().Key(name)
	switch {
	case !ok || name == "":
		p.flag(w)
	case key == nil:
		pos, end := w.span(0, len(name))
		p.unknownKey(name, pos, end)
	case p.given(key):
		p.Errorf(w.pos, w.end(), "%s is given twice; remove one of them", key.Name)
	case key.Refused != "":
		p.Errorf(w.pos, w.end(), "%s can't be used: %s; remove it", key.Name, key.Refused)
		p.wrong = append(p.wrong, key)
	case text == "":
		p.Errorf(w.pos, w.end(), "%s has no value; write %s=%s", key.Name, key.Name, example(key))
		p.wrong = append(p.wrong, key)
	default:
		p.add(key, w, len(name)+1)
	}
}

// add reads the value that begins at w.text[start] and adds the argument if it is right.
func (p *parser) add(key *Key, w word, start int) {
	r := reader{Problems: p.Problems, key: key, text: w.text[start:], word: w, start: start}
	value, ok := r.read()
	if !ok {
		p.wrong = append(p.wrong, key)
		return
	}
	p.directive.Args = append(p.directive.Args, Arg{
		Key: key, Text: r.text, Pos: w.pos, ValuePos: r.pos(0), End: w.end(), Value: value,
	})
}

// flag reports a word that is no key=value.
func (p *parser) flag(w word) {
	name := strings.TrimSuffix(w.text, ",")
	if strings.HasPrefix(name, "//") {
		p.Errorf(w.pos, w.end(), "%s is no argument; a comment is set off by spaces: // %s", w.raw,
			strings.TrimLeft(name, "/"))
		return
	}
	given, value, colon := strings.Cut(name, ":")
	key := p.spec().Key(given)
	switch {
	case key != nil && colon && value != "":
		p.Errorf(w.pos, w.end(), "%s is no argument; write %s=%s", w.raw, key.Name, value).
			suggestText(w.pos, w.end(), assign(key.Name, value))
	case key != nil && key.Type == Bool:
		p.Errorf(w.pos, w.end(), "%s has no value; write %s=true", key.Name, key.Name).
			suggestText(w.pos, w.end(), key.Name+"=true")
	case key != nil:
		p.Errorf(w.pos, w.end(), "%s has no value; write %s=%s", key.Name, key.Name, example(key))
	default:
		if near := p.nearKey(given); near != nil {
			p.Errorf(w.pos, w.end(), "%s is no argument; did you mean %s=%s?", w.raw, near.Name, example(near))
			return
		}
		p.Errorf(w.pos, w.end(), "%s is no argument; arguments are written key=value", w.raw)
	}
}

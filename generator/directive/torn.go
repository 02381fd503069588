package directive

import (
	"cmp"
	"strconv"
	"strings"
)

// torn reports an argument that a space has torn into several words, as name="a b" is, or whose value is quoted where
// the whole argument should be. It returns how many words the argument takes; 0 where it is in order.
func (p *parser) torn(list []word) int {
	w := list[0]
	if w.quoted {
		return p.tornOpening(list)
	}
	name, value, ok := strings.Cut(w.text, "=")
	if !ok {
		return p.tornEquals(list)
	}
	key := p.spec().Key(name)
	if key == nil {
		key = &Key{Name: name}
	}
	switch {
	case value == "":
		if len(list) > 1 && isValue(list[1]) && p.spec().Key(list[1].text) == nil {
			return p.rewrite(list[:2], assign(name, list[1].text))
		}
	case strings.ContainsRune("\"'`", rune(value[0])):
		return p.tornQuotes(list, key, value)
	case open(value):
		for i := 1; i < len(list); i++ {
			if !open(strings.TrimPrefix(p.source(w, list[i]), name+"=")) {
				return p.rewrite(list[:i+1], strconv.Quote(p.source(w, list[i])))
			}
		}
	case len(list) > 1:
		return p.tornValue(list, key, value)
	}
	return 0
}

// tornEquals finds name = value and name =value.
func (p *parser) tornEquals(list []word) int {
	name := list[0].text
	if p.spec().Key(name) == nil || len(list) < 2 || list[1].quoted || !strings.HasPrefix(list[1].text, "=") {
		return 0
	}
	if value := list[1].text[1:]; value != "" {
		return p.rewrite(list[:2], assign(name, value))
	}
	if len(list) > 2 && isValue(list[2]) {
		return p.rewrite(list[:3], assign(name, list[2].text))
	}
	return 0
}

// tornQuotes finds the end of a quoted value.
func (p *parser) tornQuotes(list []word, key *Key, value string) int {
	name, quote := key.Name, value[:1]
	for i, w := range list {
		if !strings.HasSuffix(w.raw, quote) || i == 0 && len(value) < 2 {
			continue
		}
		text := strings.TrimPrefix(p.source(list[0], w), name+"="+quote)
		return p.rewrite(list[:i+1], assign(name, cmp.Or(strings.TrimSuffix(text, quote), example(key))))
	}
	n := loose(list)
	return p.rewrite(list[:n], assign(name, strings.TrimPrefix(p.source(list[0], list[n-1]), name+"="+quote)))
}

// tornOpening finds the words behind a quote that is never closed.
func (p *parser) tornOpening(list []word) int {
	quote := list[0].raw[:1]
	if !list[0].wrong || strings.LastIndex(list[0].raw, quote) > 0 {
		return 0
	}
	n := loose(list)
	if n == 1 {
		return 0
	}
	last := list[n-1]
	p.Errorf(list[0].pos, last.end(), "%[1]s has no closing quote; write %[1]s%[2]s", p.source(list[0], last), quote).
		suggestText(list[0].pos, last.end(), p.source(list[0], last)+quote)
	return n
}

// loose returns how many words there are up to the next argument.
func loose(list []word) int {
	n := 1
	for n < len(list) && isValue(list[n]) && !list[n].quoted {
		n++
	}
	return n
}

// tornValue finds lists and numbers that were written with spaces.
func (p *parser) tornValue(list []word, key *Key, value string) int {
	next := list[1]
	switch key.Type {
	case Functions, Errors, Kinds:
		n := 1
		for n < len(list) && isValue(list[n]) && !list[n].quoted &&
			(strings.HasSuffix(list[n-1].text, ",") || strings.HasPrefix(list[n].text, ",")) {
			n++
		}
		if n > 1 {
			first := list[0]
			first.text = value
			return p.rewrite(list[:n], key.Name+"="+joined(append([]word{first}, list[1:n]...)))
		}
	case Duration:
		if unit, ok := units[strings.ToLower(next.text)]; ok && !next.quoted {
			if d, ok := number(value, unit); ok {
				return p.rewrite(list[:2], key.Name+"="+duration(d))
			}
		}
	case Percent:
		if next.text == "%" {
			return p.rewrite(list[:2], key.Name+"="+value)
		}
	}
	if strings.HasSuffix(value, ",") && !isValue(next) {
		w := list[0]
		right := strings.TrimRight(w.text, ",")
		p.Errorf(w.pos, w.end(), "%s ends with a comma; arguments are separated by spaces alone: %s", w.raw, right).
			suggestText(w.pos, w.end(), right)
		p.wrong = append(p.wrong, key)
		return 1
	}
	return 0
}

// rewrite reports the words with the right spelling, and returns their number.
func (p *parser) rewrite(list []word, right string) int {
	first, last := list[0], list[len(list)-1]
	written := p.source(first, last)
	problem := p.Errorf(first.pos, last.end(), "%s is not written as one argument; write %s", written, right)
	if !strings.HasSuffix(strings.TrimRight(written, "\"'`"), "=") { // or else the value is only an example
		problem.suggestText(first.pos, last.end(), right)
	}
	name, _, _ := strings.Cut(first.text, "=")
	if key := p.spec().Key(name); key != nil {
		p.wrong = append(p.wrong, key)
	} else {
		pos, end := first.span(0, len(name))
		p.unknownKey(name, pos, end)
	}
	return len(list)
}

// isValue reports whether the word may be a value that was torn from its key, and no argument of its own.
func isValue(w word) bool { return !w.wrong && strings.Index(w.text, "=") <= 0 }

// assign returns key=value as it is right, in quotes where there is a space.
func assign(key, value string) string {
	argument := key + "=" + value
	if spaceIn(argument) < len(argument) {
		return strconv.Quote(argument)
	}
	return argument
}

var doubled = strings.NewReplacer("{{", "", "}}", "")

// open reports whether a brace is left open in text.
func open(text string) bool {
	text = doubled.Replace(text)
	return strings.Count(text, "{") > strings.Count(text, "}")
}

// joined returns the items of lists that were torn, separated by single commas.
func joined(list []word) string {
	var items []string
	for _, w := range list {
		for _, item := range strings.Split(w.text, ",") {
			if item != "" {
				items = append(items, item)
			}
		}
	}
	return strings.Join(items, ",")
}

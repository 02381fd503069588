package directive

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// miss matches a comment that begins like one of ours: what leads, the tool, what separates, the word behind it, the
// rest. A directive that was commented out (// //resil:retry) or that stands in an example in a doc comment is none.
var miss = regexp.MustCompile(`(?s)^(///?[ \t]*[@+]?|/\*+\s*[@+]?)` +
	`((?i:resil(?:gen|ience(?:4j)?)?))([ \t]*:[ \t]*|[-./=]|[ \t]+)([\pL\d_-]*)(.*)$`)

// nearMiss reports a comment that the Go tools take for prose although it was meant as a directive. Prose that only
// mentions us is left alone: the word has to be a directive, or near one, and to stand where a directive would.
func nearMiss(comment *ast.Comment, problems *Problems) bool {
	parts := miss.FindStringSubmatch(comment.Text)
	if parts == nil {
		return false
	}
	lead, separator, word, rest := parts[1], parts[3], parts[4], parts[5]
	begin := lead + parts[2] + separator
	if begin == prefix || lead == "//" && strings.TrimSpace(comment.Text) == prefix {
		return misnamed(comment, word, rest, problems)
	}
	name := meant(word)
	if name == "" {
		return false
	}
	tight := lead == "//" && fold(word) == name
	switch colon := strings.Contains(separator, ":"); {
	case colon && separator == ":", tight:
	case fold(word) != name && !colon:
		return false
	case !likeArguments(Lookup(name), rest, colon):
		return false
	}
	plain(comment, begin+word, name, problems)
	return true
}

// misnamed reports //resil: with something behind it that can't be a directive's name. Nobody writes that as prose.
func misnamed(comment *ast.Comment, word, rest string, problems *Problems) bool {
	if name := meant(word); name != "" {
		plain(comment, prefix+word, name, problems)
		return true
	}
	word += rest[:spaceIn(rest)]
	end := comment.Slash + token.Pos(len(prefix)+len(word))
	if word == "" {
		problems.Errorf(comment.Slash, end, "%s names no directive; the directives are %s", prefix, names())
		return true
	}
	problems.Errorf(comment.Slash+token.Pos(len(prefix)), end, "unknown directive %s; the directives are %s",
		quote(word), names())
	return true
}

func plain(comment *ast.Comment, written, name string, problems *Problems) {
	pos, end := comment.Slash, comment.Slash+token.Pos(len(written))
	p := problems.Errorf(pos, end, "%s is a plain comment and no directive; write %s", quote(written), quote(prefix+name))
	right := prefix + name
	switch block := strings.HasPrefix(written, "/*"); {
	case !block:
		p.Suggest("Write "+right, pos, end, right)
	case !strings.ContainsAny(comment.Text, "\r\n"):
		// What stands behind the comment goes to a line of its own: it would become part of the directive.
		args := strings.TrimRight(strings.TrimSuffix(comment.Text, "*/")[len(written):], " \t*")
		p.Suggest("Write "+right, pos, comment.End(), right+args+"\n")
	}
}

// likeArguments reports whether the text may be the arguments of a directive, rather than the rest of a sentence.
func likeArguments(spec *Spec, text string, orNone bool) bool {
	fields := strings.Fields(strings.TrimSuffix(text, "*/"))
	if len(fields) == 0 || fields[0] == "//" {
		return orNone
	}
	first, _, _ := strings.Cut(fields[0], ",")
	return strings.ContainsAny(fields[0], "={") || spec.Key(first) != nil || Lookup(first) != nil
}

// meant returns the directive that the word is, is called elsewhere, or is near to; "" where there is none.
func meant(word string) string {
	list := make([]string, len(Table))
	for i := range Table {
		list[i] = Table[i].Name
		for _, elsewhere := range Table[i].Elsewhere {
			if fold(elsewhere) == fold(word) {
				return Table[i].Name
			}
		}
	}
	return Nearest(word, list)
}

// names lists the directives for messages.
func names() string {
	list := make([]string, len(Table))
	for i := range Table {
		list[i] = Table[i].Name
	}
	return strings.Join(list, ", ")
}

// quote is strconv.Quote for texts that are quoted as they stand if they can be.
func quote(text string) string {
	if strings.ContainsAny(text, "\"\\") && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

package directive

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is one argument as go/ast's Directive.ParseArgs splits them: without spaces, or a whole Go string.
type word struct {
	text   string // unquoted
	raw    string // as it stands in the comment
	pos    token.Pos
	quoted bool
	wrong  bool // it begins with a quote and is no Go string; text is empty
}

func (w word) end() token.Pos { return w.pos + token.Pos(len(w.raw)) }

// plain reports whether the text stands in the comment as it is, without escapes.
func (w word) plain() bool { return !w.quoted || w.raw[1:len(w.raw)-1] == w.text }

// span returns the positions of w.text[i:j]. Where escapes hide them, they are those of the whole word.
func (w word) span(i, j int) (pos, end token.Pos) {
	switch {
	case !w.quoted:
		return w.pos + token.Pos(i), w.pos + token.Pos(j)
	case w.plain():
		return w.pos + token.Pos(1+i), w.pos + token.Pos(1+j)
	}
	return w.pos, w.end()
}

// split splits arguments as Directive.ParseArgs does, with three differences: it knows where each word ends, a wrong one
// does not cost the others, and a lone // ends them all.
func split(args string, pos token.Pos) []word {
	var list []word
	for {
		rest := strings.TrimLeftFunc(args, unicode.IsSpace)
		pos += token.Pos(len(args) - len(rest))
		if rest == "" {
			return list
		}
		w := nextWord(rest)
		if w.raw == "//" {
			return list
		}
		w.pos = pos
		list = append(list, w)
		args, pos = rest[len(w.raw):], w.end()
	}
}

// nextWord returns the word that s begins with.
func nextWord(s string) word {
	if s[0] != '"' && s[0] != '`' {
		raw := s[:spaceIn(s)]
		return word{text: raw, raw: raw}
	}
	raw, err := strconv.QuotedPrefix(s)
	if err != nil {
		// Up to the next quote, so that the words behind it are read as they were meant, or else to the next space.
		end := spaceIn(s)
		if i := strings.IndexByte(s[1:], s[0]); i > 0 && end > 1 {
			end = i + 2
		}
		return word{raw: s[:end], quoted: true, wrong: true}
	}
	if next, _ := utf8.DecodeRuneInString(s[len(raw):]); len(raw) < len(s) && !unicode.IsSpace(next) {
		return word{raw: s[:len(raw)+spaceIn(s[len(raw):])], quoted: true, wrong: true}
	}
	text, err := strconv.Unquote(raw)
	return word{text: text, raw: raw, quoted: true, wrong: err != nil}
}

// spaceIn returns the index of the first space in s, or its length.
func spaceIn(s string) int {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(s)
}

// wrongQuotes reports a word that begins with a quote and is no Go string.
func wrongQuotes(w word, problems *Problems) {
	quote := w.raw[:1]
	switch last := strings.LastIndex(w.raw, quote); {
	case w.raw == quote:
		problems.Errorf(w.pos, w.end(), "%s is no argument; remove it", w.raw)
	case last == 0:
		problems.Errorf(w.pos, w.end(), "%[1]s has no closing quote; write %[1]s%[2]s", w.raw, quote).
			suggestText(w.pos, w.end(), w.raw+quote)
	case last == len(w.raw)-1:
		problems.Errorf(w.pos, w.end(), "%s is no Go string; write \\\\ for a backslash in it, or put it in `backquotes`",
			w.raw)
	default:
		problems.Errorf(w.pos, w.end(), `%s goes on after its closing quote; put the whole argument in quotes, as in `+
			`"name=a b"`, w.raw)
	}
}

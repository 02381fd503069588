package directive

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the largest length of an instance's name in bytes.
const maxName = 128

// readName reads a name in which nothing depends on the call.
func (r *reader) readName() (Value, bool) {
	value, ok := r.readTemplate()
	if !ok {
		return value, false
	}
	for _, part := range value.Parts {
		if part.Word != "" || part.Expr != nil {
			r.Errorf(part.Pos, part.End, "%s takes a constant, in which nothing depends on the call; write {{ for a brace",
				r.key.Name)
			return Value{}, false
		}
	}
	value.Parts = nil
	return value, true
}

// readTemplate reads the name of an instance or a configuration. Its one item is the text without its {{.
func (r *reader) readTemplate() (Value, bool) {
	if !utf8.ValidString(r.text) {
		return r.fail("%s is not UTF-8; save the file as UTF-8", r.key.Name)
	}
	start := len(r.text) - len(strings.TrimLeft(r.text, " "))
	text := strings.Trim(r.text, " ")
	var parts []Part
	var name, literal strings.Builder
	from := 0
	flush := func(to int) {
		if literal.Len() > 0 {
			parts = append(parts, Part{Literal: literal.String(), Pos: r.pos(start + from), End: r.pos(start + to)})
			literal.Reset()
		}
	}
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case strings.HasPrefix(text[i:], "{{"), strings.HasPrefix(text[i:], "}}"):
			size = 2
		case c == '{' || c == '}':
			end := strings.IndexByte(text[i:], '}')
			switch {
			case c == '}':
				return r.failAt(start+i, start+i+1, "%s has a } without a { before it; write }} for a brace", r.key.Name)
			case end < 0:
				return r.failAt(start+i, start+i+1, "%s has a { that is not closed; close it, as in {tenant} or {sku}, or write "+
					"{{ for a brace", r.key.Name)
			}
			flush(i)
			end += i + 1
			part, ok := r.placeholder(start+i, start+end)
			if !ok {
				return Value{}, false
			}
			parts = append(parts, part)
			name.WriteString(text[i:end])
			i, from = end, end
			continue
		case !unicode.IsPrint(c):
			return r.failAt(start+i, start+i+size, "%s has the character %U, which can't be seen; remove it",
				r.key.Name, c)
		}
		name.WriteRune(c)
		literal.WriteRune(c)
		i += size
	}
	flush(len(text))
	switch n := name.Len(); {
	case n == 0:
		return r.fail("%s is empty; write %s=%s", r.key.Name, r.key.Name, example(r.key))
	case n > maxName:
		return r.fail("%s is %d bytes long; it must be at most %d", r.key.Name, n, maxName)
	}
	return Value{Items: []Item{{Text: name.String(), Pos: r.pos(start)}}, Parts: parts}, true
}

// TemplateWords are the words in the braces of a [Template] that mean the same everywhere.
var TemplateWords = []string{WordTenant, WordScope, WordMethod, WordInterface}

// placeholder reads what stands in the braces that are r.text[start:end].
func (r *reader) placeholder(start, end int) (Part, bool) {
	pos, stop := r.word.span(r.start+start, r.start+end)
	switch inside := strings.TrimSpace(r.text[start+1 : end-1]); {
	case inside == "":
		r.failAt(start, end, "%s has empty braces; name what stands there, as in {tenant} or {sku}, or write {{}} for the "+
			"braces themselves", r.key.Name)
		return Part{}, false
	case slices.Contains(TemplateWords, inside):
		return Part{Word: inside, Pos: pos, End: stop}, true
	case strings.Contains(inside, "{"):
		r.failAt(start, end, "%s has a { inside of braces; close the first one before it, or write {{ for a brace", r.key.Name)
		return Part{}, false
	}
	expr, ok := r.expr(start, end)
	return Part{Expr: expr, Pos: pos, End: stop}, ok
}

func (r *reader) readIdentifier() (Value, bool) {
	if !token.IsIdentifier(r.text) || r.text == "_" {
		return r.fail("%s is %q; it must be a Go identifier, such as %s", r.key.Name, r.text, example(r.key))
	}
	return Value{Items: []Item{{Text: r.text, Pos: r.pos(0)}}}, true
}

// items splits a list at its commas. The function says what is wrong with an item, or returns "", and what would be
// right in its place, where that is known.
func (r *reader) items(wrong func(item string) (message, right string)) (Value, bool) {
	var value Value
	ok, start := true, 0
	for text := range strings.SplitSeq(r.text, ",") {
		end := start + len(text)
		if text == "" || text != strings.TrimSpace(text) {
			right := r.plainList()
			r.failAt(start, end, "%s must be a list with single commas and nothing else between its items: %s", r.text, right)
			if pos, end := r.word.span(r.start, r.start+len(r.text)); r.word.plain() && right != example(r.key) {
				r.last().suggestText(pos, end, right)
			}
			return Value{}, false
		}
		if message, right := wrong(text); message != "" {
			r.fixAt(start, end, right, "%s", message)
			ok = false
		}
		value.Items = append(value.Items, Item{Text: text, Pos: r.pos(start)})
		start = end + 1
	}
	return value, ok
}

// plainList returns the list as it would be right, without empty items and spaces.
func (r *reader) plainList() string {
	if right := joined([]word{{text: strings.Join(strings.Fields(r.text), "")}}); right != "" {
		return right
	}
	return example(r.key)
}

func (r *reader) readKinds() (Value, bool) {
	kinds := r.key.choices()
	seen := make(map[string]bool)
	return r.items(func(kind string) (message, right string) {
		again := seen[kind]
		seen[kind] = true
		switch near := meant(kind); {
		case again:
			return kind + " is listed twice; remove one of them", ""
		case slices.Contains(kinds, kind):
			return "", ""
		case near == kind:
			return kind + " is not taken here; the list takes " + enumerate(kinds, "and"), ""
		case near != "":
			return fmt.Sprintf("unknown policy %q; did you mean %q?", kind, near), near
		}
		return fmt.Sprintf("unknown policy %q; the list takes %s", kind, enumerate(kinds, "and")), ""
	})
}

// readGoNames reads names of Go in doc-link form: one, or a list.
func (r *reader) readGoNames() (Value, bool) {
	pointer := r.key.Type == Errors || r.key.Type == TypeName
	single := r.key.Type == Function || r.key.Type == TypeName
	if single && strings.Contains(r.text, ",") {
		return r.fail("%s takes one name only; remove what follows the comma", r.key.Name)
	}
	return r.items(func(item string) (message, right string) {
		name := item
		if pointer {
			name = strings.TrimPrefix(item, "*")
		}
		if goName(name) {
			return "", ""
		}
		if meant := goNameMeant(name); goName(meant) {
			right = item[:len(item)-len(name)] + meant
			return item + " is not a name; write " + right, right
		}
		if pkg, typ, ok := strings.Cut(name, ".*"); ok && pointer && goName(pkg+"."+typ) {
			right = "*" + pkg + "." + typ
			return item + " is not a name; write " + right, right
		}
		if goPath(name) && strings.Contains(name, "/") && !strings.Contains(name[strings.LastIndexByte(name, '/'):], ".") {
			return item + " is a package; write " + item + ".Name", ""
		}
		return quote(item) + " is not a name of Go; write Name, pkg.Name or import/path.Name, such as " + example(r.key), ""
	})
}

// goName reports whether name is one in doc-link form: Name, pkg.Name, import/path.Name, and Type.Method behind each.
func goName(name string) bool {
	last := name[strings.LastIndexByte(name, '/')+1:]
	qualifier, identifier := "", last
	if i := strings.LastIndexByte(last, '.'); i >= 0 {
		qualifier, identifier = last[:i], last[i+1:]
	}
	return goPath(name) && token.IsIdentifier(identifier) && identifier != "_" && (qualifier != "" || last == name)
}

// goNameMeant returns a name without what people put around it by habit: f() is called and &f is taken by the generator.
func goNameMeant(name string) string {
	return strings.TrimSuffix(strings.TrimLeft(name, "*&"), "()")
}

// goPath reports whether s has only the characters of an import path, and none of its elements is empty.
func goPath(s string) bool {
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-._~+/", c) {
			return false
		}
	}
	return s != "" && s[0] != '/' && s[0] != '.' && !strings.Contains(s, "//") && !strings.Contains(s, "..")
}

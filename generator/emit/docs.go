package emit

import (
	"cmp"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/resilgen/resilgen/generator/plan"
)

// comment writes paragraphs as a doc comment. A paragraph that begins with a tab is set as it is.
func comment(paragraphs ...string) *jen.Statement {
	code := jen.Null()
	for i, paragraph := range paragraphs {
		if i > 0 {
			code.Comment("//").Line()
		}
		if strings.HasPrefix(paragraph, "\t") {
			for line := range strings.SplitSeq(paragraph, "\n") {
				code.Comment("//" + line).Line()
			}
			continue
		}
		for _, line := range wrap(strings.Fields(paragraph), " ", lineWidth-len("// ")) {
			code.Comment("// " + line).Line()
		}
	}
	return code
}

// wrap joins words to lines of at most width columns where that can be done.
func wrap(words []string, separator string, width int) []string {
	var lines []string
	line := ""
	for i, word := range words {
		if i < len(words)-1 {
			word += strings.TrimRight(separator, " ")
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// doc is the wrapper's doc comment: each method with its chain.
func (w *wrapper) doc() *jen.Statement {
	width := 0
	for _, m := range w.methods {
		width = max(width, utf8.RuneCountInString(m.name))
	}
	var lines []string
	for _, m := range w.methods {
		start := m.name + strings.Repeat(" ", width-utf8.RuneCountInString(m.name)+2)
		chain := m.chain()
		if m.plan.Fallback != nil {
			chain = append([]string{"fallback " + w.links(m.plan.Fallback, " ", " ")}, chain...)
		}
		if len(chain) == 0 {
			chain = []string{"nothing"}
		}
		for _, line := range wrap(chain, ", ", max(40, lineWidth-6-utf8.RuneCountInString(start))) {
			lines = append(lines, "\t"+start+line)
			start = strings.Repeat(" ", utf8.RuneCountInString(start))
		}
	}
	paragraphs := []string{
		w.plan.Name + " is " + article(w.outside.object(w.plan.Interface)) + " " + w.interfaceLink() +
			" that protects the calls it passes on, from the outside in:",
		strings.Join(lines, "\n"),
	}
	if optional := w.optional(); optional != "" {
		paragraphs = append(paragraphs, optional)
	}
	return comment(append(paragraphs, "Make one with ["+w.plan.Constructor+"].")...)
}

// optional says which interfaces beside its own the wrapper has, and, where the wrapped value is likely to have some, that
// it has no others.
func (w *wrapper) optional() string {
	var text string
	if len(w.forwards) > 0 {
		text = "It is " + w.forwarded(" and ") + " too, whose methods call those of the wrapped " + w.interfaceLink() +
			" as they are. "
	}
	switch {
	case !w.plan.Foreign:
	case text == "":
		text = "It has the methods of " + w.interfaceLink() + " and no others: an optional interface that the wrapped " +
			"one implements is hidden, unless wrapper forward names it."
	default:
		text += "Other optional interfaces that the wrapped one implements are hidden, unless wrapper forward names them."
	}
	return strings.TrimSpace(text)
}

// forwarded returns the interfaces beside the wrapper's own, as in "an [http.Flusher] and an [http.Pusher]".
func (w *wrapper) forwarded(last string) string {
	var links []string
	for _, f := range w.forwards {
		links = append(links, f.link())
	}
	return series(links, ", ", last)
}

// link returns the interface with its article, as in "an [http.Flusher]".
func (f *forward) link() string { return article(f.typ) + " [" + f.typ + "]" }

// interfaceLink returns a doc link to the interface.
func (w *wrapper) interfaceLink() string { return "[" + w.outside.object(w.plan.Interface) + "]" }

// article returns a or an, by how the name begins when it is spoken: a type, or one with its package before it.
func article(name string) string {
	runes := []rune(name)
	vowels := "AEIOaeio"
	spelled := len(runes) > 1 && unicode.IsUpper(runes[0]) && unicode.IsUpper(runes[1]) // letter by letter, as SQL is
	if spelled || strings.HasPrefix(name, "http.") || strings.HasPrefix(name, "sql.") {
		runes[0], vowels = unicode.ToUpper(runes[0]), "AEFHILMNORSX"
	}
	if strings.ContainsRune(vowels, runes[0]) {
		return "an"
	}
	return "a"
}

func (w *wrapper) constructorDoc(next, fallbacks, rt string) *jen.Statement {
	with := "with the named policies of " + rt
	if fallbacks != "" {
		with += " and the methods of " + fallbacks + " as fallbacks"
	}
	without := ""
	if len(w.forwards) > 0 {
		without = "if " + next + " is not also " + w.forwarded(" and ") + ", "
	}
	return comment(w.plan.Constructor + " returns a [" + w.plan.Name + "] that calls " + next + ", " + with + ". It fails " +
		"if " + next + " or " + rt + " is nil, if " + next + " is a [" + w.plan.Name + "] already, " + without +
		"or if the configuration of " + rt + " does not fit the annotations.")
}

// chain returns the method's layers from the outside in, as they stand in comments.
func (m *method) chain() []string {
	var chain []string
	for _, l := range m.layers {
		text := l.text()
		if l.plan.Fallback != nil {
			text += " with fallback " + m.wrapper.links(l.plan.Fallback, " ", " ")
		}
		chain = append(chain, text)
	}
	return chain
}

// text returns policy and instance, as in retry inventory, with what is worth knowing of a call there.
func (l *layer) text() string {
	var more []string
	switch permits := l.plan.Permits; {
	case permits.Expr != nil:
		more = append(more, permits.Expr.Text+" permits")
	case permits.Const > 1:
		more = append(more, strconv.FormatInt(permits.Const, 10)+" permits")
	}
	for _, o := range l.plan.Options {
		if o.Key.Name == "backend" {
			more = append(more, "backend "+o.Value.Items[0].Text)
		}
	}
	if l.plan.Pool {
		more = append(more, "pool")
	}
	text := l.plan.Spec.Name + " " + l.plan.Name
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// doc is the public method's doc comment.
func (m *method) doc() *jen.Statement {
	text := m.name + " calls " + m.origin() + " of the wrapped " + m.wrapper.interfaceLink()
	if m.forward != nil {
		return comment(text + ", which is " + m.forward.link() + ".")
	}
	if chain := m.chain(); len(chain) > 0 {
		text += " through " + series(chain, ", ", " and ")
	}
	text += "."
	if f := m.plan.Fallback; f != nil {
		text += " An error"
		for _, l := range m.layers {
			if l.plan.Spec.Name == "retry" {
				text += " that is left after the retries"
			}
		}
		text += " " + m.wrapper.answers(f) + "."
	}
	return comment(text + m.afterwards())
}

// origin returns the method's name, or, for one that another package declares, a link to it there, as in
// [driver.Conn.Begin].
func (m *method) origin() string {
	fn := m.plan.Func
	if m.forward != nil || fn.Pkg() == nil || fn.Pkg() == m.wrapper.plan.Interface.Pkg() {
		return m.name
	}
	in := namedOf(fn.Signature().Recv().Type())
	if in == nil || !in.Obj().Exported() {
		return m.name
	}
	qualifier := importPath(fn.Pkg().Path())
	qualifier = cmp.Or(m.body.importName(qualifier), qualifier)
	return "[" + qualifier + "." + in.Obj().Name() + "." + m.name + "]"
}

// afterwards says what holds of the method's results after it has returned, and of its arguments for a further attempt.
func (m *method) afterwards() string {
	var text string
	var ended []string
	for _, l := range m.layers {
		switch l.plan.Spec.Name {
		case "retry":
			if l.plan.Once {
				text += " A request whose body can be sent but once, because it has no GetBody, is not retried."
			}
		case "circuitbreaker":
			ended = append(ended, "the duration that the circuitbreaker sees")
		case "bulkhead":
			ended = append(ended, "the slot in the bulkhead")
		case "timelimiter":
			if l.plan.Keep != nil {
				what := "result"
				if l.plan.Keep.Field {
					what = "Body of the result"
				}
				text += " The time limit goes on until the " + what + " is closed."
			}
		}
	}
	if m.plan.Read && len(ended) > 0 {
		verb := " ends"
		if len(ended) > 1 {
			verb = " end"
		}
		text += " " + upperFirst(series(ended, ", ", " and ")) + verb + " when " + m.name + " returns, before its result is read."
	}
	if m.plan.Same {
		text += " What it returns as " + m.wrapper.interfaceLink() + " is not wrapped."
	}
	return text
}

func (m *method) layerDoc(l *layer) *jen.Statement {
	return comment(l.method + " is the layer " + l.text() + ".")
}

func (m *method) layerFallbackDoc(i int) *jen.Statement {
	l := m.layers[i]
	text := l.answered + " is " + l.method + " with a fallback around it: an error " +
		m.wrapper.answers(l.plan.Fallback) + "."
	switch {
	case !m.entryTakes(i).caller:
	case m.plan.Context.Rebind:
		text += " A fallback gets " + m.caller + ", whose context is not limited in time."
	default:
		text += " A fallback gets the context " + m.caller + ", which is not limited in time."
	}
	return comment(text)
}

// answers says which handlers answer an error.
func (w *wrapper) answers(f *plan.Fallback) string {
	verb := "may be answered by "
	if answersAll(f.Handlers[len(f.Handlers)-1].Matches) {
		verb = "is answered by "
	}
	return verb + w.links(f, ", ", " or ")
}

// links returns the handlers as links, each function once, with a separator and another one before the last.
func (w *wrapper) links(f *plan.Fallback, separator, last string) string {
	var links []string
	for _, h := range f.Handlers {
		if link := w.link(&h.Func); !slices.Contains(links, link) {
			links = append(links, link)
		}
	}
	return series(links, separator, last)
}

// series joins words with a separator, and another one before the last.
func series(words []string, separator, last string) string {
	end := len(words) - 1
	if end == 0 {
		return words[0]
	}
	return strings.Join(words[:end], separator) + last + words[end]
}

// link returns a doc link to a function.
func (w *wrapper) link(f *plan.Func) string {
	if f.Method {
		if named := namedOf(w.plan.Fallbacks); named != nil {
			return "[" + w.outside.object(named.Obj()) + "." + f.Object.Name() + "]"
		}
		return "[" + f.Object.Name() + "]"
	}
	return "[" + w.outside.object(f.Object) + "]"
}

// handler returns a function's name as it is counted and published: with its package where that is another one, or with
// the type that it is a method of.
func (w *wrapper) handler(f *plan.Func) string {
	name := f.Object.Name()
	if f.Method {
		if named := namedOf(w.plan.Fallbacks); named != nil {
			return w.prefix(named.Obj().Pkg()) + named.Obj().Name() + "." + name
		}
		return name
	}
	return w.prefix(f.Object.Pkg()) + name
}

// namedOf returns the defined type that t is or points to, or nil.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// prefix returns the qualifier of names from another package.
func (w *wrapper) prefix(pkg *types.Package) string {
	if pkg.Path() == w.file.plan.Package.Path() {
		return ""
	}
	return pkg.Name() + "."
}

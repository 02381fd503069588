package directive

import (
	"cmp"
	"errors"
	"go/token"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxInt32 is the largest number of calls, permits or seconds that a key takes.
const maxInt32 = "2147483647"

// A reader turns the text of one value into a Value and reports what is wrong with it.
type reader struct {
	*Problems
	key   *Key
	text  string
	word  word // in which the text stands
	start int  // of the text in word.text
}

// fail reports the whole value.
func (r *reader) fail(format string, args ...any) (Value, bool) {
	return r.failAt(0, len(r.text), format, args...)
}

// failAt reports r.text[i:j].
func (r *reader) failAt(i, j int, format string, args ...any) (Value, bool) {
	return r.fixAt(i, j, "", format, args...)
}

// fix reports the whole value, which should have been right.
func (r *reader) fix(right, format string, args ...any) (Value, bool) {
	return r.fixAt(0, len(r.text), right, format, args...)
}

// fixAt reports r.text[i:j], which should have been right; "" where that is not known.
func (r *reader) fixAt(i, j int, right, format string, args ...any) (Value, bool) {
	pos, end := r.word.span(r.start+i, r.start+j)
	p := r.Errorf(pos, end, format, args...)
	if right != "" && r.word.plain() {
		p.suggestText(pos, end, right)
	}
	return Value{}, false
}

// pos returns the position of r.text[i].
func (r *reader) pos(i int) token.Pos {
	pos, _ := r.word.span(r.start+i, r.start+i)
	return pos
}

func (r *reader) read() (Value, bool) {
	switch r.key.Type {
	case Int:
		return r.readInt()
	case Float, Percent:
		return r.readFloat()
	case Bool:
		return r.readBool()
	case Duration:
		return r.readDuration()
	case Enum:
		return r.readEnum()
	case Text:
		return r.readName()
	case Template:
		return r.readTemplate()
	case Identifier:
		return r.readIdentifier()
	case Kinds:
		return r.readKinds()
	case Path:
		return r.readPath()
	case Count:
		return r.readCount()
	case Directory:
		return r.readDirectory()
	default:
		return r.readGoNames()
	}
}

func (r *reader) readInt() (Value, bool) {
	n, err := strconv.ParseInt(r.text, 10, 64)
	switch {
	case isRange(err):
		return r.fail("%s is %s; it must be %s", r.key.Name, r.text, r.key.limits(true))
	case err != nil:
		if plain, err := strconv.ParseInt(r.text, 0, 64); err == nil {
			return r.fix(strconv.FormatInt(plain, 10), "%s is %s; write %d", r.key.Name, r.text, plain)
		}
		return r.fail("%s is %q; it must be a whole number, such as %s", r.key.Name, r.text, example(r.key))
	}
	return r.within(Value{Int: n}, func(bound string) int {
		limit, _ := strconv.ParseInt(bound, 10, 64)
		return cmp.Compare(n, limit)
	})
}

func (r *reader) readFloat() (Value, bool) {
	f, err := strconv.ParseFloat(r.text, 64)
	switch {
	case isRange(err):
		return r.fail("%s is %s; it must be %s", r.key.Name, r.text, r.key.limits(true))
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		if plain := strings.TrimSuffix(r.text, "%"); plain != r.text && r.key.Type == Percent {
			if _, err := strconv.ParseFloat(plain, 64); err == nil {
				return r.fix(plain, "%s is %s; the number is in percent already: write %s", r.key.Name, r.text, plain)
			}
		}
		return r.fail("%s is %q; it must be a number, such as %s", r.key.Name, r.text, example(r.key))
	}
	return r.within(Value{Float: f}, func(bound string) int {
		limit, _ := strconv.ParseFloat(bound, 64)
		return cmp.Compare(f, limit)
	})
}

func (r *reader) readDuration() (Value, bool) {
	d, err := time.ParseDuration(r.text)
	if err != nil {
		if right := durationMeant(r.text); right != "" {
			fix := right
			if plainNumber.MatchString(r.text) {
				fix = "" // the unit is only guessed
			}
			return r.fix(fix, "%s is %s, which is no duration; write %s", r.key.Name, r.text, right)
		}
		return r.fail("%s is %q; it must be a duration with its unit, such as %s", r.key.Name, r.text, example(r.key))
	}
	return r.within(Value{Duration: d}, func(bound string) int {
		limit, _ := time.ParseDuration(bound)
		return cmp.Compare(d, limit)
	})
}

func (r *reader) readBool() (Value, bool) {
	switch r.text {
	case "true":
		return Value{Bool: true}, true
	case "false":
		return Value{Bool: false}, true
	}
	switch strings.ToLower(r.text) {
	case "true", "yes", "on", "1", "t", "y":
		return r.fix("true", "%s is %s; write true", r.key.Name, r.text)
	case "false", "no", "off", "0", "f", "n":
		return r.fix("false", "%s is %s; write false", r.key.Name, r.text)
	}
	return r.fail("%s is %q; it must be true or false", r.key.Name, r.text)
}

func (r *reader) readEnum() (Value, bool) {
	for i := range r.key.Choices {
		if choice := &r.key.Choices[i]; choice.Text == r.text {
			return Value{Choice: choice}, true
		}
	}
	texts := r.key.choices()
	if near := Nearest(r.text, texts); near != "" {
		return r.fix(near, "%s is %s; did you mean %s?", r.key.Name, r.text, near)
	}
	return r.fail("%s is %q; it must be %s", r.key.Name, r.text, enumerate(texts, "or"))
}

// within returns value if it is in the key's range. The function compares the value with a bound.
func (r *reader) within(value Value, compare func(bound string) int) (Value, bool) {
	key := r.key
	if key.Min != "" {
		if c := compare(key.Min); c < 0 || c == 0 && key.Above {
			return r.fail("%s is %s; it must be %s", key.Name, r.text, key.limits(false))
		}
	}
	if key.Max != "" && compare(key.Max) > 0 {
		return r.fail("%s is %s; it must be %s", key.Name, r.text, key.limits(true))
	}
	return value, true
}

// isRange reports whether a number could be read but is too large for its type.
func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

// enumerate returns the words as in "a, b or c".
func enumerate(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// example returns a value of the key for messages.
func example(key *Key) string {
	switch {
	case key.Default != "":
		return key.Default
	case len(key.Choices) > 0 && key.Type == Enum:
		return key.Choices[0].Text
	}
	switch key.Type {
	case Int, Float, Percent:
		return "1"
	case Bool:
		return "true"
	case Duration:
		return "1s"
	case Functions:
		return "stockUnknown"
	case Function:
		return "functionName"
	case Errors:
		return "ErrNotFound"
	case TypeName:
		return "Fallbacks"
	case TypeNames:
		return "net/http.Flusher"
	case Identifier:
		return "ResilientClient"
	case Kinds:
		return "retry,circuitbreaker"
	case Path:
		return "{req.Context()}"
	case Directory:
		return "./resilient"
	}
	return "inventory"
}

package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resilgen/resilgen/runtime/resil"
)

// value returns what a key gets, in the type of its setting. Where it is wrong it says so and reports false.
func (r *reader) value(k *Key, n *yaml.Node) (any, bool) {
	if k.Type == NameList {
		return r.nameList(k, n)
	}
	if !scalar(n) {
		r.wrong(r.at(n), "%s is %s; it must be %s", k.Name, kindOf(n), k.right())
		return nil, false
	}
	value, err := k.parse(n.Value)
	if err != "" {
		r.wrong(r.at(n), "%s", err)
		return nil, false
	}
	return value, true
}

// nameList reads a list of names, or a text with commas between them, as Spring does.
func (r *reader) nameList(k *Key, n *yaml.Node) (any, bool) {
	names, ok := resil.Names{}, true
	switch {
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolve(item); !scalar(item) {
				r.wrong(r.at(item), "a name in %s is %s; it must be %s", k.Name, kindOf(item), oneName)
				ok = false
				continue
			}
			names = append(names, resil.Named{Text: strings.TrimSpace(item.Value), Position: r.at(item)})
		}
	case scalar(n):
		names = commaList(n.Value, r.at(n))
	default:
		r.wrong(r.at(n), "%s is %s; it must be %s", k.Name, kindOf(n), k.right())
		return nil, false
	}
	for _, name := range names {
		if err := k.checkName(name.Text); err != "" {
			r.wrong(name.Position, "%s", err)
			ok = false
		}
	}
	return names, ok
}

// commaList returns the names of a text with commas between them.
func commaList(text string, at resil.Position) resil.Names {
	names := resil.Names{}
	if strings.TrimSpace(text) == "" {
		return names
	}
	for _, name := range strings.Split(text, ",") {
		names = append(names, resil.Named{Text: strings.TrimSpace(name), Position: at})
	}
	return names
}

// oneName says what a name in a list is.
const oneName = "one word, such as net.Error"

// checkName says what is wrong with a name in a list; "" where nothing is.
func (k *Key) checkName(name string) string {
	switch {
	case name == "":
		return fmt.Sprintf("a name in %s is empty; it must be %s", k.Name, oneName)
	case strings.Contains(name, "${"):
		return k.noPlaceholder(name)
	case strings.ContainsAny(name, " \t\r\n"):
		return fmt.Sprintf("a name in %s is %s; it must be %s", k.Name, quoted(name), oneName)
	}
	return ""
}

func (k *Key) noPlaceholder(text string) string {
	return fmt.Sprintf("%s is %s, and placeholders are not replaced; write the value here, or leave the key out and "+
		"set it by an environment variable", k.Name, quoted(text))
}

// parse turns a text into the value of the key's setting, or says what is wrong.
func (k *Key) parse(text string) (value any, wrong string) {
	if strings.Contains(text, "${") || strings.Contains(text, "#{") {
		return nil, k.noPlaceholder(text)
	}
	trimmed := strings.TrimSpace(text)
	var number float64
	var hint string
	ok := false
	switch k.Type {
	case Bool:
		value, ok = parseBool(trimmed)
	case Int:
		var n int
		n, ok, hint = parseInt(trimmed)
		value, number = n, float64(n)
	case Float:
		var f float64
		f, ok, hint = parseFloat(trimmed)
		value, number = f, f
	case Duration:
		var d time.Duration
		d, ok, hint = parseDuration(trimmed)
		value, number = d, float64(d)
	case Enum:
		if value, ok = k.choice(trimmed); !ok {
			hint = nearest(trimmed, k.choices())
		}
	case Text:
		value, ok = trimmed, trimmed != ""
	}
	if !ok || !k.inRange(number) {
		if hint != "" {
			hint = "; did you mean " + hint + "?"
		}
		return nil, fmt.Sprintf("%s is %s; it must be %s%s", k.Name, shown(text), k.right(), hint)
	}
	return value, ""
}

// shown is a value as it is written, in quotes where it is empty or more than a word.
func shown(text string) string {
	if text == "" || len(text) > 80 || strings.ContainsAny(text, " \t\r\n\"") {
		return quoted(text)
	}
	return text
}

// right says what values are right, with examples.
func (k Key) right() string {
	switch k.Type {
	case Duration:
		return k.Values() + ", such as 50s, 10ms, PT10S, or 5000 for milliseconds"
	case NameList:
		return k.Values() + ", such as [context.DeadlineExceeded, net.Error]"
	}
	return k.Values()
}

// Values says what values the key takes, as in "a whole number from 1 to 1024".
func (k Key) Values() string {
	switch k.Type {
	case Bool:
		return "true or false"
	case Int:
		return "a whole number" + k.ranged()
	case Float:
		return "a number" + k.ranged()
	case Duration:
		return "a duration" + k.ranged()
	case Enum:
		all := k.choices()
		return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
	case NameList:
		return "a list of names"
	case NoMeaning:
		return "anything"
	}
	return "a name"
}

// ranged says what numbers are right, with a space before it.
func (k Key) ranged() string {
	switch {
	case k.Above && k.Max != "":
		return " above " + k.Min + " and at most " + k.Max
	case k.Above:
		return " above " + k.Min
	case k.Min != "" && k.Max != "":
		return " from " + k.Min + " to " + k.Max
	case k.Min == "0":
		return " that is not negative"
	case k.Min != "":
		return " of at least " + k.Min
	}
	return ""
}

// inRange reports whether a number, in nanoseconds where it is a duration, is right.
func (k *Key) inRange(number float64) bool {
	bound := func(text string) float64 {
		if k.Type == Duration {
			d, _, _ := parseDuration(text)
			return float64(d)
		}
		f, _ := strconv.ParseFloat(text, 64)
		return f
	}
	switch {
	case k.Type != Int && k.Type != Float && k.Type != Duration:
		return true
	case k.Min != "" && (number < bound(k.Min) || k.Above && number == bound(k.Min)):
		return false
	}
	return k.Max == "" || number <= bound(k.Max)
}

func (k Key) choices() []string {
	var all []string
	for _, c := range k.Choices {
		all = append(all, c.Text)
	}
	return all
}

// choice returns the value of that text, in whatever spelling.
func (k *Key) choice(text string) (any, bool) {
	for _, c := range k.Choices {
		if uniform(c.Text) == uniform(text) {
			return c.Value, true
		}
	}
	return nil, false
}

func parseBool(text string) (any, bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return nil, false
}

var (
	wholeNumber  = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*(_[0-9]+)*)$`)
	leadingZeros = regexp.MustCompile(`^[+-]?0+([1-9][0-9]*)$`)
	endingZeros  = regexp.MustCompile(`^([+-]?[0-9]+)\.0*$`)
)

func parseInt(text string) (n int, ok bool, hint string) {
	if !wholeNumber.MatchString(text) {
		if parts := leadingZeros.FindStringSubmatch(text); parts != nil {
			hint = parts[1]
		} else if parts := endingZeros.FindStringSubmatch(text); parts != nil {
			hint = parts[1]
		}
		return 0, false, hint
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	return n, err == nil, ""
}

func parseFloat(text string) (f float64, ok bool, hint string) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || strings.ContainsAny(text, "xX") {
		if number, percent := strings.CutSuffix(text, "%"); percent {
			if _, ok, _ := parseFloat(strings.TrimSpace(number)); ok {
				hint = strings.TrimSpace(number)
			}
		}
		return 0, false, hint
	}
	return f, true, ""
}

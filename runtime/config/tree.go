package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resilgen/resilgen/runtime/resil"
)

// largest is how many bytes a file may have.
const largest = 16 << 20

// parseYAML returns the document's one value, or nil if it is empty.
func parseYAML(file string, data []byte) (root *yaml.Node, err error) {
	if len(data) > largest {
		return nil, resil.Problem{
			Position: resil.Position{File: file},
			Text:     fmt.Sprintf("the file has %d bytes; it must have at most %d", len(data), largest),
		}
	}
	// A live file is what somebody else has written: no text may end the process.
	defer func() {
		if reason := recover(); reason != nil {
			root, err = nil, resil.Problem{
				Position: resil.Position{File: file, Line: 1, Column: 1},
				Text:     fmt.Sprintf("it can't be read as YAML: %v", reason),
			}
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case err != nil && err.Error() == "EOF":
		return nil, nil
	case err != nil:
		return nil, syntaxError(file, data, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, resil.Problem{
			Position: positionOf(file, &second),
			Text:     "a second YAML document begins; write everything into one, without ---",
		}
	case err.Error() != "EOF":
		return nil, syntaxError(file, data, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

func positionOf(file string, n *yaml.Node) resil.Position {
	return resil.Position{File: file, Line: max(n.Line, 1), Column: max(n.Column, 1)}
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntaxError turns an error of the YAML parser, which knows the line only in its text and not always, into a Problem.
func syntaxError(file string, data []byte, err error) error {
	parts := yamlLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	problem := resil.Problem{Position: resil.Position{File: file, Line: 1}, Text: "it is not YAML: " + parts[2]}
	if n, err := strconv.Atoi(parts[1]); err == nil {
		problem.Position.Line = max(n, 1)
	} else if offset := offsetOf(parts[2], data); offset >= 0 {
		before := data[:offset]
		problem.Position.Line += bytes.Count(before, []byte("\n"))
		problem.Position.Column = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
		return problem
	}
	lines := strings.Split(string(data), "\n")
	line := lines[min(problem.Position.Line, len(lines))-1]
	text := strings.TrimLeft(line, " \t")
	problem.Position.Column = len(line) - len(text) + 1
	if tab := strings.IndexByte(line[:len(line)-len(text)], '\t'); tab >= 0 {
		problem.Position.Column = tab + 1
		problem.Text = "it is not YAML: a tab indents the line; indent it with spaces"
	}
	return problem
}

var unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)

// offsetOf returns where in data the parser's complaint is about, or a negative number.
func offsetOf(complaint string, data []byte) int {
	if parts := unknownAnchor.FindStringSubmatch(complaint); parts != nil {
		return bytes.Index(data, []byte("*"+parts[1]))
	}
	if !strings.Contains(complaint, "control characters") && !strings.Contains(complaint, "UTF-8") {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
			return i
		}
		i += size
	}
	return -1
}

// An entry is a key and its value.
type entry struct {
	key   *yaml.Node
	path  []segment
	value *yaml.Node // no alias
}

// expansion follows aliases, and merge keys, and counts what comes out of them, so that a short file that stands for an
// enormous one is an error and not a process without memory.
type expansion struct {
	limit, entries int
	under          []*yaml.Node // aliases whose values are being read
}

var errTooLarge = errors.New("too large")

// allowance is how many entries a file may come to by its aliases for each node that it has.
const allowance = 20

func newExpansion(root *yaml.Node) *expansion {
	var nodes int
	var count func(*yaml.Node)
	count = func(n *yaml.Node) {
		nodes++
		for _, child := range n.Content {
			count(child)
		}
	}
	count(root)
	return &expansion{limit: 1000 + allowance*nodes}
}

// resolve returns what n stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// entriesOf returns the entries of a mapping, those that it merges included, in order.
func (r *reader) entriesOf(n *yaml.Node) []entry {
	if slices.Contains(r.expansion.under, n) {
		r.wrong(r.at(n), "the anchor contains itself; remove the alias inside of it")
		return nil
	}
	r.expansion.under = append(r.expansion.under, n)
	defer func() { r.expansion.under = r.expansion.under[:len(r.expansion.under)-1] }()

	var own, merged []entry
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		if r.expansion.entries++; r.expansion.entries > r.expansion.limit {
			panic(errTooLarge)
		}
		switch {
		case key.Kind != yaml.ScalarNode:
			r.wrong(r.at(key), "a key is %s; it must be a word", kindOf(key))
		case key.Tag == "!!merge":
			merged = append(merged, r.mergedBy(value)...)
		case lines[key.Value] > 0:
			r.wrong(r.at(key), "%s is here twice; it is in line %d already", quoted(key.Value), lines[key.Value])
		default:
			lines[key.Value] = key.Line
			own = append(own, entry{key, split(key.Value), value})
		}
	}
	return withoutOverridden(own, merged)
}

// mergedBy returns the entries that a merge key, <<, brings in.
func (r *reader) mergedBy(value *yaml.Node) []entry {
	switch value.Kind {
	case yaml.MappingNode:
		return r.entriesOf(value)
	case yaml.SequenceNode:
		var all []entry
		for _, item := range value.Content {
			if item = resolve(item); item.Kind != yaml.MappingNode {
				r.wrong(r.at(item), "<< merges %s; it must be a mapping", kindOf(item))
				continue
			}
			all = withoutOverridden(all, r.entriesOf(item))
		}
		return all
	}
	r.wrong(r.at(value), "<< merges %s; it must be a mapping, as in <<: *shared", kindOf(value))
	return nil
}

// withoutOverridden returns own and those of merged that own does not have, in whatever spelling.
func withoutOverridden(own, merged []entry) []entry {
	if len(merged) == 0 {
		return own
	}
	has := map[string]bool{}
	for _, e := range own {
		has[uniform(e.key.Value)] = true
	}
	for _, e := range merged {
		if !has[uniform(e.key.Value)] {
			own = append(own, e)
		}
	}
	return own
}

// kindOf says what a node is, with an article.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "empty"
	}
	return quoted(n.Value)
}

// quoted quotes what somebody has written, and cuts it where it is long.
func quoted(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:77]) + "..."
	}
	return strconv.Quote(text)
}

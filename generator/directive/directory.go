package directive

import (
	"path"
	"strings"
	"unicode"
)

// readDirectory reads a directory that is given relative to that of the source, with slashes on every system.
func (r *reader) readDirectory() (Value, bool) {
	switch {
	case strings.TrimSpace(r.text) == "":
		return r.fail("%s is empty; write %s=%s", r.key.Name, r.key.Name, example(r.key))
	case strings.ContainsFunc(r.text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return r.fail("%s is %q, which has characters that can't be seen; remove them", r.key.Name, r.text)
	case path.IsAbs(r.text) || len(r.text) > 1 && r.text[1] == ':':
		return r.fail("%s is %s, which is on this machine only; write it relative to the directory of this file, as in %s",
			r.key.Name, r.text, example(r.key))
	case strings.Contains(r.text, `\`):
		right := path.Clean(strings.ReplaceAll(r.text, `\`, "/"))
		return r.fix(right, "%s is %s; write it with slashes, which every system takes: %s", r.key.Name, r.text, right)
	case strings.HasSuffix(r.text, ".go"):
		return r.fail("%s is %s; it must be a directory: the file in it is always <source>_resil.go", r.key.Name, r.text)
	}
	return Value{Items: []Item{{Text: path.Clean(r.text), Pos: r.pos(0)}}}, true
}

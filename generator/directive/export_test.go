package directive

import "go/token"

// ParseValue reads one value as Parse does, also for a key of a directive that is refused.
func ParseValue(key *Key, text string) (Value, []Problem) {
	var problems Problems
	w := word{text: text, raw: text, pos: 1}
	r := reader{Problems: &problems, key: key, text: text, word: w}
	value, _ := r.read()
	return value, problems.List
}

// Split returns the words of arguments, and whether all of them are right.
func Split(args string, pos token.Pos) (texts []string, positions []token.Pos, ok bool) {
	ok = true
	for _, w := range split(args, pos) {
		texts, positions = append(texts, w.text), append(positions, w.pos)
		ok = ok && !w.wrong
	}
	return texts, positions, ok
}

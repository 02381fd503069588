package directive

import "go/token"

// A Fix is a change of the source that makes a problem go away, as the problem's message proposes it.
type Fix struct {
	Message string // what it does, as in "Write //resil:retry"
	Edits   []Edit // in one file; they do not overlap
}

// An Edit replaces the source from Pos to End.
type Edit struct {
	Pos, End token.Pos
	NewText  string
}

// last returns the problem that was added last.
func (p *Problems) last() *Problem { return &p.List[len(p.List)-1] }

// Suggest adds a fix that replaces the source from pos to end. It returns the problem.
func (p *Problem) Suggest(message string, pos, end token.Pos, text string) *Problem {
	p.Fixes = append(p.Fixes, Fix{Message: message, Edits: []Edit{{Pos: pos, End: end, NewText: text}}})
	return p
}

// rename adds a fix that writes another name in place of the one that the problem covers, unless escapes hide that.
func (p *Problem) rename(from, to string) {
	if p.End-p.Pos == token.Pos(len(from)) {
		p.suggestText(p.Pos, p.End, to)
	}
}

// suggestText adds a fix that writes text in place of the source from pos to end.
func (p *Problem) suggestText(pos, end token.Pos, text string) {
	p.Suggest("Write "+text, pos, end, text)
}

package directive

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
)

// A Problem is something wrong in a source file. The text says what is wrong; what would be right.
type Problem struct {
	Pos     token.Pos
	End     token.Pos // NoPos where only the position is known
	Message string
	Warning bool  // the output is written all the same
	Fixes   []Fix // what the message proposes, where that is one change of the source
}

// Problems collects problems; its zero value is ready for use.
type Problems struct{ List []Problem }

// Errorf adds an error that covers pos to end, and returns it for its fixes. The result is of use until the next problem
// is added.
func (p *Problems) Errorf(pos, end token.Pos, format string, args ...any) *Problem {
	p.List = append(p.List, Problem{Pos: pos, End: end, Message: fmt.Sprintf(format, args...)})
	return p.last()
}

// Warnf adds a warning that covers pos to end.
func (p *Problems) Warnf(pos, end token.Pos, format string, args ...any) {
	p.List = append(p.List, Problem{Pos: pos, End: end, Message: fmt.Sprintf(format, args...), Warning: true})
}

// Failed reports whether one of the problems is an error.
func (p *Problems) Failed() bool {
	for _, problem := range p.List {
		if !problem.Warning {
			return true
		}
	}
	return false
}

// Sort returns problems in the order of their files and positions, whatever order the files were read in, each once: one
// broken type may spoil several interfaces, and a file that belongs to two builds of a package is read twice.
func Sort(fset *token.FileSet, list []Problem) []Problem {
	compare := func(a, b Problem) int {
		p, q := fset.PositionFor(a.Pos, false), fset.PositionFor(b.Pos, false)
		return cmp.Or(
			cmp.Compare(p.Filename, q.Filename),
			cmp.Compare(p.Offset, q.Offset),
			cmp.Compare(a.Message, b.Message),
		)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return slices.CompactFunc(list, func(a, b Problem) bool { return compare(a, b) == 0 })
}

package plan

import (
	"errors"
	"go/token"

	"github.com/resilgen/resilgen/generator/directive"
	"github.com/resilgen/resilgen/generator/source"
)

// unseen reports whether nothing can be said of a name, because its package was not given to source.FromFiles. It counts
// as an error, so that nothing is concluded from the lack of what it stands for.
func (m *maker) unseen(err error) bool {
	if !errors.Is(err, source.ErrUnseen) {
		return false
	}
	m.errors++
	return true
}

// nearestName returns the name that may be meant where one could not be resolved; "" where none is near.
func nearestName(err error) string {
	if wrong, ok := errors.AsType[*source.NameError](err); ok {
		return wrong.Nearest
	}
	return ""
}

// suggest adds the fix to write near in place of an item, unless near is empty or the item does not stand in the source
// as it is read, because of escapes in quotes.
func (m *maker) suggest(p *directive.Problem, item directive.Item, near string) {
	file := m.pkg.FileOf(item.Pos)
	if near == "" || file == nil {
		return
	}
	for _, group := range file.Syntax.Comments {
		for _, comment := range group.List {
			start := item.Pos - comment.Slash
			end := start + token.Pos(len(item.Text))
			if start >= 0 && end <= token.Pos(len(comment.Text)) && comment.Text[start:end] == item.Text {
				p.Suggest("Write "+near, item.Pos, itemEnd(item), near)
				return
			}
		}
	}
}

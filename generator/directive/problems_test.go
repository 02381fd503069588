package directive_test

import (
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

func TestWarningsAloneDoNotFail(t *testing.T) {
	t.Parallel()
	var problems directive.Problems
	require.False(t, problems.Failed())
	problems.Warnf(1, 2, "%s is late", "it")
	require.False(t, problems.Failed())
	problems.Errorf(3, 4, "%s is wrong", "it")
	require.True(t, problems.Failed())
	require.Equal(t, []directive.Problem{
		{Pos: 1, End: 2, Message: "it is late", Warning: true},
		{Pos: 3, End: 4, Message: "it is wrong"},
	}, problems.List)
}

func TestProblemsAreSortedEachOnce(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	later, earlier := fset.AddFile("b.go", -1, 10), fset.AddFile("a.go", -1, 10)
	twice := fset.AddFile("a.go", -1, 10) // read once more
	var problems directive.Problems
	problems.Errorf(later.Pos(1), later.Pos(2), "last")
	problems.Errorf(earlier.Pos(5), earlier.Pos(6), "second")
	problems.Errorf(twice.Pos(5), twice.Pos(6), "second")
	problems.Warnf(earlier.Pos(5), earlier.Pos(6), "first at the same place")
	var messages []string
	for _, p := range directive.Sort(fset, problems.List) {
		messages = append(messages, p.Message)
	}
	require.Equal(t, []string{"first at the same place", "second", "last"}, messages)
}

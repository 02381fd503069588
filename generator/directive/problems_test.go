package directive_test

import (
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

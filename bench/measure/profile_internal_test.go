package measure

import (
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"
)

func TestSharesAddUpByFunction(t *testing.T) {
	t.Parallel()
	call := func(names ...string) []*profile.Location { // the innermost first
		var stack []*profile.Location
		for _, name := range names {
			stack = append(stack, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return stack
	}
	found := shares(&profile.Profile{Sample: []*profile.Sample{
		{Location: call("inner", "outer"), Value: []int64{6}},
		{Location: call("outer"), Value: []int64{2}},
		{Location: call("runtime.asyncPreempt", "outer"), Value: []int64{1}},
		{Location: call("inner", "inner", "outer"), Value: []int64{1}},
	}})
	require.Equal(t, []Share{{"inner", 0.7, 0.7}, {"outer", 0.3, 1}}, found)
}

package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
)

func TestNearestIsTheWordThatWasMeantOrNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word       string
		candidates []string
		want       string
	}{
		{"inventry", []string{"orders", "inventory", "inventions"}, "inventory"},
		{"invetnory", []string{"inventory"}, "inventory"}, // two letters swapped are one edit
		{"inventory", []string{"inventory-a", "inventory"}, "inventory"},
		{"ab", []string{"ac", "ad"}, "ac"}, // the first of two that are equally near
		{"payments", []string{"inventory"}, ""},
		{"", []string{"inventory"}, ""},
		{"inventory", nil, ""},
	} {
		require.Equal(t, c.want, spelling.Nearest(c.word, c.candidates), "%q among %q", c.word, c.candidates)
	}
}

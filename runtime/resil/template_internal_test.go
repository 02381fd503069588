package resil

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNameTemplates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, scope, identity, base, joined string }{
		{"inventory", "", "inventory", "inventory", "inventory"},
		{"", "", "", "", ""},
		{"inventory", "eu", "inventory-eu", "inventory", "inventory-eu"},
		{"{scope}.inventory", "eu", "eu.inventory", "inventory", "eu.inventory"},
		{"inventory-{scope}", "", "inventory-default", "inventory", "inventory-default"},
		{"inventory-{tenant}", "", "inventory-{tenant}", "inventory", "inventory-a"},
		{"inventory-{tenant}", "eu", "inventory-{tenant}-eu", "inventory", "inventory-a-eu"},
		{"{tenant}-inventory", "", "{tenant}-inventory", "inventory", "a-inventory"},
		{"a-{tenant}-b", "", "a-{tenant}-b", "a-b", "a-a-b"},
		{"a.{tenant}/b:{sku}", "", "a.{tenant}/b:{sku}", "a/b", "a.a/b:b"},
		{"a{sku}b", "", "a{sku}b", "ab", "aab"},
		{"{tenant}", "", "{tenant}", "tenant", "a"},
		{"{tenant}-{sku}", "", "{tenant}-{sku}", "tenant-sku", "a-b"},
		{"{tenant}-{sku}-x", "", "{tenant}-{sku}-x", "x", "a-b-x"},
		{"a{{b}-{sku}", "", "a{{b}-{sku}", "a{b}", "a{b}-a"},
		{"{{{sku}}", "", "{{{sku}}", "{}", "{a}"},
		{"{regionOf(req)}/{req.Kind()}", "", "{regionOf(req)}/{req.Kind()}", "regionOf(req)-req.Kind()", "a/b"},
		{"stock-{0}-{1}-{2}-{3}", "", "stock-{0}-{1}-{2}-{3}", "stock", "stock-a-b-c-d"},
		{"lager-ü-{tenant}", "", "lager-ü-{tenant}", "lager-ü", "lager-ü-a"},
	} {
		parsed, err := parseTemplate(c.text, c.scope)
		require.NoError(t, err, c.text)
		require.Equal(t, c.identity, parsed.text, c.text)
		require.Equal(t, c.base, parsed.base, c.text)
		require.Equal(t, c.joined, parsed.join(&[maxValues]string{"a", "b", "c", "d"}), c.text)
	}
}

func TestNameTemplatesThatAreWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a-{tenant":             `the brace at byte 2 of "a-{tenant" is not closed; write {{ for a brace`,
		"a-{}":                  `{} at byte 2 of "a-{}" names no value; write {{ for a brace`,
		"{a{b}":                 `there is a brace inside the braces at byte 0 of "{a{b}"; write {{ for a brace`,
		"{a}{b}{c}{d}{e}":       `"{a}{b}{c}{d}{e}" has 5 values; a name has at most 4`,
		"{tenant}{a}{b}{c}{d}x": `"{tenant}{a}{b}{c}{d}x" has 5 values; a name has at most 4`,
	} {
		_, err := parseTemplate(text, "")
		require.EqualError(t, err, want)
	}
}

// FuzzTemplate holds that a template that is read has a name which says the same when it is read again, and that a name
// made from it leads back to its values.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"inventory", "inventory-{tenant}", "{scope}/{sku}.{tenant}", "a{{b", "{", "{}", "}{", "{a{b}", "{a}{b}{c}{d}{e}",
		"{tenant}", "-{a}-", "{{{a}}", "é-{0}", "{a}b{a}", "a::{x}",
	} {
		f.Add(seed, "eu", "acme", "x-1")
		f.Add(seed, "", "a-a", "a")
	}
	f.Fuzz(func(t *testing.T, text, scope, a, b string) {
		if scope != "" && !valid(scope) {
			t.Skip()
		}
		parsed, err := parseTemplate(text, scope)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.LessOrEqual(t, len(parsed.values), maxValues)
		require.Len(t, parsed.literals, len(parsed.values)+1)
		again, err := parseTemplate(parsed.text, "")
		require.NoError(t, err)
		require.Equal(t, parsed.text, again.text)
		require.Equal(t, parsed.literals, again.literals)
		require.Equal(t, parsed.values, again.values)
		require.NotContains(t, parsed.text, "{scope}")
		if !parsed.constant() {
			require.NotEmpty(t, parsed.base)
		}
		if !valid(a) || !valid(b) {
			return
		}
		values := [maxValues]string{a, b, a, b}
		name := parsed.join(&values)
		require.LessOrEqual(t, len(name), len(strings.Join(parsed.literals, ""))+maxValues*longestValue)
		if parsed.constant() {
			require.Equal(t, parsed.literals[0], name)
			return
		}
		found := false
		parsed.split(name, func(other *[maxValues]string) bool {
			if parsed.join(other) != name { // there may be very many
				t.Fatalf("%q is not read as itself: %q", name, *other)
			}
			found = *other == firstOf(values, len(parsed.values))
			return found
		})
		require.True(t, found)
	})
}

func firstOf(values [maxValues]string, n int) (first [maxValues]string) {
	copy(first[:n], values[:n])
	return first
}

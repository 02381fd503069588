package directive_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

// eachKey runs a test for every key of the table.
func eachKey(t *testing.T, test func(t *testing.T, spec *directive.Spec, key *directive.Key)) {
	t.Helper()
	for i := range directive.Table {
		spec := &directive.Table[i]
		for j := range spec.Keys {
			t.Run(spec.Name+"/"+spec.Keys[j].Name, func(t *testing.T) { test(t, spec, &spec.Keys[j]) })
		}
	}
}

func TestTableIsInTheOrderOfTheDefaultChain(t *testing.T) {
	t.Parallel()
	var names, policies []string
	for i := range directive.Table {
		spec := &directive.Table[i]
		names = append(names, spec.Name)
		if spec.Policy {
			policies = append(policies, spec.Name)
		}
		require.Same(t, spec, directive.Lookup(spec.Name))
	}
	chain := strings.Fields("fallback retry circuitbreaker ratelimiter timelimiter bulkhead")
	require.Equal(t, append(chain, "order", "skip", "ctx", "wrapper"), names)
	require.Equal(t, chain[1:], policies)
	require.Nil(t, directive.Lookup("Retry"))
	require.Nil(t, directive.Lookup(""))
}

func TestListsOfPoliciesTakeThoseOfTheTable(t *testing.T) {
	t.Parallel()
	chain := func(fallback bool) []string {
		var kinds []string
		for _, spec := range directive.Table {
			if spec.Policy || fallback && spec.Name == "fallback" {
				kinds = append(kinds, spec.Name)
			}
		}
		return kinds
	}
	taken := func(name string) []string {
		var kinds []string
		for _, choice := range directive.Lookup(name).Keys[0].Choices {
			kinds = append(kinds, choice.Text)
		}
		return kinds
	}
	require.Equal(t, chain(false), taken("order"))
	require.Equal(t, chain(true), taken("skip"))
}

func TestSpecsAreComplete(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for _, spec := range directive.Table {
		require.Regexp(t, `^[a-z]+$`, spec.Name)
		require.Regexp(t, sentence, spec.Doc, spec.Name)
		require.NotZero(t, spec.On, spec.Name)
		require.Equal(t, spec.Policy || spec.Name == "fallback", spec.Package != "", spec.Name)
		for _, name := range append([]string{spec.Name}, spec.Elsewhere...) {
			folded := strings.ToLower(name)
			require.NotContains(t, seen, folded, "%s and %s are both called %s", spec.Name, seen[folded], name)
			seen[folded] = spec.Name
		}
		for i, key := range spec.Keys {
			if key.Bare {
				require.Len(t, spec.Keys, 1, "%s: a value without a key stands alone", spec.Name)
			}
			same := func(other directive.Key) bool { return strings.EqualFold(other.Name, key.Name) }
			require.Equal(t, i, slices.IndexFunc(spec.Keys, same), "%s has %s twice", spec.Name, key.Name)
		}
	}
}

var sentence = regexp.MustCompile(`^[A-Z].*[.]$`)

func TestKeysAreComplete(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, spec *directive.Spec, key *directive.Key) {
		require.Regexp(t, `^[a-z][A-Za-z0-9]*$`, key.Name)
		require.Regexp(t, sentence, key.Doc)
		require.NotContains(t, key.Doc, "  ")
		require.Same(t, key, spec.Key(key.Name))
		if key.PoolOption != "" {
			require.Equal(t, strings.Replace(key.Option, "With", "WithPool", 1), key.PoolOption)
			require.Empty(t, key.Of, "a key of one type has one option")
		}
		if key.Of != "" {
			require.Contains(t, []string{"semaphore", "pool"}, key.Of)
			require.NotNil(t, spec.Key("type"))
		}
		if key.Option != "" {
			name := strings.ToUpper(key.Name[:1]) + key.Name[1:]
			if key.Type == directive.Errors {
				name += "Rule"
			}
			require.Equal(t, "With"+name, key.Option)
			require.NotEmpty(t, spec.Package)
		}
		function := key.Type == directive.Function || key.Type == directive.Functions
		require.Equal(t, function, key.Func != "")
		choices := key.Type == directive.Enum || key.Type == directive.Kinds
		require.Equal(t, choices, len(key.Choices) > 0)
		texts, constants := make(map[string]bool), make(map[string]bool)
		for _, choice := range key.Choices {
			require.NotEmpty(t, choice.Text)
			require.False(t, texts[choice.Text], "%s is there twice", choice.Text)
			texts[choice.Text] = true
			require.Equal(t, key.Option != "", choice.Go != "", "constants belong to options")
			if choice.Go != "" {
				require.Regexp(t, `^[A-Z][A-Za-z]*$`, choice.Go)
				require.False(t, constants[choice.Go], "%s is there twice", choice.Go)
				constants[choice.Go] = true
			}
		}
	})
}

func TestDefaultsAndBoundsAreValuesOfTheirKeys(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, _ *directive.Spec, key *directive.Key) {
		right := func(text string) directive.Value {
			value, problems := directive.ParseValue(key, text)
			require.Empty(t, problems)
			return value
		}
		if key.Default != "" {
			right(key.Default)
		}
		require.Contains(t, []bool{key.Min != "", true}, key.Above || key.Min != "", "Above says something about Min")
		unbounded := *key
		unbounded.Min, unbounded.Max = "", ""
		number := func(text string) float64 {
			value, problems := directive.ParseValue(&unbounded, text)
			require.Empty(t, problems)
			return float64(value.Int) + value.Float + float64(value.Duration)
		}
		if key.Min != "" && key.Above {
			_, problems := directive.ParseValue(key, key.Min)
			require.Len(t, problems, 1)
		} else if key.Min != "" {
			right(key.Min)
		}
		if key.Max != "" {
			right(key.Max)
		}
		if key.Min != "" && key.Max != "" {
			require.Less(t, number(key.Min), number(key.Max))
		}
	})
}

func TestForeignKeysLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, spec := range directive.Table {
		seen := make(map[string]bool)
		for _, foreign := range spec.Foreign {
			name := strings.ToLower(foreign.Name)
			require.False(t, seen[name], "%s has %s twice", spec.Name, foreign.Name)
			seen[name] = true
			for _, key := range spec.Keys {
				require.False(t, strings.EqualFold(key.Name, name), "%s has the key %s itself", spec.Name, foreign.Name)
			}
			if foreign.Use == "" {
				require.NotEmpty(t, foreign.Note, "%s: %s", spec.Name, foreign.Name)
				continue
			}
			use := spec.Key(foreign.Use)
			require.NotNil(t, use, "%s: %s", spec.Name, foreign.Use)
			require.Empty(t, use.Refused)
		}
	}
}

func TestNamesFromElsewhereAreNamed(t *testing.T) {
	t.Parallel()
	for _, spec := range directive.Table {
		for _, name := range spec.Elsewhere {
			c := parse("//resil:" + name)
			require.True(t, c.ours, name)
			require.Len(t, c.problems, 1, name)
			require.Contains(t, c.problems[0].Message, `"`+spec.Name+`"`, name)
		}
		for _, foreign := range spec.Foreign {
			c := parse("//resil:" + spec.Name + " " + foreign.Name + "=1")
			require.NotEmpty(t, c.problems, foreign.Name)
			require.Contains(t, c.problems[0].Message, foreign.Use)
			require.Contains(t, c.problems[0].Message, foreign.Note)
		}
	}
}

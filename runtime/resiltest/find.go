package resiltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/resilgen/resilgen/runtime/internal/spelling"
	"github.com/resilgen/resilgen/runtime/policy"
	"github.com/resilgen/resilgen/runtime/resil"
)

// named is what the instances of all policies have.
type named[T any] interface {
	*T
	Name() string
}

// namesOf returns the names of the instances in a registry, sorted.
func namesOf[T, O any, P named[T]](registry resil.Registry[T, O]) []string {
	var names []string
	for instance := range registry.All() {
		names = append(names, P(instance).Name())
	}
	slices.Sort(names)
	return names
}

// missing ends the test, because rt has no instance of that name. What names the policy, whose kinds are kinds, for
// people; known are the names that there are.
func missing(t testing.TB, rt *resil.Runtime, what, name string, known []string, kinds ...policy.Kind) {
	t.Helper()
	var hints []string
	for _, names := range rt.NameMetrics() {
		if slices.Contains(kinds, names.Kind) && strings.HasPrefix(name, names.Base) {
			hints = append(hints, fmt.Sprintf("an instance of %q exists from the first call for its tenant on, "+
				"so make one with that context", names.Base))
			break
		}
	}
	near := spelling.Nearest(name, known)
	switch {
	case near != "":
		hints = append(hints, fmt.Sprintf("did you mean %q?", near))
	case len(hints) > 0:
	case len(known) > 0:
		hints = append(hints, "there is "+strings.Join(firstOf(known), ", "))
	default:
		hints = append(hints, "construct the wrapper that names it first")
	}
	t.Fatalf("resiltest: the runtime has no %s %q; %s", what, name, strings.Join(hints, "; "))
}

// firstOf returns as many of the names as a person can take in.
func firstOf(names []string) []string {
	const enough = 10
	if len(names) <= enough {
		return names
	}
	return append(slices.Clone(names[:enough]), fmt.Sprintf("and %d more", len(names)-enough))
}

// off ends the test, because the instance would refuse nothing.
func off(t testing.TB, what, name string) {
	t.Helper()
	t.Fatalf("resiltest: the %s %q is switched off and refuses nothing; enable it, or use a runtime of resiltest.New "+
		"where this one is of resil.Passthrough", what, name)
}

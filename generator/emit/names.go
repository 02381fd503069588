package emit

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"unicode"
)

// predeclared holds the names of the universe.
var predeclared = types.Universe.Names()

// A scope hands out names that differ from each other and from those that were reserved.
type scope struct {
	taken  map[string]bool
	chosen []string // the names that were handed out
}

// scopeSize is the usual number of names beside those that are reserved at first.
const scopeSize = 32

func newScope(reserved ...string) *scope {
	s := &scope{taken: make(map[string]bool, len(reserved)+scopeSize)}
	s.reserve(reserved...)
	return s
}

func (s *scope) reserve(names ...string) {
	for _, name := range names {
		s.taken[name] = true
	}
}

// take makes name one of those that were handed out.
func (s *scope) take(name string) {
	s.reserve(name)
	s.chosen = append(s.chosen, name)
}

// free reports whether name can be declared.
func (s *scope) free(name string) bool {
	return name != "" && name != "_" && !token.IsKeyword(name) && !s.taken[name]
}

// name takes the first of the candidates that is free, or else the last one with a number.
func (s *scope) name(candidates ...string) string {
	last := ""
	for _, name := range candidates {
		if s.free(name) {
			s.take(name)
			return name
		}
		last = name
	}
	for i := 2; ; i++ {
		if name := last + strconv.Itoa(i); s.free(name) {
			s.take(name)
			return name
		}
	}
}

// lowerFirst returns an exported name as an unexported one: Stock is stock, HTTPGet httpGet, URL url and IDs ids.
func lowerFirst(name string) string {
	runes := []rune(name)
	upper := 0
	for upper < len(runes) && unicode.IsUpper(runes[upper]) {
		upper++
	}
	rest := string(runes[upper:])
	if upper > 1 && rest != "" && rest != "s" && unicode.IsLower(runes[upper]) {
		upper-- // the last capital begins the next word
	}
	for i := range upper {
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// upperFirst returns the name with a capital first letter, for use behind another name.
func upperFirst(name string) string {
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}

// isContext reports whether t is context.Context.
func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}

// isError reports whether t is the predeclared type error.
func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// paramNames gives every parameter a name. It keeps its own unless that hides something that the bodies mention. One
// without a name is called by its type, unless that is one of avoid.
func paramNames(params *types.Tuple, s *scope, avoid []string) []string {
	names := make([]string, params.Len())
	for i := range names {
		if own := params.At(i).Name(); s.free(own) {
			names[i] = s.name(own)
		}
	}
	for i := range names {
		if names[i] != "" {
			continue
		}
		param := params.At(i)
		var candidates []string
		switch {
		case isContext(param.Type()):
			candidates = []string{"ctx"}
		case isError(param.Type()):
			candidates = []string{"err"}
		}
		if own := param.Name(); own != "" && own != "_" {
			candidates = append(candidates, own+"Arg")
		} else {
			if name := typeName(param.Type()); !slices.Contains(avoid, name) {
				candidates = append(candidates, name)
			}
			candidates = append(candidates, "p"+strconv.Itoa(i))
		}
		names[i] = s.name(candidates...)
	}
	return names
}

// resultNames gives every result a name for the variables that hold them: its own where it has one that is free, or else
// one that says what it is and is none of avoid.
func resultNames(results *types.Tuple, s *scope, avoid []string) []string {
	names := make([]string, results.Len())
	for i := range names {
		if own := results.At(i).Name(); s.free(own) {
			names[i] = s.name(own)
		}
	}
	s.reserve(avoid...)
	// The error comes first: it is the one that everybody expects to be called err.
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] == "" && isError(results.At(i).Type()) {
			names[i] = s.name("err", "failure")
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = s.name(valueName(results.At(i).Type()), "result")
		}
	}
	return names
}

// valueName returns what a variable of the type may be called.
func valueName(t types.Type) string {
	if basic, ok := t.(*types.Basic); ok {
		switch info := basic.Info(); {
		case info&types.IsInteger != 0:
			return "n"
		case info&types.IsBoolean != 0:
			return "ok"
		}
	}
	if name := typeName(t); name != "" {
		return name
	}
	return "result"
}

// typeName returns the name of a declared type, or of what it points to, as that of a variable; "" where it has none that
// can be one.
func typeName(t types.Type) string {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	var name string
	switch t := t.(type) {
	case *types.Named:
		name = lowerFirst(t.Obj().Name())
	case *types.Alias:
		name = lowerFirst(t.Obj().Name())
	}
	if token.IsKeyword(name) || types.Universe.Lookup(name) != nil {
		return ""
	}
	return name
}

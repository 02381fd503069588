package directive_test

import (
	"go/ast"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/resilgen/resilgen/generator/directive"
)

// FuzzParse checks what holds for every comment: nothing panics, every position lies in the comment and in order, words
// are what go/ast takes them for, and a problem is gone once its fix is made.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/arguments.txt", "testdata/names.txt", "testdata/values.txt"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "/") {
				f.Add(strings.TrimSuffix(line, "\n"))
			}
		}
	}
	for _, seed := range []string{"", "/", "//", "/*", "//resil:retry \"", "//resil:retry `\r`", "//resil:retry name=\"",
		"//resil:order \"0\v\"",
		"//resil:retry name=\xff", "//resil:retry \"name=\\xff\"", "//resil:ctx {", "//resil:ctx }{", "//resil:retry =",
		"//resil:retry name={tenant}-{{{a.B()}}}.{0}", "//resil:retry \"name={ f(a, b.C) }{ scope }\"", "//resil:retry name={}{",
		"//resil:retry \"name=\\x7b{a}\"", "//resil:retry name={a}}{{b}", "//resil:bulkhead configuration={(}",
		"//resil:ratelimiter permits={f(,)}", "//resil:ratelimiter \"permits={f( a )}\"", "//resil:ratelimiter permits={(a)}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const slash = 100
		end := token.Pos(slash + len(text))
		var problems directive.Problems
		d, ours := directive.Parse(&ast.Comment{Slash: slash, Text: text}, &problems)
		if !ours && (d != nil || len(problems.List) > 0) {
			t.Fatalf("%q is not ours, but gives %v and %v", text, d, problems.List)
		}
		for _, p := range problems.List {
			if p.Pos < slash || p.End < p.Pos || p.End > end || p.Message == "" {
				t.Fatalf("%q: problem %+v from %d to %d", text, p, p.Pos, p.End)
			}
			for _, fix := range p.Fixes {
				fixes(t, text, slash, p, fix)
			}
		}
		if d == nil {
			return
		}
		for _, arg := range d.Args {
			if arg.Pos < slash || arg.ValuePos < arg.Pos || arg.End < arg.ValuePos || arg.End > d.End || d.End > end {
				t.Fatalf("%q: argument %+v", text, arg)
			}
			for _, item := range itemsOf(arg.Value) {
				if item.Pos < arg.Pos || item.Pos >= arg.End || item.Text == "" {
					t.Fatalf("%q: item %+v", text, item)
				}
			}
			parts(t, text, arg)
		}
		sameWords(t, text)
	})
}

// parts checks that the parts of a template are one thing each, and stand in the argument.
func parts(t *testing.T, text string, arg directive.Arg) {
	for _, part := range arg.Value.Parts {
		kinds := 0
		for _, is := range []bool{part.Literal != "", part.Word != "", part.Expr != nil} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || part.Pos < arg.Pos || part.End < part.Pos || part.End > arg.End {
			t.Fatalf("%q: part %+v", text, part)
		}
		if part.Expr == nil {
			continue
		}
		for _, path := range part.Expr.Args {
			for _, step := range path {
				if step.Text == "" || step.Pos < part.Pos || step.Pos >= part.End {
					t.Fatalf("%q: step %+v of %+v", text, step, part)
				}
			}
			if len(path) == 0 {
				t.Fatalf("%q: %+v has an empty path", text, part)
			}
		}
	}
}

// fixes checks that a fix of the comment at slash makes the problem go away.
func fixes(t *testing.T, text string, slash token.Pos, problem directive.Problem, fix directive.Fix) {
	for _, edit := range fix.Edits {
		if edit.Pos < slash || edit.End < edit.Pos || edit.End > slash+token.Pos(len(text)) || len(fix.Edits) != 1 {
			t.Fatalf("%q: fix %+v", text, fix)
		}
		fixed := text[:edit.Pos-slash] + edit.NewText + text[edit.End-slash:]
		if !strings.HasPrefix(fixed, "//") {
			continue // an edit within a block comment
		}
		fixed = strings.TrimSuffix(fixed, "\n")
		var left directive.Problems
		directive.Parse(&ast.Comment{Slash: slash, Text: fixed}, &left)
		for _, p := range left.List {
			if p.Pos == problem.Pos && p.Message == problem.Message {
				t.Fatalf("%q: the fix %q leaves %q", text, fixed, p.Message)
			}
		}
	}
}

func sameWords(t *testing.T, text string) {
	line, ok := ast.ParseDirective(1, text)
	if !ok {
		return
	}
	texts, positions, right := directive.Split(line.Args, line.ArgsPos)
	want, err := line.ParseArgs()
	if err != nil {
		// A wrong quote may stand behind //, where it is no concern of ours.
		if right && !strings.Contains(line.Args, "//") {
			t.Fatalf("%q: go/ast says %v", text, err)
		}
		return
	}
	for i, w := range want {
		if i == len(texts) && w.Arg == "//" {
			return
		}
		if i >= len(texts) || texts[i] != w.Arg || positions[i] != w.Pos {
			t.Fatalf("%q: word %d is %+v to go/ast; we have %q at %v", text, i, w, texts, positions)
		}
	}
	if !right || len(texts) != len(want) {
		t.Fatalf("%q: %q, right: %t; go/ast has %d words", text, texts, right, len(want))
	}
}

package directive_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resilgen/resilgen/generator/directive"
)

var update = flag.Bool("update", false, "record what is found in testdata")

// A comment stands at column 2 of line 3 of a file, as one in an interface does.
type comment struct {
	directive *directive.Directive
	ours      bool
	problems  []directive.Problem
	file      *token.File
	text      string
}

const before = "package p\n\n\t"

func parse(text string) *comment {
	file := token.NewFileSet().AddFile("p.go", -1, len(before)+len(text))
	file.SetLinesForContent([]byte(before + text))
	c := &comment{file: file, text: text}
	var problems directive.Problems
	c.directive, c.ours = directive.Parse(&ast.Comment{Slash: file.Pos(len(before)), Text: text}, &problems)
	c.problems = problems.List
	return c
}

func (c *comment) at(pos token.Pos) string {
	p := c.file.Position(pos)
	return fmt.Sprintf("%d:%d", p.Line, p.Column)
}

// covered returns the text from pos to end.
func (c *comment) covered(pos, end token.Pos) string {
	return c.text[c.file.Offset(pos)-len(before) : c.file.Offset(end)-len(before)]
}

// fixed returns the text as it is with a fix.
func (c *comment) fixed(fix directive.Fix) string {
	text := c.text
	for _, edit := range slices.Backward(fix.Edits) {
		start, end := c.file.Offset(edit.Pos)-len(before), c.file.Offset(edit.End)-len(before)
		text = text[:start] + edit.NewText + text[end:]
	}
	return text
}

// describe prints what was found: a line for each problem with the text that it covers and what its fixes make of the
// comment, and a line for each argument.
func (c *comment) describe() string {
	var b strings.Builder
	if !c.ours {
		b.WriteString("\tnot ours\n")
	}
	for _, p := range c.problems {
		fmt.Fprintf(&b, "\t%s [%s] %s\n", c.at(p.Pos), c.covered(p.Pos, p.End), p.Message)
		for _, fix := range p.Fixes {
			fmt.Fprintf(&b, "\t\tfix: %q\n", c.fixed(fix))
		}
	}
	if c.directive == nil {
		return b.String()
	}
	for _, arg := range c.directive.Args {
		fmt.Fprintf(&b, "\t%s [%s] %s at %s = %q", c.at(arg.Pos), c.covered(arg.Pos, arg.End), arg.Key.Name,
			c.at(arg.ValuePos), arg.Text)
		for _, item := range itemsOf(arg.Value) {
			fmt.Fprintf(&b, " %s:%q", c.at(item.Pos), item.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// itemsOf returns all names in a value.
func itemsOf(value directive.Value) []directive.Item {
	items := value.Items
	if e := value.Expr; e != nil {
		if e.Func != nil {
			items = append(items, *e.Func)
		}
		items = append(items, slices.Concat(e.Args...)...)
	}
	return items
}

// The files of testdata hold comments, one a line, and under each what Parse finds in it. A line that begins with # is
// a remark.
func TestCommentsAreReadAsRecorded(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"testdata/arguments.txt", "testdata/names.txt", "testdata/values.txt"} {
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		var got strings.Builder
		for line := range strings.Lines(string(want)) {
			if strings.HasPrefix(line, "\t") {
				continue
			}
			got.WriteString(line)
			if strings.HasPrefix(line, "/") {
				got.WriteString(parse(strings.TrimSuffix(line, "\n")).describe())
			}
		}
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
			continue
		}
		require.Equal(t, string(want), got.String(), path)
	}
}

func TestValuesHaveTheirTypes(t *testing.T) {
	t.Parallel()
	c := parse("//resil:circuitbreaker slidingWindowSize=20 failureRateThreshold=12.5 waitDurationInOpenState=1m30s " +
		"slidingWindowType=TIME_BASED enableRandomizedWait=true enabled=false recordErrors=ErrA,*pkg.E name=a{{b}}")
	require.Empty(t, c.problems)
	value := func(key string) directive.Value { return c.directive.Arg(key).Value }
	require.EqualValues(t, 20, value("slidingWindowSize").Int)
	require.Equal(t, 12.5, value("failureRateThreshold").Float)
	require.Equal(t, 90*time.Second, value("waitDurationInOpenState").Duration)
	require.Equal(t, "TimeBased", value("slidingWindowType").Choice.Go)
	require.True(t, value("enableRandomizedWait").Bool)
	require.False(t, value("enabled").Bool)
	require.Len(t, value("recordErrors").Items, 2)
	require.Equal(t, "a{{b}}", c.directive.Arg("name").Text)
	require.Equal(t, "a{b}", value("name").Items[0].Text)
	require.Nil(t, c.directive.Arg("ignoreErrors"))
}

func TestDirectiveKnowsWhereItStands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"//resil:retry":                              "//resil:retry",
		"//resil:retry  name=a  maxAttempts=2  ":     "//resil:retry  name=a  maxAttempts=2",
		"//resil:retry \"name=a b\" // for a reason": "//resil:retry \"name=a b\"",
		"//resil:skip // everything":                 "//resil:skip",
	} {
		c := parse(text)
		require.Empty(t, c.problems, text)
		require.Equal(t, want, c.covered(c.directive.Pos, c.directive.End), text)
	}
}

func TestWrongArgumentsAreLeftOutAndTheOthersKept(t *testing.T) {
	t.Parallel()
	c := parse("//resil:retry maxAttempts=0 name=a waitDuration=soon")
	require.Len(t, c.problems, 2)
	require.Len(t, c.directive.Args, 1)
	require.Equal(t, "a", c.directive.Arg("name").Text)
}

func TestCountsAreNumbersOrExpressions(t *testing.T) {
	t.Parallel()
	permits := func(text string) (*comment, directive.Value) {
		c := parse("//resil:ratelimiter " + text)
		require.Empty(t, c.problems, text)
		return c, c.directive.Arg("permits").Value
	}
	_, value := permits("permits=3")
	require.EqualValues(t, 3, value.Int)
	require.Nil(t, value.Expr)

	_, value = permits("permits={req.Qty()}")
	require.Nil(t, value.Expr.Func)
	require.Equal(t, "{req.Qty()}", value.Expr.Text)
	require.Len(t, value.Expr.Args, 1)
	require.Equal(t, "Qty()", value.Expr.Args[0][1].Text)

	c, value := permits(`"permits={example.com/shop.Weight(req.Items, 2)}"`)
	require.Equal(t, "example.com/shop.Weight", value.Expr.Func.Text)
	require.Len(t, value.Expr.Args, 2)
	require.Equal(t, "2", value.Expr.Args[1][0].Text)
	require.Equal(t, "3:67", c.at(value.Expr.Args[1][0].Pos))
	require.Equal(t, "{example.com/shop.Weight(req.Items, 2)}", c.covered(value.Expr.Pos, value.Expr.End))
}

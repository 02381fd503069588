package directive_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
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

// describe prints what was found: a line for each problem with the text that it covers, and a line for each argument.
func (c *comment) describe() string {
	var b strings.Builder
	if !c.ours {
		b.WriteString("\tnot ours\n")
	}
	for _, p := range c.problems {
		fmt.Fprintf(&b, "\t%s [%s] %s\n", c.at(p.Pos), c.covered(p.Pos, p.End), p.Message)
	}
	if c.directive == nil {
		return b.String()
	}
	for _, arg := range c.directive.Args {
		fmt.Fprintf(&b, "\t%s [%s] %s at %s = %q", c.at(arg.Pos), c.covered(arg.Pos, arg.End), arg.Key.Name,
			c.at(arg.ValuePos), arg.Text)
		for _, item := range arg.Value.Items {
			fmt.Fprintf(&b, " %s:%q", c.at(item.Pos), item.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
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

func TestRefusedDirectivesAreOursButNotUsable(t *testing.T) {
	t.Parallel()
	for i := range directive.Table {
		spec := &directive.Table[i]
		if spec.Refused == "" {
			continue
		}
		c := parse("//resil:" + spec.Name + " name=a")
		require.True(t, c.ours)
		require.Nil(t, c.directive)
		require.Len(t, c.problems, 1)
		require.Contains(t, c.problems[0].Message, spec.Refused)
	}
}

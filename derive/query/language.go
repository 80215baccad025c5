package query

import (
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
)

// ParseLanguage returns the language of a name. The error is a *diagnose.Problem.
func ParseLanguage(name string) (check.Language, error) {
	for _, l := range []check.Language{check.PCP, check.Extended} {
		if l.String() == name {
			return l, nil
		}
	}
	return check.PCP, Problemf("there is no language '%s'; there are %s and %s", name, check.PCP, check.Extended)
}

// extendedHint tells what accepts an expression that is no mistake in the extended language.
const extendedHint = "--extended evaluates it as it is; at the prompt :set language extended"

// MarkHint tells what makes a file accept an expression of the extended language.
const MarkHint = "the first line of a file in the extended language is: " + syntax.Mark

// SyntaxProblem describes why an expression cannot be parsed.
func SyntaxProblem(text string, err error) *diagnose.Problem {
	return diagnose.Syntax(text, err).Extension(extendedHint)
}

// Marked returns the text of a file of definitions, with the mark of the extended language if one of
// them needs it.
func Marked(text string, exprs []syntax.Expr) string {
	for _, x := range exprs {
		if syntax.Extension(x) != nil {
			return syntax.Mark + "\n\n" + text
		}
	}
	return text
}

// isMark reports whether a chunk is the mark of a file.
func isMark(c *syntax.Chunk) bool {
	return c.Line == 1 && strings.TrimSpace(c.Raw) == syntax.Mark
}

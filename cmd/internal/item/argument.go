package item

import (
	"strconv"
	"strings"
	"time"

	"pmtools/derive/query"
	"pmtools/lib/when"
)

// Interval takes an interval from the front of the argument of :watch: a word that begins with a
// digit, if the text after it can be an expression.
func Interval(arg string) (time.Duration, string) {
	word, rest, ok := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	if !ok || word[0] < '0' || '9' < word[0] || startsOperator(rest) {
		return 0, arg
	}
	d, err := when.ParseInterval(word)
	if err != nil || d <= 0 {
		return 0, arg
	}
	return d, rest
}

// startsOperator reports whether a text goes on with an expression that has begun before.
func startsOperator(s string) bool {
	return s == "" || strings.ContainsRune("+*/<>=!?:&|)", rune(s[0]))
}

// Count takes a number of samples from the front of the argument of :plot.
func Count(arg string) (int, string) {
	word, rest, ok := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	n, err := strconv.Atoi(word)
	if !ok || err != nil || n < 1 || startsOperator(rest) {
		return 0, arg
	}
	return n, rest
}

// File takes the name of a file from the front of an argument. A name with blanks stands in quotes.
func File(arg string) (file, rest string, err error) {
	if quote := arg[0]; quote == '"' || quote == '\'' {
		file, rest, ok := strings.Cut(arg[1:], arg[:1])
		if !ok || file == "" {
			return "", "", query.Problemf("the name of the file has no end: %s", arg)
		}
		return file, strings.TrimSpace(rest), nil
	}
	file, rest, _ = strings.Cut(arg, " ")
	return file, strings.TrimSpace(rest), nil
}

// Expr returns the expression of NAME = EXPR, and other texts as they are.
func Expr(text string) string {
	if it := Parse(text); it.Kind == Definition && it.Text != "" {
		return it.Text
	}
	return text
}

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
	word, rest, ok := strings.Cut(strings.TrimLeft(arg, Blanks), " ")
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

// CutWord takes a word from the front of a text. Quotes keep the blanks in it, and are no part of it.
func CutWord(text string) (word, rest string, err error) {
	text = strings.TrimLeft(text, Blanks)
	var b strings.Builder
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte(Blanks, c) >= 0:
			return b.String(), strings.Trim(text[i:], Blanks), nil
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", "", query.Problemf("a quote is not closed: %s", text)
	}
	return b.String(), "", nil
}

// Words splits a text at blanks outside of quotes.
func Words(text string) (words []string, err error) {
	for text = strings.Trim(text, Blanks); text != "" && err == nil; {
		var word string
		word, text, err = CutWord(text)
		words = append(words, word)
	}
	return words, err
}

// Expr returns the expression of NAME = EXPR, and other texts as they are.
func Expr(text string) string {
	if it := Parse(text); it.Kind == Definition && it.Text != "" {
		return it.Text
	}
	return text
}

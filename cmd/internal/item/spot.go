package item

import (
	"strings"

	"pmtools/derive/query"
)

// A Spot is where in an expression a text ends.
type Spot struct {
	Calls []string // the functions, or "", whose parentheses are open
	Open  byte     // '"', '[' or '/' if the text ends inside one
	From  int      // offset after it
}

// SpotOf walks over the beginning of an expression.
func SpotOf(text string) Spot {
	var sp Spot
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; ch {
		case '(':
			sp.Calls = append(sp.Calls, WordBefore(text[:i]))
		case ')':
			sp.Calls = sp.Calls[:max(len(sp.Calls)-1, 0)]
		case '"', '[', '/':
			if ch == '/' && !patternPlace(text[:i]) {
				continue
			}
			end := closing(text[i+1:], ch)
			if end < 0 {
				sp.Open, sp.From = ch, i+1
				return sp
			}
			i += 1 + end
		}
	}
	return sp
}

// closing returns the offset of what closes a string, an instance name or a pattern, or -1.
func closing(text string, open byte) int {
	end := open
	if open == '[' {
		end = ']'
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == end:
			return i
		case text[i] == '\\' && open != '"':
			i++
		}
	}
	return -1
}

// patternPlace reports whether a slash after a text begins a pattern.
func patternPlace(text string) bool {
	text = strings.TrimRight(strings.TrimRight(text, Blanks), "!")
	return strings.HasSuffix(strings.TrimRight(text, Blanks), "matchinst(")
}

// WordBefore returns the name at the end of a text.
func WordBefore(text string) string {
	i := len(text)
	for i > 0 && query.NameLike(text[i-1:i]) {
		i--
	}
	return text[i:]
}

// ParenBefore returns the parenthesised expression at the end of a text.
func ParenBefore(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return text[i:]
			}
		}
	}
	return ""
}

// GroupingBefore returns the call before by and an open parenthesis at the end of a text, and the word after the
// last label in that.
func GroupingBefore(text string) (call, word string, ok bool) {
	open := strings.LastIndexByte(text, '(')
	if open < 0 || strings.ContainsAny(text[open:], `[]/"`) {
		return "", "", false
	}
	before, ok := strings.CutSuffix(strings.TrimRight(text[:open], Blanks), "by")
	before = strings.TrimRight(before, Blanks)
	paren := ParenBefore(before)
	if !ok || !strings.HasSuffix(before, ")") || paren == "" {
		return "", "", false
	}
	return WordBefore(strings.TrimSuffix(before, paren)) + paren, WordBefore(text), true
}

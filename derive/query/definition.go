package query

import (
	"strings"

	"pmtools/derive/syntax"
)

// blanks is the white space of the language.
const blanks = " \t\n\v\f\r"

// CutDefinition cuts NAME = EXPR at the sign. An expression has '=' alone only after a tag, inside
// parentheses after a comma or a function's name, so everything before the sign must look like a name.
func CutDefinition(text string) (name, expr string, ok bool) {
	name, expr, ok = strings.Cut(text, "=")
	name, expr = strings.TrimSpace(name), strings.Trim(expr, blanks)
	if !ok || strings.HasPrefix(expr, "=") || !NameLike(name) || expr == "" {
		return "", "", false
	}
	return name, strings.TrimRight(expr, ";"+blanks), true
}

// NameLike reports whether a text has the letters of a name of a metric, and no others.
func NameLike(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '.' && c != '_' && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

// LegalName reports whether a metric may have a name. Files may have a dot at its end.
func LegalName(name string) bool { return syntax.LegalName(name) && !strings.HasSuffix(name, ".") }

package lint

import (
	"strings"

	"pmtools/derive"
	"pmtools/derive/syntax"
)

// Text returns a definition with an expression, which may be an expanded one, as the lines of a
// configuration file.
func Text(d *derive.Definition, expr syntax.Expr) string {
	var b strings.Builder
	for _, c := range d.Comments {
		b.WriteString(c + "\n")
	}
	b.WriteString(syntax.FormatDefinition(d.Name(), expr))
	for _, attr := range []string{"oneline", "helptext"} {
		if text := *d.Attribute(attr); text != nil && *text != "" {
			b.WriteString(d.Name() + "(" + attr + ") = " + quote(*text) + "\n")
		}
	}
	return b.String()
}

// quote returns a help text as a configuration file has it: as it is if it can be read so, else in
// quotes.
func quote(text string) string {
	if !strings.ContainsAny(text, "\n\\") && !strings.ContainsAny(text[:1], "\"' \t\v\f\r") {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	b.WriteByte('"')
	return b.String()
}

// marked returns the text of a file of definitions, with the mark of the extended language if one of
// them needs it.
func marked(text string, exprs []syntax.Expr) string {
	for _, x := range exprs {
		if syntax.Extension(x) != nil {
			return syntax.Mark + "\n\n" + text
		}
	}
	return text
}

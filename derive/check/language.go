package check

import (
	"slices"
	"strings"

	"pmtools/derive/syntax"
)

// A Language is a set of expressions.
type Language uint8

// The languages. An expression of PCP's language means the same in both.
const (
	PCP      Language = iota
	Extended          // operands of functions are expressions, and there are more functions
)

// Syntax returns the parser of the language.
func (l Language) Syntax() *syntax.Config {
	c := Syntax()
	c.Extended = l == Extended
	return c
}

// Functions returns the functions of the language by their names. The slice belongs to the caller.
func (l Language) Functions() []Function {
	list := described(functions)
	if l == PCP {
		return list
	}
	list = append(list, described(extensions)...)
	for i := range list {
		f := &list[i]
		if !syntax.Token(f.Name).IsGroupable() {
			continue
		}
		f.Signature = strings.Replace(f.Signature, "METRIC", "EXPR", 1) + " [by (LABEL, ...)]"
		f.Metadata += "; with by one value for each group"
		if f.Name == "max" || f.Name == "min" {
			f.Signature += " or " + f.Name + "(EXPR, EXPR)"
			f.Summary = strings.TrimSuffix(f.Summary, ".") + "; of two operands for each instance."
			f.Metadata += "; two operands must have the same dimensions, be no counters, and have the same instances or one value"
		}
	}
	slices.SortFunc(list, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// OfLine returns the language of a definition in a file.
func OfLine(d *syntax.Definition) Language {
	if d.Extended {
		return Extended
	}
	return PCP
}

// String returns the name of the language.
func (l Language) String() string {
	if l == Extended {
		return "extended"
	}
	return "pcp"
}

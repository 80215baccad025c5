// Package item parses what a user types at the prompt: expressions, definitions, attributes of
// definitions, and commands.
package item

import (
	"errors"
	"pmtools/derive/query"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// A Kind is what an item is.
type Kind int

const (
	Blank Kind = iota // nothing, or a comment
	Command
	Expression
	Definition
	Attribute
)

// An Item is one thing that a user asks for.
type Item struct {
	Kind  Kind
	Name  string // of the command, or of the metric
	Attr  string // of an attribute
	Text  string // the argument, the expression or the value
	Start int    // where that begins in the item
}

// Parse finds out what an item is.
func Parse(src string) Item {
	text := strings.TrimSpace(src)
	start := strings.Index(src, text)
	switch {
	case text == "" || text[0] == '#':
		return Item{}
	case wordItem(text) != "":
		return Item{Kind: Command, Name: wordItem(text)}
	case strings.HasPrefix(text, "help "):
		topic := strings.TrimSpace(text[len("help "):])
		return Item{Kind: Command, Name: "help", Text: topic, Start: start + len(text) - len(topic)}
	case strings.HasPrefix(text, ":!"):
		arg := strings.TrimSpace(text[2:])
		return Item{Kind: Command, Name: "!", Text: arg, Start: start + len(text) - len(arg)}
	case text[0] == ':':
		name, arg, _ := strings.Cut(text[1:], " ")
		arg = strings.TrimSpace(arg)
		return Item{Kind: Command, Name: name, Text: arg, Start: start + len(text) - len(arg)}
	}
	left, right, ok := cutDefinition(text)
	if !ok {
		return Item{Kind: Expression, Text: strings.TrimRight(text, ending), Start: start}
	}
	value := strings.TrimLeft(right, Blanks)
	it := Item{Kind: Definition, Name: strings.TrimSpace(left), Text: value, Start: start + len(text) - len(value)}
	if name, attr, ok := strings.Cut(it.Name, "("); ok {
		it.Kind, it.Name = Attribute, strings.TrimSpace(name)
		it.Attr = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(attr), ")"))
		return it
	}
	it.Text = strings.TrimRight(it.Text, ending)
	return it
}

// ending is what may stand behind an expression: a semicolon, out of habit.
const ending = ";" + Blanks

// wordItem returns the command that a word is which needs no colon, or "".
func wordItem(text string) string {
	switch word := strings.TrimSuffix(strings.TrimRight(text, ending), "()"); word {
	case "help", "quit", "exit":
		return word
	}
	return ""
}

// Blanks is the white space of the language.
const Blanks = " \t\n\v\f\r"

// cutDefinition cuts NAME = EXPR or NAME(ATTR) = TEXT at the sign. An expression has '=' alone only
// after a tag, inside parentheses after a comma or a function's name, so everything before the sign
// must look like a name.
func cutDefinition(text string) (left, right string, ok bool) {
	left, right, ok = strings.Cut(text, "=")
	if !ok || strings.HasPrefix(right, "=") {
		return "", "", false
	}
	name, attr, hasAttr := strings.Cut(strings.TrimSpace(left), "(")
	if !query.NameLike(strings.TrimSpace(name)) {
		return "", "", false
	}
	if hasAttr {
		attr = strings.TrimSpace(attr)
		if !strings.HasSuffix(attr, ")") || strings.ContainsAny(attr, ",") {
			return "", "", false
		}
	}
	return left, right, true
}

// List returns the expressions of a list with commas between them, but for those inside parentheses.
func List(text string) (list []string) {
	for {
		depth, comma := 0, -1
		for _, l := range check.Extended.Syntax().Lexemes(text) {
			switch {
			case l.Tok == syntax.LPAREN:
				depth++
			case l.Tok == syntax.RPAREN:
				depth--
			case l.Tok == syntax.COMMA && depth == 0 && comma < 0:
				comma = int(l.Pos)
			}
		}
		if comma < 0 {
			return append(list, strings.Trim(text, ending))
		}
		list, text = append(list, strings.Trim(text[:comma], Blanks)), text[comma+1:]
	}
}

// Open returns what an expression ends inside: an open parenthesis or string as it begins, or the operator whose
// operand is missing; or "".
func Open(text string) string {
	lexemes := check.Extended.Syntax().Lexemes(text)
	n := len(lexemes)
	switch {
	case n == 0:
		return ""
	case lexemes[n-1].Tok == syntax.ILLEGAL:
		_, err := check.Extended.Syntax().Parse(text)
		bad, ok := errors.AsType[*syntax.Error](err)
		if !ok || !strings.HasPrefix(bad.Msg, "unterminated ") {
			return ""
		}
		return text[lexemes[n-1].Pos:][:1]
	case n > 1 && lexemes[n-1].Tok == syntax.COMMA && int(lexemes[n-1].Pos) == len(strings.TrimRight(text, " \t"))-1:
		return ","
	case lexemes[n-1].Tok != syntax.EOS || n == 1:
		return ""
	}
	depth := 0
	for _, l := range lexemes {
		switch l.Tok {
		case syntax.LPAREN:
			depth++
		case syntax.RPAREN:
			depth--
		}
	}
	switch last := lexemes[n-2].Tok; {
	case depth > 0:
		return "("
	case n > 2 && (last.Precedence() >= 0 || last == syntax.COLON):
		return last.Symbol()
	}
	return ""
}

// Unquote returns the value of a help text: the text between quotes, without backslashes, or an
// unquoted text as it is.
func Unquote(text string) (value string, closed bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text, true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == text[0]:
			return b.String(), true
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case c != '\\':
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

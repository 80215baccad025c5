package repl

import (
	"errors"
	"pmtools/derive/query"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// A kind is what an item is.
type kind int

const (
	blank kind = iota // nothing, or a comment
	command
	expression
	definition
	attribute
)

// An item is one thing that a user asks for.
type item struct {
	kind  kind
	name  string // of the command, or of the metric
	attr  string // of an attribute
	text  string // the argument, the expression or the value
	start int    // where that begins in the item
}

// parseItem finds out what an item is.
func parseItem(src string) item {
	text := strings.TrimSpace(src)
	start := strings.Index(src, text)
	switch {
	case text == "" || text[0] == '#':
		return item{}
	case wordItem(text) != "":
		return item{kind: command, name: wordItem(text)}
	case strings.HasPrefix(text, "help "):
		topic := strings.TrimSpace(text[len("help "):])
		return item{kind: command, name: "help", text: topic, start: start + len(text) - len(topic)}
	case text == "?", strings.HasPrefix(text, "? "), text[0] == '\\' && text != `\`, strings.HasPrefix(text, ".") && foreign(text) != "":
		it := parseItem(foreign(text))
		it.start = max(strings.LastIndex(src, it.text), 0)
		return it
	case text[0] == ':':
		name, arg, _ := strings.Cut(text[1:], " ")
		arg = strings.TrimSpace(arg)
		return item{kind: command, name: name, text: arg, start: start + len(text) - len(arg)}
	}
	left, right, ok := cutDefinition(text)
	if !ok {
		return item{kind: expression, text: strings.TrimRight(text, ending), start: start}
	}
	value := strings.TrimLeft(right, blanks)
	it := item{kind: definition, name: strings.TrimSpace(left), text: value, start: start + len(text) - len(value)}
	if name, attr, ok := strings.Cut(it.name, "("); ok {
		it.kind, it.name = attribute, strings.TrimSpace(name)
		it.attr = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(attr), ")"))
		return it
	}
	it.text = strings.TrimRight(it.text, ending)
	return it
}

// ending is what may stand behind an expression: a semicolon, out of habit.
const ending = ";" + blanks

// wordItem returns the command that a word is which needs no colon, or "".
func wordItem(text string) string {
	switch word := strings.TrimSuffix(strings.TrimRight(text, ending), "()"); word {
	case "help", "quit", "exit":
		return word
	}
	return ""
}

// others are the commands of other programs' prompts, psql's and duckdb's, and what they are here.
var others = map[string]string{
	`\q`: "quit", `\?`: "help", `\h`: "help", `?`: "help", `\d`: "metrics", `\dt`: "metrics", `\l`: "list", `\i`: "run", `\o`: "output",
	`\e`: "edit", `\timing`: "timing", `\c`: "source", `\x`: "vertical", `\set`: "set", `\watch`: "watch",
	".quit": "quit", ".exit": "quit", ".help": "help", ".tables": "metrics", ".read": "run", ".output": "output", ".timer": "timing",
}

// foreign returns the command that does here what one of another program's prompt does. One that is
// unknown is so under its own name, unless it may be something else.
func foreign(text string) string {
	word, arg, _ := strings.Cut(text, " ")
	name, known := others[strings.TrimRight(word, ";")]
	switch {
	case !known && text[0] == '.':
		return ""
	case !known:
		name = word
	case name == "metrics" && arg != "" && !strings.ContainsAny(arg, "*?["):
		name = "desc"
	}
	return strings.TrimSpace(":" + name + " " + strings.TrimRight(arg, "; "))
}

// blanks is the white space of the language.
const blanks = " \t\n\v\f\r"

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

// Incomplete reports whether an item waits for another line: it ends in a backslash, or has a
// parenthesis, a bracket or a string that is open. An item that is wrong already does not wait.
func Incomplete(text string) bool {
	if strings.HasSuffix(text, `\`) {
		return true
	}
	switch it := parseItem(text); it.kind {
	case expression, definition:
		return openExpr(it.text)
	case command:
		if c := findCommand(it.name); c != nil && c.expr {
			return openExpr(it.text)
		}
	case attribute:
		_, closed := unquote(it.text)
		return !closed
	}
	return false
}

// Join puts the next line behind an item that waits for it.
func Join(text, line string) string {
	if head, ok := strings.CutSuffix(text, `\`); ok {
		return head + line
	}
	if parseItem(text).kind == attribute {
		return text + "\n" + line
	}
	return text + " " + line
}

// openExpr reports whether an expression ends inside something.
func openExpr(text string) bool {
	lexemes := check.Syntax().Lexemes(text)
	if len(lexemes) == 0 {
		return false
	}
	switch last := lexemes[len(lexemes)-1]; last.Tok {
	case syntax.ILLEGAL:
		_, err := check.Syntax().Parse(text)
		bad, ok := errors.AsType[*syntax.Error](err)
		return ok && strings.HasPrefix(bad.Msg, "unterminated ")
	case syntax.EOS:
		depth := 0
		for _, l := range lexemes {
			switch l.Tok {
			case syntax.LPAREN:
				depth++
			case syntax.RPAREN:
				depth--
			}
		}
		return depth > 0
	}
	return false
}

// unquote returns the value of a help text: what is between quotes, with its backslashes removed,
// or the text itself.
func unquote(text string) (value string, closed bool) {
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

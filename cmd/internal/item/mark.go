package item

import (
	"pmtools/derive/check"
	"pmtools/derive/syntax"
)

// A Mark is a part of an item that editors show in a colour: bytes From up to To.
type Mark struct {
	From, To int
	Of       MarkKind
}

// A MarkKind is what a part of an item is.
type MarkKind int

// The parts that have marks.
const (
	Word     MarkKind = iota // the name of a command
	Function                 // a function or a tag
	Number
	Text  // a string, an instance, a pattern
	Wrong // where the expression cannot go on
)

// Marks returns the marks of an item in their order. exprOf returns the expression at the end of the
// argument of a command, "" if there is none.
func Marks(text string, exprOf func(command, arg string) string) (list []Mark) {
	it := Parse(text)
	switch {
	case it.Kind == Command && it.Start > 0 && it.Text != "":
		list = append(list, Mark{0, it.Start, Word})
		expr := exprOf(it.Name, it.Text)
		if expr == "" {
			return list
		}
		it.Start += len(it.Text) - len(expr)
		it.Text = expr
	case it.Kind == Command:
		return append(list, Mark{0, len(text), Word})
	case it.Kind != Expression && it.Kind != Definition:
		return nil
	}
	lexemes := check.Extended.Syntax().Lexemes(it.Text)
	for i, l := range lexemes {
		end := len(it.Text)
		if i+1 < len(lexemes) && lexemes[i+1].Tok != syntax.EOS { // the end is at the last byte
			end = int(lexemes[i+1].Pos)
		}
		if kind, ok := markOf(l.Tok, i+1 == len(lexemes)); ok {
			list = append(list, Mark{it.Start + int(l.Pos), it.Start + end, kind})
		}
	}
	return list
}

// markOf returns the mark of a token. The last one is the end, or the one that is wrong.
func markOf(t syntax.Token, last bool) (kind MarkKind, ok bool) {
	switch {
	case t == syntax.EOS || last && t == syntax.COMMA:
		return 0, false
	case last:
		return Wrong, true
	case t == syntax.INTEGER, t == syntax.DOUBLE:
		return Number, true
	case t == syntax.STRING, t == syntax.INSTNAME, t == syntax.PATTERN:
		return Text, true
	case t >= syntax.TYPE:
		return Function, true
	}
	return 0, false
}

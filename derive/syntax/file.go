package syntax

import (
	"fmt"
	"strings"
)

// A Place is a line of a file.
type Place struct {
	File string
	Line int // the first line of those that were joined, from 1
}

// String returns the place in the form [FILE:LINE].
func (p Place) String() string { return fmt.Sprintf("[%s:%d]", p.File, p.Line) }

// An Item is a [*Definition], an [*Attribute], a [*Control] or a [*FileError] in a configuration file. Items are
// loaded in the order of the text: later ones depend on earlier ones, and messages are expected in this order.
type Item interface {
	item()
}

// A Definition is a line NAME = EXPRESSION. The name is legal; the expression is not parsed yet.
type Definition struct {
	Place
	Name   string
	Text   string // what follows the '=', exactly
	Offset int    // of the expression in Text, after blanks

	Extended bool // the file says that its language is the extended one
}

// An Attribute is a line NAME(ATTR) = VALUE. Whether there are such a metric and such an attribute
// is not known yet.
type Attribute struct {
	Place
	Name   string
	Attr   string
	Value  string // without quotes and escapes
	Source string // the line, as messages show it
}

// A Control is a line #control OPTIONS.
type Control struct {
	Place
	Options string // may be empty
}

// A FileError is a message about a line of a file.
type FileError struct {
	Place
	Warning bool
	Msg     string
	Detail  string // more lines, each with its newline; may be empty
}

func (*Definition) item() {}
func (*Attribute) item()  {}
func (*Control) item()    {}
func (*FileError) item()  {}

// Expr returns the text of the expression.
func (d *Definition) Expr() string { return d.Text[d.Offset:] }

// SyntaxError returns the message about a definition that could not be registered. The position of
// err counts from the start of the expression.
func (d *Definition) SyntaxError(err *Error) *FileError {
	detail := d.Text + "\n" + caret(d.Text, Pos(d.Offset)+err.Pos) + "\n"
	if err.Msg != "" {
		detail += err.Msg + "\n"
	}
	return &FileError{Place: d.Place, Msg: "pmRegisterDerived(" + d.Name + ", ...) syntax error", Detail: detail}
}

// NotDefined returns the message for an attribute of a metric that is not defined.
func (a *Attribute) NotDefined() *FileError {
	return a.fail("cannot set attribute, derived metric (" + a.Name + ") not defined")
}

// Unknown returns the message for an attribute that does not exist.
func (a *Attribute) Unknown() *FileError {
	return a.fail("attribute (" + a.Attr + ") is unknown for metric (" + a.Name + ")")
}

// Duplicate returns the message for an attribute that the metric has already.
func (a *Attribute) Duplicate() *FileError {
	return a.fail("duplicate value for attribute (" + a.Attr + ") of metric (" + a.Name + ")")
}

func (a *Attribute) fail(msg string) *FileError {
	return &FileError{Place: a.Place, Msg: loader + msg, Detail: a.Source + "\n"}
}

// Error returns the first line of the message.
func (e *FileError) Error() string {
	kind := "Error"
	if e.Warning {
		kind = "Warning"
	}
	return e.Place.String() + " " + kind + ": " + e.Msg
}

// Text returns the whole message, each of its lines with a newline.
func (e *FileError) Text() string { return e.Error() + "\n" + e.Detail }

// loader begins the messages of the loader.
const loader = "pmLoadDerivedConfig: "

// LegalName reports whether the loader takes a name for a metric: words with single dots between
// them; a dot at the end is tolerated.
func LegalName(name string) bool {
	name = strings.TrimSuffix(name, ".")
	for word := range strings.SplitSeq(name, ".") {
		if word == "" || !isLetter(word[0]) {
			return false
		}
		for i := range len(word) {
			if !isWord(word[i]) {
				return false
			}
		}
	}
	return true
}

// Package diagnose explains mistakes in expressions to people: what was found and what was expected,
// the operands with their metadata, names like an unknown one, and what to write instead.
package diagnose

import (
	"errors"
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/syntax"
	"pmtools/internal/textwidth"
	"pmtools/lib/format"
	"pmtools/lib/pcp"
	"pmtools/lib/pmerr"
)

// A Problem describes a mistake for people.
type Problem struct {
	Msg   string   // one line, lower case
	Src   string   // the text that Pos is an offset into; empty if there is no place to show
	Pos   int      // of the wrong byte; the length of Src for its end
	Notes []string // more lines
	// Unknown is the name of a metric that is not known, or has metrics below it, if that is wrong.
	Unknown string
	Fixes   []syntax.Fix // changes of Src, the likeliest first
	Code    pmerr.Code   // what PCP calls it, or 0
	Err     error        // the cause, or nil

	lang check.Language
}

// Check describes why an expression means nothing: by its operands with their metadata, and by names
// like an unknown one. A mistake in a definition is shown at the name in the expression that leads
// to it. Names returns the names that are known; it is called for an unknown one only, and may be
// nil.
func Check(text string, err error, names func(unknown string) []string) *Problem {
	bad, ok := errors.AsType[*check.Error](err)
	if !ok {
		return &Problem{Msg: err.Error(), Src: text, Err: err}
	}
	p := &Problem{Msg: LowerFirst(bad.Text), Src: text, Pos: int(bad.Pos), Notes: bad.Notes, Code: pmerr.BadDerive, Err: err}
	if name, ok := strings.CutPrefix(bad.What, "operand "); ok {
		p.operand(bad, name, names)
	}
	for _, o := range bad.Operands {
		p.Notes = append(p.Notes, fmt.Sprintf("%s %s: %s", o.Role, operandText(o.Expr), Metadata(o.Type)))
	}
	p.hint(bad)
	if len(bad.Path) > 0 {
		p.Pos, p.Fixes = int(bad.Path[0].NamePos), nil // they are for another text
		p.inside(bad)
	}
	return p
}

// operandText returns an operand, cut if it is long.
func operandText(x syntax.Expr) string {
	if nest, ok := x.(*syntax.NestExpr); ok {
		x = nest.Ref
	}
	return textwidth.Cut(syntax.PrintPrefix(x, 8*60), 60)
}

// Metadata describes values in one line.
func Metadata(t check.Type) string {
	d := t.Desc(pcp.NullID)
	return string(format.AppendSummary(nil, &d))
}

// operand describes the mistake in a metric.
func (p *Problem) operand(bad *check.Error, name string, names func(string) []string) {
	switch bad.Text {
	case "Unknown operand metric", "Unknown metric for ternary expression":
		p.Msg, p.Unknown = "unknown metric "+name, name
		switch {
		case errors.Is(bad.Err, pmerr.NonLeaf):
			p.Msg = name + " is not a metric, but has metrics below it"
		case names != nil:
			p.likeName(name, names(name))
		}
	case "Metadata for operand metric not available":
		p.Msg = "the metadata of " + name + " is not available"
	case "Illegal nested derived metric":
		p.Msg = name + " is a derived metric, which the language does not allow inside another"
		if errors.Is(bad.Err, check.ErrLoop) {
			p.Msg = "the metadata of " + name + " is that of itself"
		}
	default:
		p.Msg += " " + name
	}
}

// inside notes the definitions that a mistake is in, the innermost and the outermost, unless there
// are notes that say it.
func (p *Problem) inside(bad *check.Error) {
	if bad.Notes != nil {
		return
	}
	last := len(bad.Path) - 1
	p.Notes = append(p.Notes, "in the definition of "+bad.Path[last].Name)
	if last > 0 {
		p.Notes = append(p.Notes, "in the definition of "+bad.Path[0].Name)
	}
}

// Error returns the message on one line, with the column, counted in bytes from 1.
func (p *Problem) Error() string {
	if p.Src == "" {
		return p.Msg
	}
	return fmt.Sprintf("column %d: %s", p.Pos+1, p.Msg)
}

// Unwrap returns the code and the cause, if there are.
func (p *Problem) Unwrap() (errs []error) {
	if p.Code != 0 {
		errs = append(errs, p.Code)
	}
	if p.Err != nil {
		errs = append(errs, p.Err)
	}
	return errs
}

// From returns a Problem that says what an error says, with its code.
func From(err error) *Problem {
	p := &Problem{Msg: err.Error(), Err: err}
	if c := pmerr.Of(err); c != pmerr.Generic {
		p.Code = c
	}
	return p
}

// Joined returns the errors that errors.Join has put together, if there are Problems among them, or else
// the one error.
func Joined(err error) (list []error) {
	_, some := errors.AsType[*Problem](err)
	switch e := err.(type) {
	case *Problem, interface{ As(any) bool }: // it has causes
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			list = append(list, Joined(err)...)
		}
	}
	if !some || list == nil {
		return []error{err}
	}
	return list
}

// Extension notes what to type for an expression of the extended language that the parser of PCP's
// language has refused. It does nothing for other mistakes.
func (p *Problem) Extension(how string) *Problem {
	if p.lang == check.PCP && p.Src != "" && !parses(check.PCP, p.Src) && parses(check.Extended, p.Src) {
		p.Notes = append(p.Notes, how)
	}
	return p
}

package derive

import (
	"errors"
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

// A refusal is the reason why a definition was refused. It unwraps to a *syntax.Error (also for a
// duplicate name or an exceeded limit, which are found before parsing) or a *check.Error, and to
// pmerr.BadDerive. errors.As also finds a *diagnose.Problem, which is made on demand.
type refusal struct {
	name, expr string
	local      bool // it was for one Source (pmAddDerivedMetric), not for a Registry
	early      bool // refused before the expression was looked at
	err        error
}

// Error returns one line: the name, the offset and the mistake.
func (r *refusal) Error() string { return "derived metric " + r.name + ": " + r.err.Error() }

// Unwrap returns the code and the cause.
func (r *refusal) Unwrap() []error { return []error{pmerr.BadDerive, r.err} }

// As sets a *diagnose.Problem to what explains the mistake to people.
func (r *refusal) As(target any) bool {
	p, ok := target.(**diagnose.Problem)
	if ok {
		*p = r.problem(nil)
	}
	return ok
}

// problem proposes from the names that names returns; nil proposes none.
func (r *refusal) problem(names func(string) []string) *diagnose.Problem {
	p := &diagnose.Problem{Msg: r.name + ": " + diagnose.LowerFirst(sentence(r.err))}
	if _, ok := errors.AsType[*syntax.Error](r.err); ok && !r.early {
		p = diagnose.Syntax(r.expr, r.err)
	} else if _, ok := errors.AsType[*check.Error](r.err); ok {
		p = diagnose.Check(r.expr, r.err, names)
	}
	p.Err, p.Code = r, pmerr.BadDerive
	return p
}

// sentence returns what pmDerivedErrStr gives, which is empty for many mistakes.
func sentence(err error) string {
	if s, ok := errors.AsType[*syntax.Error](err); ok {
		return s.Msg
	}
	if s, ok := errors.AsType[*check.Error](err); ok {
		return s.Text
	}
	return err.Error()
}

// early reports whether a definition was refused before its expression was looked at.
func early(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.early
}

// Message returns the lines that pmRegisterDerivedMetric and pmAddDerivedMetric give for an error of
// Register and Add, each with its newline: the function, the expression, a caret, and the text if there is
// one. It is empty for other errors.
func Message(err error) string {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return ""
	}
	var b strings.Builder
	place, ok := errors.AsType[*syntax.Error](r.err)
	switch {
	case r.local && r.early:
		fmt.Fprintf(&b, "Error: pmAddDerivedMetric(\"%s\", ...): returns %d\n", r.name, int32(pmerr.BadDerive))
	case r.local && ok:
		fmt.Fprintf(&b, "Syntax Error: pmAddDerivedMetric(\"%s\", ...)\n", r.name)
	case r.local:
		fmt.Fprintf(&b, "Semantic Error: pmAddDerivedMetric(\"%s\", ...)\n", r.name)
	default:
		fmt.Fprintf(&b, "Error: pmRegisterDerivedMetric(\"%s\", ...)\n", r.name)
	}
	if !r.local || !r.early {
		var pos syntax.Pos
		if ok {
			pos = place.Pos
		}
		fmt.Fprintf(&b, "%s\n%s\n", r.expr, syntax.CaretOffset(pos))
	}
	if t := sentence(r.err); t != "" {
		b.WriteString(t + "\n")
	}
	return b.String()
}

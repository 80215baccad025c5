package derive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pmtools/derive/check"
	"pmtools/derive/diagnose"
	"pmtools/derive/syntax"
	"pmtools/lib/pmerr"
)

const badDerive = pmerr.BadDerive

// An Error says why a definition was refused. It unwraps to a *syntax.Error (also for what was
// wrong before parsing: a duplicate name, a limit) or, from Source.Add, a *check.Error, and to a
// pmerr.Code, normally pmerr.BadDerive.
type Error struct {
	Name  string // of the metric
	Expr  string
	Local bool // it was for one Source (pmAddDerivedMetric), not for a Registry
	Early bool // refused before the expression was looked at
	Err   error
	Code  pmerr.Code
}

// Error returns one line: the name, the offset and what is wrong.
func (e *Error) Error() string { return "derived metric " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause and the code.
func (e *Error) Unwrap() []error { return []error{e.Err, e.Code} }

// Diagnosis explains the mistake to people: what was expected, the operands with their metadata, what
// to write instead. [Source.Diagnose] proposes names for unknown ones too.
func (e *Error) Diagnosis() *diagnose.Problem { return e.diagnosis(nil) }

// diagnosis proposes from the names that names returns; nil proposes none.
func (e *Error) diagnosis(names func(string) []string) *diagnose.Problem {
	if _, ok := errors.AsType[*syntax.Error](e.Err); ok && !e.Early {
		return diagnose.Syntax(e.Expr, e.Err)
	}
	if _, ok := errors.AsType[*check.Error](e.Err); ok {
		return diagnose.Check(e.Expr, e.Err, names)
	}
	return &diagnose.Problem{Msg: e.Name + ": " + diagnose.LowerFirst(e.Text()), Err: e}
}

// Diagnose is the Diagnosis of an error of Add, with names like an unknown one: for them all names
// are read. It is nil for other errors.
func (s *Source) Diagnose(ctx context.Context, err error) *diagnose.Problem {
	bad, ok := errors.AsType[*Error](err)
	if !ok {
		return nil
	}
	return bad.diagnosis(s.Proposals(ctx))
}

// Proposals returns a function for [diagnose.Check]: all names that there are, whatever the unknown one.
func (s *Source) Proposals(ctx context.Context) func(string) []string {
	return func(string) (names []string) {
		// With an error there are fewer proposals.
		_ = s.WalkNames(ctx, "", func(name string) bool { names = append(names, name); return true })
		return names
	}
}

// Explain returns an error of Add as text for people: the mistake, the expression with a caret, and
// the likely intention, each line with its newline.
func (s *Source) Explain(ctx context.Context, err error) string {
	if p := s.Diagnose(ctx, err); p != nil {
		return p.Text()
	}
	return err.Error() + "\n"
}

// Offset returns the place in the expression that the caret points at, -1 if the expression is
// empty.
func (e *Error) Offset() int {
	if s, ok := errors.AsType[*syntax.Error](e.Err); ok {
		return int(s.Pos)
	}
	return 0
}

// Text returns what pmDerivedErrStr gives, which is empty for many mistakes.
func (e *Error) Text() string {
	if s, ok := errors.AsType[*syntax.Error](e.Err); ok {
		return s.Msg
	}
	if s, ok := errors.AsType[*check.Error](e.Err); ok {
		return s.Text
	}
	return e.Err.Error()
}

// Message returns the lines that pmRegisterDerivedMetric and pmAddDerivedMetric give, each with its
// newline: what was called, the expression, a caret, and the text if there is one (derived.md D4.4,
// D4.5).
func (e *Error) Message() string {
	var b strings.Builder
	switch {
	case e.Local && e.Early:
		fmt.Fprintf(&b, "Error: pmAddDerivedMetric(\"%s\", ...): returns %d\n", e.Name, int32(e.Code))
	case e.Local:
		kind := "Semantic"
		if _, ok := errors.AsType[*syntax.Error](e.Err); ok {
			kind = "Syntax"
		}
		fmt.Fprintf(&b, "%s Error: pmAddDerivedMetric(\"%s\", ...)\n", kind, e.Name)
		e.caret(&b)
	default:
		fmt.Fprintf(&b, "Error: pmRegisterDerivedMetric(\"%s\", ...)\n", e.Name)
		e.caret(&b)
	}
	if t := e.Text(); t != "" {
		b.WriteString(t)
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *Error) caret(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n%s\n", e.Expr, syntax.CaretOffset(syntax.Pos(e.Offset())))
}

package fetchgroup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pmtools/internal/suggest"
	"pmtools/lib/pmapi"
	"pmtools/lib/pmerr"
)

// A Mistake is an error in one field of a struct.
type Mistake struct {
	Field string // Struct.Field
	Tag   string
	Pos   int    // the byte of the tag
	Notes string // lines that explain it, each with its newline
	Err   error
}

// Error returns the field and the error, and below it the tag with a caret, or the source's
// explanation of the expression.
func (m *Mistake) Error() string {
	if m.Notes != "" {
		return m.Field + ": " + strings.TrimSuffix(m.Notes, "\n")
	}
	if m.Tag == "" {
		return m.Field + ": " + m.Err.Error()
	}
	return fmt.Sprintf("%s: %v\n  %s\n  %s^", m.Field, m.Err, m.Tag, strings.Repeat(" ", m.Pos))
}

// Unwrap returns the cause.
func (m *Mistake) Unwrap() error { return m.Err }

// Mistakes are all that is wrong with a struct.
type Mistakes []*Mistake

// Error returns one after the other.
func (ms Mistakes) Error() string {
	var b strings.Builder
	for i, m := range ms {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(m.Error())
	}
	return b.String()
}

// Unwrap returns the mistakes.
func (ms Mistakes) Unwrap() []error {
	errs := make([]error, len(ms))
	for i, m := range ms {
		errs[i] = m
	}
	return errs
}

// sorted returns the mistakes in the order of the fields.
func (ms Mistakes) sorted(fields []*field) Mistakes {
	at := make(map[string]int)
	for f := range walk(fields) {
		at[f.path] = len(at)
	}
	slices.SortStableFunc(ms, func(a, b *Mistake) int { return cmp.Compare(at[a.Field], at[b.Field]) })
	return ms
}

// wrong makes a mistake of an error, at the part of the tag that it is about.
func (b *binder) wrong(f *field, err error) {
	m := &Mistake{Field: f.path, Tag: f.text, Err: err}
	switch {
	case errors.Is(err, pmerr.Conv) || errors.Is(err, pmerr.Unit):
		m.Pos = f.atScale
	case errors.Is(err, pmerr.Inst) || errors.Is(err, pmerr.InstLog):
		m.Pos = f.atInstance
	case errors.Is(err, pmerr.Name):
		m.Err = fmt.Errorf("%w%s", err, b.like(f.metric))
	}
	b.bad = append(b.bad, m)
}

// like proposes names similar to an unknown one. It reads all names once.
func (b *binder) like(name string) string {
	if b.names == nil {
		// With an error there are fewer proposals.
		b.names, _ = pmapi.Leaves(b.ctx, b.g.pc.Source(), "")
	}
	list := suggest.Names(name, b.names)
	if len(list) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(list, " or ") + "?"
}

// A Definer is a [pmapi.Source] that computes metrics from expressions, such as a derive.Source.
type Definer interface {
	// Add defines a metric by an expression.
	Add(ctx context.Context, name, expr string) error
	// Explain returns an error of Add as text for people: the mistake, the expression with a caret,
	// and the likely intention, each line with its newline.
	Explain(ctx context.Context, err error) string
}

type binder struct {
	ctx     context.Context
	g       *Group
	definer Definer  // nil if the source has no expressions
	names   []string // all names of the source, for proposals
	bad     Mistakes
}
